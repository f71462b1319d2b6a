// What the header of an image claims, against the bytes that follow it: before anything is decoded,
// so that a small file cannot ask for much memory or time.
#pragma once

#include <string>
#include <string_view>

#include "accel/parallel/math.h"

namespace tl {

/// The formats of 8-bit images, which share a decoder.
enum class ImageFormat { none, png, jpeg, bmp, tga };

/// The format by the first bytes; TGA, which has no mark of its own, only where `may_be_tga`.
[[nodiscard]] ImageFormat image_format(std::string_view bytes, bool may_be_tga);

/// Throws UserError that starts with `name` unless an image of that size can come of these bytes,
/// and fits the free memory while it is decoded. The decoder has accepted the header.
void check_claims(const std::string& name, std::string_view bytes, ImageFormat format,
                  Extent extent);

/// Throws UserError if an image that takes so many bytes a pixel in memory exceeds what is free.
void require_image_memory(const std::string& name, Extent extent, std::size_t bytes_per_pixel);

/// Most bytes that one byte of a deflate stream stands for.
inline constexpr std::int64_t kMostInflation = 1032;

}  // namespace tl
