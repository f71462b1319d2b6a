// Formats that pictures are written in, by the viewer, `render` and the library.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "renderer/images/image_io.h"

namespace tl {

enum class PictureFormat { png, png16, jpeg, exr_half, exr, exr_layers, hdr };

struct PictureFormatRow {
    const char* id;     ///< for the preferences: "exr-half"
    const char* title;  ///< for people
    const char* extension;
    bool is_linear;  ///< holds radiance; else the picture as displayed
    const char* help;
};
/// In the order of PictureFormat.
inline constexpr std::array<PictureFormatRow, 7> kPictureFormats{{
    {"png", "PNG, 8 bits", ".png", false, "As displayed, without loss"},
    {"png16", "PNG, 16 bits", ".png", false, "As displayed, in 65,536 levels, to be edited"},
    {"jpeg", "JPEG, 8 bits", ".jpg", false, "As displayed, small, with a little loss"},
    {"exr-half", "OpenEXR, half", ".exr", true, "Radiance in 16 bits, up to 65504"},
    {"exr", "OpenEXR, float", ".exr", true, "Radiance in 32 bits"},
    {"exr-layers", "OpenEXR, layers", ".exr", true,
     "Radiance in 32 bits, and layers with depth, position, normal, albedo and more"},
    {"hdr", "Radiance HDR", ".hdr", true, "Radiance with 8 bits a channel and a common exponent"},
}};
[[nodiscard]] inline const PictureFormatRow& row_of(PictureFormat format) {
    return kPictureFormats[static_cast<std::size_t>(format)];
}

/// Format with the given id, if there is one.
[[nodiscard]] std::optional<PictureFormat> find_picture_format(const std::string& id);
/// Format of a path by its ending, in any case, if it is a known one; .png means 8 bits, .exr
/// floats without layers.
[[nodiscard]] std::optional<PictureFormat> find_format_of(const std::string& path);
/// The same, but PNG for any other ending.
[[nodiscard]] PictureFormat picture_format_of(const std::string& path);
/// The endings of all formats: ".png, .jpg, .exr, .hdr".
[[nodiscard]] std::string picture_endings();

/// Bytes of a displayed picture's file, in a format that is not linear. Throws UserError with the
/// path.
[[nodiscard]] std::string encode_as(PictureFormat format, const std::string& path,
                                    const Image16& image);
/// Bytes of a linear picture's file, in a linear format; `planes`: of exr_layers. Throws UserError
/// with the path.
[[nodiscard]] std::string encode_as(PictureFormat format, const std::string& path,
                                    const ImageF& image,
                                    const std::vector<ImagePlane>& planes = {});

}  // namespace tl
