// Matches between two pictures by their ORB features, through OpenCV where the build found it.
#pragma once

#include <vector>

#include "renderer/images/image_io.h"

namespace tl {

/// Reason why there are no features; "" where there are.
[[nodiscard]] const char* no_features_reason();

/// Matched positions x1, y1, x2, y2 in pixels from the top left corners.
/// Compares at most `most` features of each picture, each with all of the other one. A match must
/// be clearly better than the second best (Lowe's ratio test) and mutual (cross-check). Throws
/// UserError in builds without features.
[[nodiscard]] std::vector<double> picture_matches(const Image8& first, const Image8& second,
                                                  int most);

}  // namespace tl
