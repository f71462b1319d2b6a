// Matches between two pictures by their ORB features, through OpenCV where it was found when the
// program was built.
#pragma once

#include <vector>

#include "renderer/images/image_io.h"

namespace tl {

/// Why there are no features: "" where there are.
[[nodiscard]] const char* no_features_reason();

/// Places that look alike, x1, y1, x2, y2 in pixels from the top left corners. At most `most`
/// features of each picture are compared, each with all of the other one; the best of the second
/// picture counts where the next best is clearly worse (Lowe's ratio test), and if it finds the
/// same in turn. Throws UserError where there are no features.
[[nodiscard]] std::vector<double> picture_matches(const Image8& first, const Image8& second,
                                                  int most);

}  // namespace tl
