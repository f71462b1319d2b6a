// JPEG files, decoded by libjpeg-turbo.
#pragma once

#include <string>
#include <string_view>

#include "renderer/images/image_io.h"

namespace tl {

/// Width and height that the header of a JPEG claims. Throws UserError naming the file if it has no
/// whole header.
[[nodiscard]] Extent jpeg_extent(const std::string& name, std::string_view bytes);
/// Decodes a JPEG of 8 bits: grey, colour, or the four inks of printing as Adobe's programs write
/// them; alpha is 255. Of a file that is cut off or damaged, what can be decoded is. Throws
/// UserError naming the file if nothing can be.
[[nodiscard]] Image8 decode_jpeg(const std::string& name, std::string_view bytes);

}  // namespace tl
