// Radiance HDR (RGBE) images.
#pragma once

#include <string>

#include "renderer/images/image_io.h"

namespace tl {

/// Encodes a Radiance file, with run lengths. Negative values and NaN become 0. Throws UserError
/// that starts with `path`.
[[nodiscard]] std::string encode_hdr(const std::string& path, const ImageF& image);

/// Reads 32-bit_rle_rgbe files of the layout "-Y height +X width", flat or with the run lengths of
/// Ward 1991 ("Real pixels"). Does not use stb_image, which does not terminate on truncated runs.
/// Throws UserError that starts with `path` and names the byte.
[[nodiscard]] ImageF decode_hdr(const std::string& path, const std::string& bytes);

}  // namespace tl
