// Formats that the viewer writes pictures in.
#pragma once

#include <array>
#include <optional>
#include <string>

namespace tl {

enum class PictureFormat { png, jpeg, exr_half, exr, hdr };

struct PictureFormatRow {
    const char* id;     ///< for the preferences: "exr-half"
    const char* title;  ///< for people
    const char* extension;
    bool is_linear;  ///< holds radiance; else the picture as displayed
    const char* help;
};
/// In the order of PictureFormat.
inline constexpr std::array<PictureFormatRow, 5> kPictureFormats{{
    {"png", "PNG, 8 bits", ".png", false, "As displayed, without loss"},
    {"jpeg", "JPEG, 8 bits", ".jpg", false, "As displayed, small, with a little loss"},
    {"exr-half", "OpenEXR, half", ".exr", true, "Radiance in 16 bits, up to 65504"},
    {"exr", "OpenEXR, float", ".exr", true, "Radiance in 32 bits"},
    {"hdr", "Radiance HDR", ".hdr", true, "Radiance with 8 bits a channel and a common exponent"},
}};
[[nodiscard]] inline const PictureFormatRow& row_of(PictureFormat format) {
    return kPictureFormats[static_cast<std::size_t>(format)];
}

/// Format with the given id, if there is one.
[[nodiscard]] std::optional<PictureFormat> find_picture_format(const std::string& id);
/// Format of a path by its ending, in any case; .exr means floats. PNG for any other ending.
[[nodiscard]] PictureFormat picture_format_of(const std::string& path);

}  // namespace tl
