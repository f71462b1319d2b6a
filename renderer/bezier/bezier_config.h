// What can be chosen of the Bezier backend.
#pragma once

#include "accel/parallel/settings.h"

namespace tl {

/// How a ray meets a patch.
enum class BezierMode : int {
    certified,    ///< no miss (accel/patch/certified.h)
    kajiya,       ///< resultant of degree 18, all complex roots (Lahabar 2010)
    kajiya_real,  ///< its roots in [0, 1] alone, by Bernstein form
    newton,       ///< from the centre of a piece
    clipping,     ///< Bezier clipping
};

struct BezierConfig {
    int mode = static_cast<int>(BezierMode::certified);
    int max_depth = 1;
    float ambient = 0;
    bool shadows = true;
    bool compare = false;
    int pair_memory = 512;  ///< MB

    [[nodiscard]] Settings settings();
    [[nodiscard]] bool eliminates() const {
        auto m = static_cast<BezierMode>(mode);
        return m == BezierMode::kajiya || m == BezierMode::kajiya_real;
    }
};

}  // namespace tl
