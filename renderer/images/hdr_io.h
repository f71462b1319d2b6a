// Radiance HDR (RGBE) images.
#pragma once

#include <string>

#include "renderer/images/image_io.h"

namespace tl {

/// The image as a Radiance file, run-length encoded. Negative and undefined values become 0. Throws
/// UserError that starts with `path`.
[[nodiscard]] std::string encode_hdr(const std::string& path, const ImageF& image);

/// Reads 32-bit_rle_rgbe files of the layout "-Y height +X width", flat or with the run lengths of
/// Ward 1991 ("Real pixels"). Not through stb_image, which does not end on runs that are cut off.
/// Throws UserError that starts with `path` and names the byte.
[[nodiscard]] ImageF decode_hdr(const std::string& path, const std::string& bytes);

}  // namespace tl
