#include "renderer/images/image_io.h"

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string_view>

#include "core/base/error.h"
#include "core/base/files.h"
#include "renderer/images/exr_io.h"
#include "renderer/images/hdr_io.h"
#include "renderer/images/image_claims.h"
#include "renderer/images/jpeg_io.h"
#include "renderer/images/picture_formats.h"
#include "renderer/images/png_io.h"

// The decoder is compiled here, for the supported formats. Its memory is zeroed, so that its output
// for damaged files is deterministic.
#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_ONLY_BMP
#define STBI_ONLY_PNG
#define STBI_ONLY_TGA
#define STBI_NO_STDIO
#define STBI_MALLOC(size) std::calloc(1, size)
#define STBI_REALLOC(memory, size) std::realloc(memory, size)
#define STBI_FREE(memory) std::free(memory)
#include <stb_image.h>

namespace tl {
namespace {

namespace fs = std::filesystem;
std::string ending_of(const std::string& path) {
    return lower_case(fs::path(path).extension().string());
}

void check_extent(const std::string& path, Extent extent, std::size_t values,
                  std::size_t channels) {
    std::int64_t pixels = std::int64_t{extent.width} * extent.height;
    if (extent.width <= 0 || extent.height <= 0 || pixels > kMostPixels)
        throw UserError(path + ": an image of " + std::to_string(extent.width) + " x " +
                        std::to_string(extent.height) + " pixels; 1 to 2^28 are possible");
    if (values != 0 && values != static_cast<std::size_t>(pixels) * channels)
        throw UserError(path + ": the image has " + std::to_string(values) + " values, not " +
                        std::to_string(static_cast<std::size_t>(pixels) * channels));
}

void split_bytes(const std::uint16_t* values, std::size_t count, Image16& image) {
    image.rgba.resize(count);
    image.lower.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        image.rgba[i] = static_cast<std::uint8_t>(values[i] >> 8);
        image.lower[i] = static_cast<std::uint8_t>(values[i]);
    }
}

Image8 rounded_to_8_bits(Image16 image) {
    constexpr int kStep = 257;  // scales 8-bit to 16-bit values
    for (std::size_t i = 0; i < image.lower.size(); ++i)
        image.rgba[i] =
            static_cast<std::uint8_t>((image.rgba[i] * 256 + image.lower[i] + kStep / 2) / kStep);
    return {image.extent, std::move(image.rgba)};
}

}  // namespace

bool is_opaque(const std::vector<std::uint8_t>& rgba) {
    for (std::size_t i = 3; i < rgba.size(); i += 4)
        if (rgba[i] != 255) return false;
    return true;
}

bool is_png(const std::string& path) {
    return ending_of(path) == ".png";
}

void check_picture_path(const std::string& path, bool png_only) {
    if (png_only && !is_png(path)) throw UsageError(path + ": this picture is written as .png");
    if (!find_format_of(path))
        throw UsageError(path +
                         ": no format of pictures has this ending; known: " + picture_endings());
    require_writable(path);
}

std::string encode_image(const std::string& path, const ImageF& image) {
    std::string ending = ending_of(path);
    if (ending != ".hdr" && ending != ".exr")
        throw UserError(path + ": linear images are written as .hdr or .exr" +
                        (ending == ".png" ? "; .png holds tone-mapped ones" : ""));
    check_extent(path, image.extent, image.rgb.size(), 1);
    return ending == ".hdr" ? encode_hdr(path, image) : encode_exr(path, image);
}

void write_image(const std::string& path, const ImageF& image) {
    write_file(path, encode_image(path, image));
}

bool is_exr(const std::string& path) {
    return ending_of(path) == ".exr";
}

