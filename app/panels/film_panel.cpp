#include <imgui/imgui.h>

#include "app/panels/panels.h"
#include "app/panels/settings_widgets.h"
#include "app/viewer/viewer_actions.h"

namespace tl {

void draw_film_panel(ViewerModel& model) {
    auto& session = model.session;
    draw_settings(model, "film", session.film_settings());

    auto limit = static_cast<int>(model.options.stop_at);
    ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x * 0.52f);
    if (ImGui::DragInt("stop at", &limit, 1, 0, 1 << 20, limit ? "%d samples" : "never",
                       ImGuiSliderFlags_AlwaysClamp))
        model.options.stop_at = static_cast<std::uint32_t>(limit);
    if (ImGui::IsItemHovered())
        ImGui::SetTooltip("samples a pixel after which the picture is done; drag, or double click");

    ImGui::Checkbox("coarser while moving", &model.resolution.enabled);
    if (ImGui::IsItemHovered())
        ImGui::SetTooltip(
            "fewer pixels while the view moves, where a frame takes longer than a 30th\n"
            "of a second; a quarter of a second after it stops, all of them again");

    std::string progress = std::to_string(session.samples()) + " samples a pixel";
    if (model.options.stop_at) {
        float done =
            static_cast<float>(session.samples()) / static_cast<float>(model.options.stop_at);
        progress = std::to_string(session.samples()) + " of " +
                   std::to_string(model.options.stop_at) + " samples";
        ImGui::ProgressBar(done, ImVec2(-1, 0), progress.c_str());
    } else {
        ImGui::TextUnformatted(progress.c_str());
    }
    if (ImGui::Button(model.paused ? "Go on" : "Pause")) model.paused = !model.paused;
    ImGui::SameLine();
    if (ImGui::Button("Start anew")) restart(model);
    ImGui::SameLine();
    if (ImGui::Button("Screenshot")) take_screenshot(model, ".png");
}

}  // namespace tl
