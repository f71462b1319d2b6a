// PNG files (ISO/IEC 15948).
#pragma once

#include <string>

#include "renderer/images/image_io.h"

namespace tl {

/// Encodes a file: RGB, or RGBA if any pixel is not opaque. Optimised for speed: every row has the
/// filter "left" (Sub), and a fast deflate level. Throws std::bad_alloc when memory runs out.
[[nodiscard]] std::string encode_png(const Image8& image);
/// Encodes a file of 8 or 16 bits in the same way.
[[nodiscard]] std::string encode_png(const Image16& image);

}  // namespace tl
