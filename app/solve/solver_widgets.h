// Widgets that the sections of all solvers share.
#pragma once

#include <string>
#include <vector>

#include "app/jobs/background_job.h"
#include "app/panels/widgets/choice_list.h"
#include "app/solve/solver_runs.h"
#include "app/viewer/viewer_model.h"
#include "core/device/background.h"

namespace tl {

/// Draws one line on what a section is for and how its results are read.
void draw_purpose(const char* text);
/// Draws the widgets of a section that it has now, in their order.
void draw_widgets(ViewerModel& model, const std::vector<PanelWidget>& widgets);
/// Draws the button that starts a run; returns whether it was pressed. `what`: what then happens,
/// "Decomposes the matrix".
[[nodiscard]] bool run_button(const std::string& what);
/// Combo box of a registry's rows, which changes `current`.
template <class Rows>
void choose_id(const char* label, const Rows& rows, std::string& current, DeviceKind device) {
    auto chosen = choose_row(label, rows, current, device);
    if (!chosen.empty()) current = chosen;
}
/// Combo box of "auto" and the devices of this machine.
void choose_device(const char* label, std::string& id);
/// Combo box of double and float. `single`: float.
void choose_precision(const char* label, bool& single);
/// Slider for the fraction of a GPU that a run may use.
void slide_gpu_share(BackgroundConfig& background);

/// Frame rates before, during and (if above 0) after a run; "" if no frames were rendered.
[[nodiscard]] std::string rates_text(const JobFrameRates& rates);
/// Draws a button beside others; returns whether it was pressed.
[[nodiscard]] bool next_button(const char* label, const char* tooltip);
/// Draws buttons that copy the history of a section or clear it.
template <class View>
void draw_history_buttons(ViewerModel& model, View& view) {
    if (next_button("Copy CSV", "Copies a table of all runs, a row for each."))
        copy_csv(model, view);
    if (next_button("Copy JSON", "Copies all runs with their results and stages."))
        copy_json(model, view);
    if (!view.history.empty() &&
        next_button("Clear", "Drops the results of all runs and the memory that they take."))
        view.forget();
}
/// Draws the run in progress: a button that cancels it, its phase and progress, and frame rates.
void draw_busy(BackgroundWork& job);

}  // namespace tl
