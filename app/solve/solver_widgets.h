// Widgets that the sections of all solvers have.
#pragma once

#include <string>

#include "accel/parallel/background.h"
#include "app/jobs/background_job.h"
#include "app/panels/choice_list.h"
#include "app/solve/solver_runs.h"
#include "app/viewer/viewer_model.h"

namespace tl {

/// A combo box of a registry's rows, which changes `current`.
template <class Rows>
void choose_id(const char* label, const Rows& rows, std::string& current, DeviceKind device) {
    auto chosen = choose_row(label, rows, current, device);
    if (!chosen.empty()) current = chosen;
}
/// A combo box of "auto" and the devices of this machine.
void choose_device(const char* label, std::string& id);
/// A combo box of double and float. `single`: float.
void choose_precision(const char* label, bool& single);
/// A slider for the share of a GPU that a run may have.
void slide_gpu_share(BackgroundConfig& background);

/// Frame rates before, during and (if above 0) after a run; "" if no frames were rendered.
[[nodiscard]] std::string rates_text(const JobFrameRates& rates);
/// Draws a button, "Copy CSV"; returns whether it was pressed.
[[nodiscard]] bool copy_button(const char* label);
/// Draws buttons that copy the history of a section.
template <class View>
void draw_copy_buttons(ViewerModel& model, const View& view) {
    if (copy_button("Copy CSV")) copy_csv(model, view);
    if (copy_button("Copy JSON")) copy_json(model, view);
}
/// Draws the run in progress: a button that cancels it, its phase and progress, and frame rates.
void draw_busy(const ViewerModel& model, BackgroundWork& job);

}  // namespace tl
