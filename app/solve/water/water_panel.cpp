#include <imgui/imgui.h>

#include <algorithm>

#include "app/jobs/format.h"
#include "app/panels/widgets/settings_widgets.h"
#include "app/panels/widgets/text.h"
#include "app/panels/widgets/widgets.h"
#include "app/solve/solver_widgets.h"
#include "app/solve/water/water_input.h"
#include "app/solve/water/water_view.h"
#include "app/viewer/actions/viewer_actions.h"
#include "app/viewer/viewer_model.h"
#include "session/water/water_motion.h"

namespace tl {

bool WaterView::poll(ViewerModel& model) {
    // Seconds, of which more pass where a frame takes longer.
    constexpr double kEvery = 0.5, kLongest = 5;
    auto water = water_of(model.session.scene());
    if (!water) return false;
    water->measure(shown);
    shown = false;
    auto now = std::chrono::steady_clock::now();
    double seconds = std::chrono::duration<double>(now - found_at).count();
    auto done = water->status().steps;
    if (seconds < (done == steps ? kLongest : kEvery)) return false;
    steps_per_second = done >= steps ? static_cast<double>(done - steps) / seconds : 0;
    steps = done;
    found_at = now;
    return true;
}

Settings panel_settings_of(WaterConfig& config) {
    struct Row {
        const char* id;
        double most = 0;  ///< of its slider; 0: the setting's own range
    };
    constexpr Row kRows[] = {{"advection"},   {"border-x"},     {"border-y"},
                             {"rain", 36000}, {"wind-x", 60},   {"wind-y", 60},
                             {"chezy", 100},  {"implicitness"}, {"share"}};
    static const auto declarations = [&] {
        const SettingsOf<WaterConfig> mode{{"mode", &WaterConfig::mode,
                                            "tridiagonal systems along rows and columns, one "
                                            "system by conjugate gradients, or the "
                                            "tridiagonal ones as dense matrices"}};
        auto shown = mode.all();
        for (auto& row : kRows) {
            auto& own = find_declaration(WaterConfig::declared_settings(), row.id, "water");
            auto& setting = shown.emplace_back(own);
            if (row.most == 0) continue;
            setting.maximum = row.most;
            setting.minimum = std::max(setting.minimum, -row.most);
        }
        return shown;
    }();
    Settings settings;
    for (auto& declaration : declarations) settings.emplace_back(declaration, &config);
    return settings;
}

void change_water(ViewerModel& model, const std::string&, const std::string& id,
                  const std::string& value) {
    auto water = water_of(model.session.scene());
    if (!water) return;
    attempt(model.status.messages, "Cannot change the water", [&] {
        auto config = water->case_of().config;
        auto settings = panel_settings_of(config);
        auto& setting = find_setting(settings, id, "water");
        auto start = setting.text();
        config = water->config();
        setting.set(value.empty() ? start : value);
        water->set_config(config);
    });
}

bool has_water(const ViewerModel& model) {
    return water_of(model.session.scene()) != nullptr;
}

namespace {

/// "cpu 40 %, cuda 60 %".
std::string text_of_shares(const std::vector<WaterShare>& shares) {
    double all = 0;
    for (auto& share : shares) all += static_cast<double>(share.systems);
    std::string text;
    for (auto& share : shares)
        text += (text.empty() ? "" : ", ") +
                formatted("%s %.0f %%", device_id(share.device),
                          100 * static_cast<double>(share.systems) / std::max(all, 1.0));
    return text;
}

}  // namespace

void draw_water_panel(ViewerModel& model) {
    auto water = water_of(model.session.scene());
    if (!water) return;
    auto& view = model.state<WaterView>();
    draw_purpose(
        "Computes the scene's water as it moves. Without rain and open borders its mass stays; the "
        "energy falls by friction alone.");
    view.shown = true;
    auto status = water->status();
    auto& start = water->case_of();
    if (begin_rows("water")) {
        row("cells",
            formatted("%d x %d of %.3g m", start.basin.nx, start.basin.ny, start.basin.dx));
        row("step", formatted("%.3g s", double(start.config.time_step)));
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
        if (!status.shares.empty())
            row("systems", text_of_shares(status.shares),
                "parts of the systems of mode plu that each device has solved");
        row("drops", grouped(water->drop_count()),
            "click on the water while the motion plays; they fall again when it is repeated");
        end_rows();
    }
    auto at_start = start.config, config = water->config();
    ShownSection section("water", "Water");
    for (auto& setting : panel_settings_of(config)) section.settings.emplace_back(setting);
    // A reset returns to the scene's own values.
    std::size_t i = 0;
    for (auto& setting : panel_settings_of(at_start))
        section.settings[i++].default_text = setting.text();
    draw_settings(model, section,
                  {change_water, nullptr, "Right click or Delete: as the scene has it"});
    // Last, so that nothing moves under the cursor when a drop falls.
    if (water->drop_count() > 0 && ImGui::Button("No drops")) water->clear_drops();
}

}  // namespace tl
