// Images in files: PNG (8-bit sRGB), Radiance HDR and OpenEXR (linear float).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "core/base/math.h"
#include "core/base/read_observer.h"

namespace tl {

/// Maximum number of pixels of a picture to be read: 16,384 squared.
inline constexpr std::int64_t kMostPixels = std::int64_t{1} << 28;

/// Linear RGB, row 0 at the top.
struct ImageF {
    Extent extent;
    std::vector<vec3> rgb;
};

/// An additional channel of a layered picture: row 0 at the top, with the size of the picture.
struct ImagePlane {
    std::string name;  ///< "LAYER.COMPONENT", at most 255 bytes
    std::variant<std::vector<float>, std::vector<std::uint32_t>> pixels;
};

/// 8-bit RGBA, row 0 at the top.
struct Image8 {
    Extent extent;
    std::vector<std::uint8_t> rgba;
};

/// RGBA of up to 16 bits, row 0 at the top, for textures and height maps.
struct Image16 {
    Extent extent;
    std::vector<std::uint8_t> rgba;   ///< 8-bit values, or the upper bytes of 16-bit ones
    std::vector<std::uint8_t> lower;  ///< lower bytes of 16-bit values; empty for 8 bits

    Image16() = default;
    Image16(Image8 image) : extent(image.extent), rgba(std::move(image.rgba)) {}

    /// The value at an index of `rgba`, in [0, 1].
    [[nodiscard]] double value(std::size_t i) const {
        return lower.empty() ? rgba[i] / 255.0 : (rgba[i] * 256 + lower[i]) / 65535.0;
    }
};

/// Whether the alpha of all pixels is 255.
[[nodiscard]] bool is_opaque(const std::vector<std::uint8_t>& rgba);

/// Checks before a long run that a picture can be written. Throws UsageError for an ending that no
/// format of picture_formats.h has (with `png_only`, for all but .png), and UserError where no file
/// can be written.
void check_picture_path(const std::string& path, bool png_only = false);
/// True for a path that ends in .png, in any case.
[[nodiscard]] bool is_png(const std::string& path);

/// Bytes of a linear picture's file by ending (.hdr, .exr; refuses .png), of an .exr with layers,
/// and of a PNG. Throw UserError with the path.
[[nodiscard]] std::string encode_image(const std::string& path, const ImageF& image);
[[nodiscard]] std::string encode_layers(const std::string& path, const ImageF& image,
                                        const std::vector<ImagePlane>& planes);
[[nodiscard]] std::string encode_png(const std::string& path, const Image8& image);

/// Writes a linear picture by ending (.hdr, .exr; refuses .png). Writes a temporary file next to
/// `path` and renames it, so that a failure leaves an old file intact. Throws UserError.
void write_image(const std::string& path, const ImageF& image);
/// True for a path that ends in .exr, in any case.
[[nodiscard]] bool is_exr(const std::string& path);
/// Writes an .exr with layers; a failure leaves an old file intact, as in write_image.
void write_layers(const std::string& path, const ImageF& image,
                  const std::vector<ImagePlane>& planes);
/// Writes a PNG; a failure leaves an old file intact, as in write_image.
void write_png(const std::string& path, const Image8& image);
/// Reads PNG, JPEG, TGA, BMP as RGBA; 16 bits of a PNG are rounded to 8. Throws UserError with file
/// and reason.
[[nodiscard]] Image8 read_image8(const std::string& path, const ReadObserver& observer = {});
/// Decodes the bytes of a PNG, JPEG, TGA or BMP file as read_image8 does; errors start with `name`.
[[nodiscard]] Image8 decode_image8(const std::string& name, std::string_view bytes);
/// Reads PNG, JPEG, TGA, BMP as RGBA at full bit depth.
[[nodiscard]] Image16 read_image16(const std::string& path, const ReadObserver& observer = {});
/// Decodes the bytes of such a file at full bit depth; errors start with `name`.
[[nodiscard]] Image16 decode_image16(const std::string& name, std::string_view bytes);
/// True for a path that ends in .hdr or .exr, in any case.
[[nodiscard]] bool is_linear_picture(const std::string& path);
/// Reads .hdr or .exr. Throws UserError.
[[nodiscard]] ImageF read_image(const std::string& path, const ReadObserver& observer = {});

}  // namespace tl
