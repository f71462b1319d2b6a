// New velocities by the balance of momentum of a step whose flows are known, so that bores have the
// right heights and speeds (Stelling & Duinmeijer 2003). The half cells of a face gain and lose
// exactly the water of the new level's change, and with it its momentum.
#pragma once

#include "solvers/shallow_water/water_lines.h"

namespace tl {

/// Flows through faces over a velocity's last step, as losses of level, from the system that was
/// solved. The alternating-direction scheme adds the flow of the old velocity, which the other half
/// of the step has used unchanged.
struct WaterFlows {
    const double* along = nullptr;  ///< flows of the system, at the faces of w
    /// Flows of the system, at those of c; null where there was none.
    const double* across = nullptr;
    bool old_along = false;   ///< velocities w have flowed over z_before in the other half
    bool old_across = false;  ///< velocities c have flowed over z
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    // The flows along the lines of half a step, for WaterFlows::along.
    void solved_flows(Stream& stream, const WaterLines& lines, const double* w_new, double* along);
    // Replaces the velocities of all faces but those at walls and open borders by those that
    // conserve momentum. `lines` has the fields from which they were solved for.
    void keep_momentum(Stream& stream, const WaterLines& lines, const WaterFlows& flows,
                       const double* z_new, double* w_new);
)
// clang-format on
