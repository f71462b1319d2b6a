#include <imgui/imgui.h>

#include "app/jobs/format.h"
#include "app/jobs/sampling_progress.h"
#include "app/panels/panels.h"
#include "app/panels/widgets/settings_widgets.h"
#include "app/panels/widgets/widgets.h"
#include "app/viewer/actions/save_actions.h"
#include "app/viewer/actions/viewer_actions.h"
#include "app/viewer/viewer_model.h"

namespace tl {
namespace {

/// Draws the progress towards a limit, if there is one: by samples, or by finished pixels.
void draw_progress(ViewerModel& model) {
    auto& session = model.session;
    std::string text = std::to_string(session.samples());
    float done = -1;
    if (model.options.stop_at) {
        text += " of " + std::to_string(model.options.stop_at) + " " +
                plural(model.options.stop_at, "sample");
    } else {
        text += " " + plural(session.samples(), "sample") + " a pixel";
    }
    if (auto& finished = model.status.measured.finished; !finished.empty()) text += ", " + finished;
    if (auto progress = model.status.time_left.progress()) done = *progress;
    if (auto left = model.status.time_left.text(); !left.empty() && model.accumulating())
        text += ", " + left;
    if (done < 0)
        ImGui::TextUnformatted(text.c_str());
    else
        ImGui::ProgressBar(done, ImVec2(-1, 0), text.c_str());
}

void draw_max_samples(ViewerModel& model) {
    auto limit = static_cast<int>(model.options.stop_at);
    next_width();
    if (ImGui::DragInt("Max samples", &limit, 1, 0, 1 << 20,
                       limit == 0   ? "unlimited"
                       : limit == 1 ? "%d sample"
                                    : "%d samples",
                       ImGuiSliderFlags_AlwaysClamp))
        model.options.stop_at = static_cast<std::uint32_t>(limit);
    tooltip("Samples a pixel after which the picture is done; drag, or double click to type");
}

void draw_lower_resolution(ViewerModel& model) {
    ImGui::Checkbox("Lower resolution while moving", &model.view.resolution.enabled);
    tooltip(
        "Fewer pixels while the view moves, where a frame takes longer than a 30th "
        "of a second; a quarter of a second after it stops, all of them again");
}

}  // namespace

std::vector<PanelWidget> film_widgets() {
    return {{"Max samples", draw_max_samples},
            {"Lower resolution while moving", draw_lower_resolution}};
}

void draw_film_panel(ViewerModel& model) {
    auto& session = model.session;
    draw_settings(model, session.settings().section(SectionKind::film));
    draw_settings(model, session.settings().section(SectionKind::sampling));
    draw_max_samples(model);
    draw_lower_resolution(model);

    draw_progress(model);
    if (ImGui::Button(model.view.paused ? "Resume" : "Pause")) toggle_pause(model);
    tooltip("Stops adding samples, or continues (Space)");
    next_in_line("Restart");
    if (ImGui::Button("Restart")) restart_all(model);
    tooltip("Discards the samples and starts again (R)");
    next_in_line("Screenshot");
    if (ImGui::Button("Screenshot")) take_screenshot(model, {});
    tooltip("Writes the picture as PNG (F12)");
    next_in_line("Save as...");
    if (ImGui::Button("Save as...")) ask_to_save_picture(model);
    tooltip("Chooses name, folder and format of the picture (Alt+S)");
}

}  // namespace tl
