// Regularised distance between points that represent pieces of a surface, in the radiosity kernel.
#pragma once

#include "core/base/math.h"

namespace tl {

/// Replaces the fourth power of the distance r of two points by max(r^4, (1 - 0.16 / 9) r^4 + 0.16
/// A^2), where A is the sender's area. A point beside an edge thus gets about what the surface
/// beyond the edge would send, and nothing from itself. At distances of sqrt(3 A) and more the
/// value is r^4. With 0.16 the row sums inside a cube of 16 x 16 points a side are 1.002 on
/// average, and 0.989 to 1.023 each.
struct PieceDistance {
    static constexpr float kShare = 0.16f, kReach = 9;
    /// Lower limit, above 0 so that points without area get nothing from themselves.
    static constexpr float kLeast = 1e-36f;

    /// Term that depends on the area alone.
    [[nodiscard]] TL_HD static float of_area(float area) {
        float share = kShare * area * area;
        return share > kLeast ? share : kLeast;
    }
};

}  // namespace tl
