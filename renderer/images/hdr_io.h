// Radiance HDR images (RGBE and XYZE).
#pragma once

#include <string>

#include "renderer/images/image_io.h"

namespace tl {

/// Encodes a Radiance file, run-length encoded. Negative values and NaN become 0. Throws UserError
/// that starts with `path`.
[[nodiscard]] std::string encode_hdr(const std::string& path, const ImageF& image);

/// Decodes RGBE or XYZE (converted to linear sRGB) with any order of pixels: flat, with the run
/// lengths of Ward 1991 ("Real pixels"), or with the older ones. Divides by the exposures and
/// colour corrections of the header, so that values are radiance (Ward Larson & Shakespeare 1998,
/// "Rendering with Radiance"). Does not use stb_image, which does not terminate on truncated runs.
/// Throws UserError that starts with `path` and names the byte.
[[nodiscard]] ImageF decode_hdr(const std::string& path, const std::string& bytes);

}  // namespace tl
