// OpenEXR images with a single flat part, through tinyexr.
#pragma once

#include <string>

#include "renderer/images/image_io.h"

namespace tl {

/// Precision of the channels R, G, B: 16 or 32 bits.
enum class ExrPrecision { half, full };

/// Encodes an OpenEXR file: channels R, G, B, and those of `planes` as floats or unsigned integers,
/// sorted by name, in ZIP-compressed scanlines. In half precision, values beyond 65504 become
/// that. Throws UserError that starts with `path`.
[[nodiscard]] std::string encode_exr(const std::string& path, const ImageF& image,
                                     const std::vector<ImagePlane>& planes = {},
                                     ExrPrecision precision = ExrPrecision::full);

/// Decodes scanlines or the finest level of tiles with channels R, G, B or Y, in half or float. The
/// picture is the display window, black outside of the data window. Throws UserError that starts
/// with `path`.
[[nodiscard]] ImageF decode_exr(const std::string& path, const std::string& bytes);

}  // namespace tl
