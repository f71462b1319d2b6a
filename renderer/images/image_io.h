// Images in files: PNG (8-bit sRGB), Radiance HDR and OpenEXR (linear float).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "accel/parallel/math.h"

namespace tl {

/// Pixels of a picture that is read: 16,384 squared.
inline constexpr std::int64_t kMostPixels = std::int64_t{1} << 28;

/// Linear RGB, row 0 at the top.
struct ImageF {
    Extent extent;
    std::vector<vec3> rgb;
};

/// One channel of a layered picture beside its red, green and blue: row 0 at the top, as many
/// pixels as the picture.
struct ImagePlane {
    std::string name;  ///< "LAYER.COMPONENT", at most 255 bytes
    std::variant<std::vector<float>, std::vector<std::uint32_t>> pixels;
};

/// 8-bit RGBA, row 0 at the top.
struct Image8 {
    Extent extent;
    std::vector<std::uint8_t> rgba;
};

/// Before a long run: whether a picture can be written there. Throws UsageError for an ending that
/// is not .png, .hdr or .exr (any case; .png alone for `png_only`), UserError for a missing folder.
void check_picture_path(const std::string& path, bool png_only = false);
/// True for a path that ends in .png, in any case.
[[nodiscard]] bool is_png(const std::string& path);

/// Writes by ending (.hdr, .exr linear; .png refused here). The file is written beside its place
/// and then renamed, so that a failure leaves what stood there. Throws UserError.
void write_image(const std::string& path, const ImageF& image);
/// True for a path that ends in .exr, in any case.
[[nodiscard]] bool is_exr(const std::string& path);
/// Writes an .exr with layers; the same promises.
void write_layers(const std::string& path, const ImageF& image,
                  const std::vector<ImagePlane>& planes);
/// Writes a PNG; the same promises.
void write_png(const std::string& path, const Image8& image);
/// Reads PNG, JPEG, TGA, BMP as RGBA. Throws UserError: file and reason.
[[nodiscard]] Image8 read_image8(const std::string& path);
/// The same for the bytes of such a file; `name` is what messages call it.
[[nodiscard]] Image8 decode_image8(const std::string& name, std::string_view bytes);
/// Reads .hdr or .exr. Throws UserError.
[[nodiscard]] ImageF read_image(const std::string& path);

}  // namespace tl
