#include "renderer/images/exr_io.h"

#include <tinyexr.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/one_line.h"
#include "renderer/images/exr_header.h"

namespace tl {
namespace {

/// Copies the text of a tinyexr error and frees the original.
std::string reason(const char* error) {
    std::string text = error ? error : "unknown error";
    FreeEXRErrorMessage(error);
    return text;
}

template <class T>
void append_value(std::string& bytes, T value) {
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}
void append_attribute(std::string& bytes, std::string_view name, std::string_view type,
                      std::string_view value) {
    bytes.append(name) += '\0';
    bytes.append(type) += '\0';
    append_value(bytes, static_cast<std::uint32_t>(value.size()));
    bytes.append(value);
}

/// Rewrites a file for tinyexr 1.0.1, with the same pixels: with a data window at (0, 0), the
/// finest level alone, chunks in increasing order, and only the required attributes. tinyexr flips
/// a picture whose line order is not "increasing y", although every chunk stores its first line,
/// and flips the lines within tiles likewise. It assumes that uncompressed lines are in the order
/// of the table. Attributes that it does not expect fail its assertions.
std::string plain_file(const ExrHeader& header, const std::vector<std::string_view>& chunks) {
    std::size_t n_bytes = 1024 + header.channels.size();
    for (auto chunk : chunks) n_bytes += chunk.size() + 32;
    std::string bytes;
    bytes.reserve(n_bytes);
    constexpr std::int32_t kMagic = 20000630, kVersion = 2, kTiled = 0x200;
    append_value(bytes, kMagic);
    append_value(bytes, kVersion | (header.is_tiled ? kTiled : 0));
    auto [width, height] = header.data.extent();
    std::int32_t window[] = {0, 0, width - 1, height - 1};
    std::string_view corners(reinterpret_cast<const char*>(window), sizeof window);
    std::string zeros(8, '\0'), one;
    append_value(one, 1.0f);
    append_attribute(bytes, "channels", "chlist", header.channels);
    append_attribute(bytes, "compression", "compression", {&header.compression, 1});
    append_attribute(bytes, "dataWindow", "box2i", corners);
    append_attribute(bytes, "displayWindow", "box2i", corners);
    append_attribute(bytes, "lineOrder", "lineOrder", {zeros.data(), 1});
    append_attribute(bytes, "pixelAspectRatio", "float", one);
    append_attribute(bytes, "screenWindowCenter", "v2f", zeros);
    append_attribute(bytes, "screenWindowWidth", "float", one);
    if (header.is_tiled) {
        std::string tiles;
        append_value(tiles, header.chunk.width);
        append_value(tiles, header.chunk.height);
        append_attribute(bytes, "tiles", "tiledesc", tiles += '\0');
    }
    bytes += '\0';

    std::uint64_t at = bytes.size() + chunks.size() * sizeof at;
    std::size_t chunk_header = (header.is_tiled ? 5 : 2) * sizeof(std::int32_t);
    for (auto chunk : chunks) {
        append_value(bytes, at);
        at += chunk_header + chunk.size();
    }
    for (std::size_t i = 0; i < chunks.size(); ++i) {
        auto columns = static_cast<std::size_t>(header.columns());
        auto row = static_cast<std::int32_t>(i / columns);
        if (header.is_tiled) {
            append_value(bytes, static_cast<std::int32_t>(i % columns));
            append_value(bytes, row);
            bytes += zeros;  // the level
        } else {
            append_value(bytes, row * header.chunk.height);
        }
        append_value(bytes, static_cast<std::uint32_t>(chunks[i].size()));
        bytes.append(chunks[i]);
    }
    // The PIZ decoder of tinyexr reads a table of up to 8 KiB without checking for the end of data.
    bytes.append(std::size_t{16} << 10, '\0');
    return bytes;
}

/// A tinyexr struct with a destructor.
template <class T, void (*kInit)(T*), int (*kFree)(T*)>
struct Owned : T {
    Owned() { kInit(this); }
    ~Owned() { kFree(this); }
    Owned(const Owned&) = delete;
    Owned& operator=(const Owned&) = delete;
};
using Header = Owned<EXRHeader, &InitEXRHeader, &FreeEXRHeader>;
using Image = Owned<EXRImage, &InitEXRImage, &FreeEXRImage>;

/// The index of a half or float channel; -1 where there is none.
int find_channel(const Header& header, const std::string& name) {
    for (int c = 0; c < header.num_channels; ++c)
        if (header.channels[c].name == name && header.pixel_types[c] != TINYEXR_PIXELTYPE_UINT)
            return c;
    return -1;
}

/// The channels of red, green and blue: R, G, B, else those of the only layer that has them
/// ("view.R"), else the luminance Y for each.
std::array<int, 3> color_channels(const std::string& path, const Header& header) {
    std::set<std::string> layers;
    std::string names;
    for (int c = 0; c < header.num_channels; ++c) {
        std::string name = header.channels[c].name;
        constexpr std::size_t kLongest = 200;
        if (names.size() < kLongest) names += (c > 0 ? ", " : "") + one_line(name, 60);
        if (name.ends_with(".R")) layers.insert(name.substr(0, name.size() - 1));
    }
    auto of_layer = [&](const std::string& layer) {
        return std::array{find_channel(header, layer + "R"), find_channel(header, layer + "G"),
                          find_channel(header, layer + "B")};
    };
    auto is_complete = [](const std::array<int, 3>& c) { return std::ranges::min(c) >= 0; };
    if (auto own = of_layer(""); is_complete(own)) return own;
    std::erase_if(layers, [&](auto& layer) { return !is_complete(of_layer(layer)); });
    int luminance = find_channel(header, "Y");
    auto has = [&](const char* name) { return find_channel(header, name) >= 0; };
    bool has_chroma = has("RY") || has("BY"), is_vector = has("X") && has("Z");
    if (luminance >= 0 && !has_chroma && !is_vector) return {luminance, luminance, luminance};
    if (layers.size() == 1) return of_layer(*layers.begin());
    throw UserError(path +
                    (layers.empty() ? ": has no channels R, G, B, nor Y alone"
                                    : ": has R, G, B in several layers") +
                    ", in half or float; save one picture as R, G, B; the file has " + names);
}

/// Copies a block of decoded pixels into the display window; pixels outside of it are cut off.
void place_block(ImageF& image, const ExrHeader& header, Extent at, Extent size, int stride,
                 unsigned char* const* planes, const std::array<int, 3>& channels) {
    auto left = std::int64_t{header.data.left} - header.display.left + at.width;
    auto top = std::int64_t{header.data.top} - header.display.top + at.height;
    auto begin = std::clamp<std::int64_t>(-left, 0, size.width);
    auto end = std::clamp<std::int64_t>(image.extent.width - left, begin, size.width);
    for (int y = 0; y < size.height; ++y) {
        auto row = top + y;
        if (row < 0 || row >= image.extent.height) continue;
        for (auto x = begin; x < end; ++x) {
            auto from = std::int64_t{y} * stride + x;
            auto value = [&](int k) {
                auto* plane = planes[channels[static_cast<std::size_t>(k)]];
                return reinterpret_cast<const float*>(plane)[from];
            };
            image.rgb[static_cast<std::size_t>(row * image.extent.width + left + x)] =
                vec3(value(0), value(1), value(2));
        }
    }
}

/// The picture in its display window, black where there are no data.
ImageF in_display_window(const std::string& path, const ExrHeader& header, const Header& decoded,
                         const Image& exr) {
    auto channels = color_channels(path, decoded);
    ImageF image{header.display.extent(), {}};
    image.rgb.assign(static_cast<std::size_t>(image.extent.pixels()), vec3(0));
    if (!header.is_tiled)
        place_block(image, header, {0, 0}, {exr.width, exr.height}, exr.width, exr.images,
                    channels);
    for (int i = 0; header.is_tiled && i < exr.num_tiles; ++i) {
        auto& tile = exr.tiles[i];
        place_block(image, header,
                    {tile.offset_x * header.chunk.width, tile.offset_y * header.chunk.height},
                    {tile.width, tile.height}, header.chunk.width, tile.images, channels);
    }
    return image;
}

}  // namespace

std::string encode_exr(const std::string& path, const ImageF& image,
                       const std::vector<ImagePlane>& planes, ExrPrecision precision) {
    constexpr float kLargestHalf = 65504;
    float largest = precision == ExrPrecision::half ? kLargestHalf : INFINITY;
    std::vector<ImagePlane> colors;
    for (int c = 0; c < 3; ++c) {
        std::vector<float> pixels;
        pixels.reserve(image.rgb.size());
        // NaN stays.
        for (auto& pixel : image.rgb)
            pixels.push_back(pixel[c] > largest    ? largest
                             : pixel[c] < -largest ? -largest
                                                   : pixel[c]);
        colors.push_back({std::string(1, "RGB"[c]), std::move(pixels)});
    }
    // The format requires channels sorted by name.
    std::map<std::string_view, const ImagePlane*> sorted;
    for (auto& plane : colors) sorted[plane.name] = &plane;
    for (auto& plane : planes) sorted[plane.name] = &plane;

    std::vector<EXRChannelInfo> channels;
    std::vector<int> types, stored_types;
    std::vector<const unsigned char*> pointers;
    for (auto& [name, plane] : sorted) {
        EXRChannelInfo channel = {};
        name.copy(channel.name, sizeof channel.name - 1);
        channels.push_back(channel);
        bool is_float = std::holds_alternative<std::vector<float>>(plane->pixels);
        types.push_back(is_float ? TINYEXR_PIXELTYPE_FLOAT : TINYEXR_PIXELTYPE_UINT);
        bool is_half = precision == ExrPrecision::half && name.size() == 1;
        stored_types.push_back(is_half ? TINYEXR_PIXELTYPE_HALF : types.back());
        pointers.push_back(std::visit(
            [](auto& pixels) { return reinterpret_cast<const unsigned char*>(pixels.data()); },
            plane->pixels));
    }
    // The header's pointers refer to memory owned here: tinyexr only reads it and must not free it.
    EXRHeader header;
    InitEXRHeader(&header);
    header.num_channels = static_cast<int>(channels.size());
    header.channels = channels.data();
    header.pixel_types = types.data();
    header.requested_pixel_types = stored_types.data();
    header.compression_type = TINYEXR_COMPRESSIONTYPE_ZIP;
    EXRImage exr;
    InitEXRImage(&exr);
    exr.num_channels = header.num_channels;
    exr.images = const_cast<unsigned char**>(pointers.data());
    exr.width = image.extent.width;
    exr.height = image.extent.height;

    unsigned char* memory = nullptr;
    const char* error = nullptr;
    std::size_t size = SaveEXRImageToMemory(&exr, &header, &memory, &error);
    if (size == 0) throw UserError(path + ": OpenEXR encoding failed: " + reason(error));
    std::unique_ptr<unsigned char, decltype(&std::free)> owner(memory, &std::free);
    return {reinterpret_cast<char*>(memory), size};
}

ImageF decode_exr(const std::string& path, const std::string& bytes) {
    ExrHeader header = read_exr_header(path, bytes);
    std::string plain = plain_file(header, find_exr_chunks(path, bytes, header));
    auto* data = reinterpret_cast<const unsigned char*>(plain.data());
    const char* error = nullptr;
    EXRVersion version;
    Header decoded;
    Image exr;
    try {
        if (ParseEXRVersionFromMemory(&version, data, plain.size()) != TINYEXR_SUCCESS)
            throw UserError(path + ": bad OpenEXR version");
        if (ParseEXRHeaderFromMemory(&decoded, &version, data, plain.size(), &error) !=
            TINYEXR_SUCCESS)
            throw UserError(path + ": bad OpenEXR header: " + reason(error));
        for (int c = 0; c < decoded.num_channels; ++c)
            if (decoded.pixel_types[c] == TINYEXR_PIXELTYPE_HALF)
                decoded.requested_pixel_types[c] = TINYEXR_PIXELTYPE_FLOAT;
        exr.num_channels = decoded.num_channels;  // so that a failure frees all of them
        if (LoadEXRImageFromMemory(&exr, &decoded, data, plain.size(), &error) != TINYEXR_SUCCESS) {
            InitEXRImage(&exr);  // already freed, but its pointers were not reset
            throw UserError(path + ": OpenEXR decoding failed: " + reason(error));
        }
    } catch (const UserError&) {
        throw;
    } catch (const std::exception& exception) {
        throw UserError(path + ": OpenEXR decoding failed: " + exception.what());
    }
    return in_display_window(path, header, decoded, exr);
}

}  // namespace tl
