#include "renderer/images/exr_io.h"

#include <tinyexr.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

#include "accel/parallel/error.h"
#include "renderer/images/image_claims.h"

namespace tl {
namespace {

/// Copies the text of a tinyexr error and frees the original.
std::string reason(const char* error) {
    std::string text = error ? error : "unknown error";
    FreeEXRErrorMessage(error);
    return text;
}

/// Walks the attributes of a header and refuses those on which tinyexr would fail an assertion.
class HeaderCheck {
  public:
    HeaderCheck(const std::string& path, std::string_view bytes) : path_(path), bytes_(bytes) {}

    void check() {
        constexpr std::string_view kMagic("\x76\x2f\x31\x01", 4);
        if (!bytes_.starts_with(kMagic)) fail("is no OpenEXR file");
        auto flags = static_cast<std::uint32_t>(integer(4)) >> 8;
        if (flags & ~0x04u) fail("is tiled, deep or of several parts; save one part of scanlines");
        std::map<std::string_view, std::string_view> attributes;
        for (at_ = 8; byte(at_) != 0;) {
            auto name = word(), type = word();
            std::int32_t size = integer(at_);
            at_ += 4;
            if (size < 0 || static_cast<std::size_t>(size) > bytes_.size() - at_)
                fail("is cut off in its header");
            // tinyexr reads a byte of every attribute, but other programs may write empty ones.
            if (size == 0) fail("has the empty attribute '" + std::string(name) + "'");
            attributes[name] = bytes_.substr(at_, static_cast<std::size_t>(size));
            at_ += static_cast<std::size_t>(size);
            (void)type;
        }
        const std::pair<const char*, std::size_t> needed[] = {
            {"compression", 1},      {"dataWindow", 16},      {"displayWindow", 16},
            {"lineOrder", 1},        {"pixelAspectRatio", 4}, {"screenWindowCenter", 8},
            {"screenWindowWidth", 4}};
        for (auto& [name, size] : needed)
            if (attributes[name].size() != size)
                fail(std::string("has no valid attribute '") + name + "'");
        if (auto type = attributes["type"]; !type.empty() && !type.starts_with("scanlineimage"))
            fail("is no scanline image");
        check_size(attributes["dataWindow"], attributes["compression"][0], attributes["chunkCount"],
                   read_channels(attributes["channels"]));
    }

  private:
    /// The channels of a pixel.
    struct Channels {
        std::size_t count = 0;
        std::int64_t bytes = 0;
    };

    Channels read_channels(std::string_view list) const {
        Channels channels;
        while (!list.empty() && list[0] != 0) {
            auto end = list.find('\0');
            if (end == std::string_view::npos || end > 255 || list.size() < end + 17)
                fail("has a broken list of channels");
            std::int32_t fields[4];  // pixel type, linearity, sampling in x and y
            std::memcpy(fields, list.data() + end + 1, sizeof fields);
            if (fields[0] < 0 || fields[0] > 2 || fields[2] != 1 || fields[3] != 1)
                fail("has channels of unknown type or less than full resolution");
            list.remove_prefix(end + 17);
            constexpr std::int32_t kHalf = 1;
            channels.bytes += fields[0] == kHalf ? 2 : 4;
            ++channels.count;
        }
        if (channels.count == 0) fail("has no channels");
        return channels;
    }

    void check_size(std::string_view window, char compression, std::string_view chunk_count,
                    Channels channels) const {
        // Of none, RLE, ZIPS, ZIP and PIZ; a run of 128 bytes takes two.
        constexpr std::int64_t kLinesOfChunk[] = {1, 1, 1, 16, 32};
        constexpr std::int64_t kMostBytesOfByte[] = {1, 64, kMostInflation, kMostInflation,
                                                     kMostInflation};
        if (compression < 0 || compression > 4)
            fail("has a compression that is not read; known: none, RLE, ZIPS, ZIP, PIZ");
        std::int32_t corners[4];
        std::memcpy(corners, window.data(), sizeof corners);
        std::int64_t width = std::int64_t{corners[2]} - corners[0] + 1;
        std::int64_t height = std::int64_t{corners[3]} - corners[1] + 1;
        if (width <= 0 || height <= 0 || width > kMostPixels / height)
            fail("has no pixels, or more than 2^28");
        if (width * height * channels.bytes > static_cast<std::int64_t>(bytes_.size()) *
                                                  kMostBytesOfByte[static_cast<int>(compression)])
            fail("has fewer bytes than its size asks for; it is cut off");
        require_image_memory(path_, {static_cast<int>(width), static_cast<int>(height)},
                             channels.count * sizeof(float) + sizeof(vec3));
        std::int64_t lines = kLinesOfChunk[static_cast<int>(compression)];
        std::int32_t chunks = 0;
        if (chunk_count.size() == 4) std::memcpy(&chunks, chunk_count.data(), 4);
        if (!chunk_count.empty() && chunks != (height + lines - 1) / lines)
            fail("has a chunk count that does not fit its height");
    }

