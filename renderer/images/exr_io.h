// OpenEXR images of one flat part, through tinyexr.
#pragma once

#include <string>

#include "renderer/images/image_io.h"

namespace tl {

/// The image as an OpenEXR file: channels R, G, B in 32-bit float and those of `planes` in float or
/// unsigned integers, sorted by name, ZIP-compressed scanlines. Throws UserError that starts with
/// `path`.
[[nodiscard]] std::string encode_exr(const std::string& path, const ImageF& image,
                                     const std::vector<ImagePlane>& planes = {});

/// Reads scanline files with channels R, G, B or Y, in half or float. tinyexr asserts
/// what its attributes hold, so the header is checked first. Throws UserError that starts with
/// `path`.
[[nodiscard]] ImageF decode_exr(const std::string& path, const std::string& bytes);

}  // namespace tl
