// File formats in which the viewer, the command `render` and the library write pictures.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "renderer/images/image_io.h"

namespace tl {

enum class PictureFormat { png, png16, jpeg, exr_half, exr, exr_layers, hdr };

/// A row of the table of formats.
struct PictureFormatRow {
    const char* id;         ///< name in the preferences file: "exr-half"
    const char* title;      ///< name in the viewer: "OpenEXR, half"
    const char* extension;  ///< ending of its files: ".exr"
    bool is_linear;         ///< holds radiance; else the tone-mapped picture
    const char* help;       ///< description in the viewer, without a period
};
/// All formats, in the order of PictureFormat.
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

/// The format with this PictureFormatRow::id; none if it is unknown.
[[nodiscard]] std::optional<PictureFormat> find_picture_format(const std::string& id);
/// The format for a path by its ending, ignoring case; none if the ending is unknown. ".png" gives
/// 8 bits, ".exr" floats without layers.
[[nodiscard]] std::optional<PictureFormat> find_format_of(const std::string& path);
/// The format of find_format_of(); PNG of 8 bits where the ending is unknown.
[[nodiscard]] PictureFormat picture_format_of(const std::string& path);
/// The endings of all formats as text: ".png, .jpg, .exr, .hdr".
[[nodiscard]] std::string picture_endings();

/// Contents of the file of a displayed picture; `format` must not be linear. Writes no file. Throws
/// UserError, which names `path`.
[[nodiscard]] std::string encode_as(PictureFormat format, const std::string& path,
                                    const Image16& image);
/// Contents of the file of a linear picture; `format` must be linear. Writes no file. `planes`:
/// layers besides the radiance, for exr_layers alone. Throws UserError, which names `path`.
[[nodiscard]] std::string encode_as(PictureFormat format, const std::string& path,
                                    const ImageF& image,
                                    const std::vector<ImagePlane>& planes = {});

}  // namespace tl
