#include <imgui/imgui.h>

#include <algorithm>

#include "app/jobs/format.h"
#include "app/panels/text.h"
#include "app/panels/widgets.h"
#include "app/solve/water/water_input.h"
#include "app/solve/water/water_view.h"
#include "session/water/water_motion.h"

namespace tl {

bool WaterView::follow(ViewerModel& model) {
    constexpr double kEvery = 0.5;  // seconds
    auto water = water_of(model.session.scene());
    if (!water) return false;
    water->measure(shown);
    shown = false;
    auto now = std::chrono::steady_clock::now();
    double seconds = std::chrono::duration<double>(now - found_at).count();
    if (seconds < kEvery) return false;
    auto done = water->status().steps;
    steps_per_second = done >= steps ? static_cast<double>(done - steps) / seconds : 0;
    steps = done;
    found_at = now;
    return true;
}

bool has_water(const ViewerModel& model) {
    return water_of(model.session.scene()) != nullptr;
}

void draw_water_panel(ViewerModel& model) {
    auto water = water_of(model.session.scene());
    if (!water) return;
    auto& view = model.state<WaterView>();
    view.shown = true;
    auto status = water->status();
    auto& start = water->case_of();
    if (begin_rows("water")) {
        row("cells",
            formatted("%d x %d of %.3g m", start.basin.nx, start.basin.ny, start.basin.dx));
        row("scheme", formatted("%s, steps of %.3g s", id_of(start.config.mode),
                                double(start.config.time_step)));
        row("time", formatted("%.2f s", status.time));
        row("steps a second", formatted("%.0f", view.steps_per_second));
        row("memory", formatted("%.1f MB", static_cast<double>(status.bytes) / 1e6));
        if (status.measured >= 0) {
            row("mass", formatted("%.9g kg", 1000 * status.totals.volume),
                "of water of 1000 kg a cubic metre, a quarter of a second old at most");
            row("energy", formatted("%.6g J", 1000 * status.totals.energy),
                "above that of water at the bed's lowest point");
            row("fastest", formatted("%.3g m/s", status.totals.highest_speed));
        }
        row("drops", grouped(water->drop_count()),
            "click on the water while the motion plays; they fall again when it is repeated");
        end_rows();
    }
    if (water->drop_count() > 0 && ImGui::Button("No drops")) water->clear_drops();
}

}  // namespace tl