    std::string_view word() {
        auto end = bytes_.find('\0', at_);
        if (end == std::string_view::npos || end == at_ || end - at_ > 255)
            fail("is cut off in its header");
        auto text = bytes_.substr(at_, end - at_);
        at_ = end + 1;
        return text;
    }
    char byte(std::size_t at) const {
        if (at >= bytes_.size()) fail("is cut off in its header");
        return bytes_[at];
    }
    std::int32_t integer(std::size_t at) const {
        if (at + 4 > bytes_.size()) fail("is cut off in its header");
        std::int32_t value;
        std::memcpy(&value, bytes_.data() + at, 4);
        return value;
    }
    [[noreturn]] void fail(const std::string& what) const {
        throw UserError(path_ + ": byte " + std::to_string(at_) + ": the file " + what);
    }

    const std::string& path_;
    std::string_view bytes_;
    std::size_t at_ = 0;
};

/// A struct of tinyexr with a destructor.
template <class T, void (*kInit)(T*), int (*kFree)(T*)>
struct Owned : T {
    Owned() { kInit(this); }
    ~Owned() { kFree(this); }
    Owned(const Owned&) = delete;
    Owned& operator=(const Owned&) = delete;
};
using Header = Owned<EXRHeader, &InitEXRHeader, &FreeEXRHeader>;
using Image = Owned<EXRImage, &InitEXRImage, &FreeEXRImage>;

/// The pixels of a half or float channel, or null where there is none.
const float* plane(const Header& header, const Image& image, const char* name) {
    for (int c = 0; c < header.num_channels; ++c)
        if (std::strcmp(header.channels[c].name, name) == 0)
            return header.pixel_types[c] == TINYEXR_PIXELTYPE_UINT
                       ? nullptr
                       : reinterpret_cast<const float*>(image.images[c]);
    return nullptr;
}

}  // namespace

std::string encode_exr(const std::string& path, const ImageF& image,
                       const std::vector<ImagePlane>& planes) {
    std::vector<ImagePlane> colors;
    for (int c = 0; c < 3; ++c) {
        std::vector<float> pixels;
        pixels.reserve(image.rgb.size());
        for (auto& pixel : image.rgb) pixels.push_back(pixel[c]);
        colors.push_back({std::string(1, "RGB"[c]), std::move(pixels)});
    }
    // The format requires channels sorted by name.
    std::map<std::string_view, const ImagePlane*> sorted;
    for (auto& plane : colors) sorted[plane.name] = &plane;
    for (auto& plane : planes) sorted[plane.name] = &plane;

    std::vector<EXRChannelInfo> channels;
    std::vector<int> types;
    std::vector<const unsigned char*> pointers;
    for (auto& [name, plane] : sorted) {
        EXRChannelInfo channel = {};
        name.copy(channel.name, sizeof channel.name - 1);
        channels.push_back(channel);
        bool is_float = std::holds_alternative<std::vector<float>>(plane->pixels);
        types.push_back(is_float ? TINYEXR_PIXELTYPE_FLOAT : TINYEXR_PIXELTYPE_UINT);
        pointers.push_back(std::visit(
            [](auto& pixels) { return reinterpret_cast<const unsigned char*>(pixels.data()); },
            plane->pixels));
    }
    // Their pointers refer to memory owned here: tinyexr only reads it and must not free it.
    EXRHeader header;
    InitEXRHeader(&header);
    header.num_channels = static_cast<int>(channels.size());
    header.channels = channels.data();
    header.pixel_types = types.data();
    header.requested_pixel_types = types.data();
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
    HeaderCheck(path, bytes).check();
    auto* data = reinterpret_cast<const unsigned char*>(bytes.data());
    const char* error = nullptr;
    EXRVersion version;
    Header header;
    Image exr;
    try {
        if (ParseEXRVersionFromMemory(&version, data, bytes.size()) != TINYEXR_SUCCESS)
            throw UserError(path + ": bad OpenEXR version");
        if (ParseEXRHeaderFromMemory(&header, &version, data, bytes.size(), &error) !=
            TINYEXR_SUCCESS)
            throw UserError(path + ": bad OpenEXR header: " + reason(error));
        for (int c = 0; c < header.num_channels; ++c)
            if (header.pixel_types[c] == TINYEXR_PIXELTYPE_HALF)
                header.requested_pixel_types[c] = TINYEXR_PIXELTYPE_FLOAT;
        exr.num_channels = header.num_channels;  // so that a failure frees all of them
        if (LoadEXRImageFromMemory(&exr, &header, data, bytes.size(), &error) != TINYEXR_SUCCESS) {
            InitEXRImage(&exr);  // already freed, but its pointers were not reset
            throw UserError(path + ": OpenEXR decoding failed: " + reason(error));
        }
    } catch (const UserError&) {
        throw;
    } catch (const std::exception& exception) {
        throw UserError(path + ": OpenEXR decoding failed: " + exception.what());
    }

    const float* grey = plane(header, exr, "Y");
    const float* planes[3];
    for (int k = 0; k < 3; ++k) {
        const char* names[] = {"R", "G", "B"};
        planes[k] = plane(header, exr, names[k]);
        if (!planes[k]) planes[k] = grey;
        if (!planes[k])
            throw UserError(path + ": has no channel '" + names[k] +
                            "'; R, G, B or Y in half or float are read");
    }
    ImageF image{{exr.width, exr.height}, {}};
    auto n_pixels = static_cast<std::size_t>(image.extent.pixels());
    image.rgb.reserve(n_pixels);
    for (std::size_t i = 0; i < n_pixels; ++i)
        image.rgb.emplace_back(planes[0][i], planes[1][i], planes[2][i]);
    return image;
}

}  // namespace tl