std::string encode_layers(const std::string& path, const ImageF& image,
                          const std::vector<ImagePlane>& planes) {
    if (!is_exr(path)) throw UserError(path + ": layers are written as .exr");
    check_extent(path, image.extent, image.rgb.size(), 1);
    for (auto& plane : planes)
        std::visit([&](auto& pixels) { check_extent(path, image.extent, pixels.size(), 1); },
                   plane.pixels);
    return encode_exr(path, image, planes);
}

void write_layers(const std::string& path, const ImageF& image,
                  const std::vector<ImagePlane>& planes) {
    write_file(path, encode_layers(path, image, planes));
}

std::string encode_png(const std::string& path, const Image8& image) {
    if (!is_png(path))
        throw UserError(path + ": 8-bit images are written as .png; linear ones as .hdr or .exr");
    check_extent(path, image.extent, image.rgba.size(), 4);
    return encode_png(image);
}

void write_png(const std::string& path, const Image8& image) {
    write_file(path, encode_png(path, image));
}

Image8 read_image8(const std::string& path, const ReadObserver& observer) {
    return decode_image8(path, read_file(path, observer, INT_MAX));
}

Image8 decode_image8(const std::string& path, std::string_view bytes) {
    return rounded_to_8_bits(decode_image16(path, bytes));
}

Image16 read_image16(const std::string& path, const ReadObserver& observer) {
    return decode_image16(path, read_file(path, observer, INT_MAX));
}

Image16 decode_image16(const std::string& path, std::string_view bytes) {
    if (bytes.size() > INT_MAX) throw UserError(path + ": has more than 2 GiB");
    // The decoder supports more formats than are tested here.
    auto format = image_format(bytes, ending_of(path) == ".tga");
    if (format == ImageFormat::none)
        throw UserError(path + ": is no image that is read; known: PNG, JPEG, BMP, TGA");
    auto* data = reinterpret_cast<const stbi_uc*>(bytes.data());
    int size = static_cast<int>(bytes.size()), channels = 0;
    if (format == ImageFormat::jpeg) {
        Extent extent = jpeg_extent(path, bytes);
        check_extent(path, extent, 0, 0);
        check_claims(path, bytes, format, extent);
        return decode_jpeg(path, bytes);
    }
    Image16 image;
    auto& [width, height] = image.extent;
    if (!stbi_info_from_memory(data, size, &width, &height, &channels))
        throw UserError(path + ": cannot be decoded: " + stbi_failure_reason());
    // A BMP with top-down rows has a negative height.
    if (format == ImageFormat::bmp && height > -kMostPixels) height = std::abs(height);
    check_extent(path, image.extent, 0, 0);
    check_claims(path, bytes, format, image.extent);
    bool is_deep = format == ImageFormat::png && stbi_is_16_bit_from_memory(data, size);
    void* decoded = is_deep ? static_cast<void*>(stbi_load_16_from_memory(data, size, &width,
                                                                          &height, &channels, 4))
                            : stbi_load_from_memory(data, size, &width, &height, &channels, 4);
    std::unique_ptr<void, decltype(&stbi_image_free)> pixels(decoded, &stbi_image_free);
    if (!pixels) throw UserError(path + ": cannot be decoded: " + stbi_failure_reason());
    auto n_values = 4 * static_cast<std::size_t>(image.extent.pixels());
    if (is_deep)
        split_bytes(static_cast<const std::uint16_t*>(decoded), n_values, image);
    else
        image.rgba.assign(static_cast<const stbi_uc*>(decoded),
                          static_cast<const stbi_uc*>(decoded) + n_values);
    return image;
}

bool is_linear_picture(const std::string& path) {
    return is_exr(path) || ending_of(path) == ".hdr";
}

ImageF read_image(const std::string& path, const ReadObserver& observer) {
    std::string ending = ending_of(path);
    if (ending == ".exr") return decode_exr(path, read_file(path, observer));
    if (ending == ".hdr") return decode_hdr(path, read_file(path, observer));
    throw UserError(path + ": linear images are read from .hdr or .exr");
}

}  // namespace tl
