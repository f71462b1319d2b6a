// PNG files (ISO/IEC 15948).
#pragma once

#include <string>

#include "renderer/images/image_io.h"

namespace tl {

/// The bytes of a file: RGB, or RGBA where a pixel is not opaque. Made for speed: every row as
/// differences from the left, deflated as fast as may be. Throws std::bad_alloc where memory is
/// short.
[[nodiscard]] std::string encode_png(const Image8& image);

}  // namespace tl
