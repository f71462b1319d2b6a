#include "renderer/images/picture_formats.h"

#include <algorithm>
#include <filesystem>

#include "core/base/files.h"
#include "core/base/text.h"
#include "renderer/images/exr_io.h"
#include "renderer/images/hdr_io.h"
#include "renderer/images/jpeg_io.h"
#include "renderer/images/png_io.h"

namespace tl {

std::optional<PictureFormat> find_picture_format(const std::string& id) {
    auto found = std::ranges::find(kPictureFormats, id, &PictureFormatRow::id);
    if (found == kPictureFormats.end()) return {};
    return static_cast<PictureFormat>(found - kPictureFormats.begin());
}

std::optional<PictureFormat> find_format_of(const std::string& path) {
    auto ending = lower_case(std::filesystem::path(path).extension().string());
    if (ending == ".exr") return PictureFormat::exr;
    if (ending == ".jpeg") return PictureFormat::jpeg;
    auto found = std::ranges::find(kPictureFormats, ending, &PictureFormatRow::extension);
    if (found == kPictureFormats.end()) return {};
    return static_cast<PictureFormat>(found - kPictureFormats.begin());
}

PictureFormat picture_format_of(const std::string& path) {
    return find_format_of(path).value_or(PictureFormat::png);
}

std::string picture_endings() {
    std::vector<std::string> endings;
    for (auto& row : kPictureFormats)
        if (std::ranges::find(endings, row.extension) == endings.end())
            endings.emplace_back(row.extension);
    return joined(endings);
}

std::string encode_as(PictureFormat format, const std::string& path, const Image16& image) {
    constexpr int kJpegQuality = 95;
    if (format != PictureFormat::jpeg) return encode_png(image);
    Image8 eight;
    eight.extent = image.extent;
    eight.rgba = image.rgba;
    return encode_jpeg(path, eight, kJpegQuality);
}

std::string encode_as(PictureFormat format, const std::string& path, const ImageF& image,
                      const std::vector<ImagePlane>& planes) {
    if (format == PictureFormat::hdr) return encode_hdr(path, image);
    if (format == PictureFormat::exr_layers) return encode_layers(path, image, planes);
    auto precision = format == PictureFormat::exr_half ? ExrPrecision::half : ExrPrecision::full;
    return encode_exr(path, image, {}, precision);
}

}  // namespace tl
