// Validates the size in an image's header against the file's bytes and free memory. This is done
// before decoding, so that a small file cannot take much memory or time.
#pragma once

#include <string>
#include <string_view>

#include "core/base/math.h"

namespace tl {

/// The formats of 8-bit images, which share a decoder.
enum class ImageFormat { none, png, jpeg, bmp, tga };

/// Detects the format by the first bytes; TGA, which has no signature, only where `may_be_tga`.
[[nodiscard]] ImageFormat image_format(std::string_view bytes, bool may_be_tga);

/// Throws UserError that starts with `name` unless these bytes can hold an image of that size, and
/// it fits the free memory while it is decoded. The decoder has accepted the header.
void check_claims(const std::string& name, std::string_view bytes, ImageFormat format,
                  Extent extent);

/// Throws UserError if an image with `bytes_per_pixel` exceeds the free memory.
void require_image_memory(const std::string& name, Extent extent, std::size_t bytes_per_pixel);

/// Maximum number of bytes that one byte of a deflate stream decodes to.
inline constexpr std::int64_t kMostInflation = 1032;

}  // namespace tl
