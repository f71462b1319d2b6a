// The state of the water's section: how fast the scene's water moves on.
#pragma once

#include <chrono>

#include "app/viewer/viewer_model.h"

namespace tl {

struct WaterView final : SectionState {
    bool shown = false;           ///< in the last frame
    double steps_per_second = 0;  ///< over the last half second
    std::uint64_t steps = 0;      ///< when that was found
    std::chrono::steady_clock::time_point found_at{};

    bool follow(ViewerModel& model) override;
};

/// Whether water moves in the scene.
[[nodiscard]] bool has_water(const ViewerModel& model);
void draw_water_panel(ViewerModel& model);

}  // namespace tl
