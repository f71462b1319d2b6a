// JPEG files, by libjpeg-turbo.
#pragma once

#include <string>
#include <string_view>

#include "renderer/images/image_io.h"

namespace tl {

/// Returns width and height in the header of a JPEG. Throws UserError naming the file if the header
/// is incomplete.
[[nodiscard]] Extent jpeg_extent(const std::string& name, std::string_view bytes);
/// Decodes a JPEG of 8 bits: grey, colour, or CMYK as Adobe's programs write it; alpha is 255. A
/// truncated or damaged file is decoded as far as possible. Throws UserError naming the file if
/// nothing can be decoded.
[[nodiscard]] Image8 decode_jpeg(const std::string& name, std::string_view bytes);

/// Encodes a JPEG of 8 bits with full colour resolution; drops alpha. `quality`: 1 to 100. Throws
/// UserError naming the file if the picture is too large for the format.
[[nodiscard]] std::string encode_jpeg(const std::string& name, const Image8& image, int quality);

}  // namespace tl
