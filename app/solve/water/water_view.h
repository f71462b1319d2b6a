// The state of the water's section: how fast the scene's water moves on.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "app/viewer/viewer_interface.h"
#include "core/base/settings.h"
#include "solvers/shallow_water/water_config.h"

namespace tl {

struct ViewerModel;

struct WaterView final : SectionState {
    bool shown = false;           ///< in the last frame
    double steps_per_second = 0;  ///< over the last half second or frame
    std::uint64_t steps = 0;      ///< when that was found
    std::chrono::steady_clock::time_point found_at{};

    bool poll(ViewerModel& model) override;
};

/// The settings that the panel offers, bound to the config, in ranges that suit sliders.
[[nodiscard]] Settings panel_settings_of(WaterConfig& config);
/// Changes one of them, for the frames to come; an empty value means that of the scene. Errors are
/// shown.
void change_water(ViewerModel& model, const std::string& section, const std::string& id,
                  const std::string& value);

/// Whether water moves in the scene.
[[nodiscard]] bool has_water(const ViewerModel& model);
void draw_water_panel(ViewerModel& model);

}  // namespace tl
