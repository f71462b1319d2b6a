#include <imgui/imgui.h>

#include "app/jobs/format.h"
#include "app/panels/panels.h"
#include "app/panels/widgets/widgets.h"
#include "app/viewer/actions/viewer_actions.h"
#include "app/viewer/viewer_model.h"

namespace tl {

void draw_motion_bar(ViewerModel& model, float scale) {
    auto& place = model.view.layout.timeline;
    if (place.width <= 0 || place.height <= 0 || !model.moves()) return;
    constexpr ImGuiWindowFlags kFlags =
        ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
        ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoFocusOnAppearing;
    place_next_window(place);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(8 * scale, 5 * scale));
    if (ImGui::Begin("Motion", nullptr, kFlags)) {
        float button = 62 * scale, speed = 92 * scale;
        if (ImGui::Button(model.view.playing ? "Pause" : "Play", ImVec2(button, 0)))
            toggle_motion(model);
        tooltip("Starts or stops the motion (P)");
        ImGui::SameLine();
        float time = model.session.time;
        ImGui::SetNextItemWidth(static_cast<float>(place.width) - button - speed - 40 * scale);
        float duration = model.session.scene().duration;
        auto format = formatted("%%.2f of %.2f s", static_cast<double>(duration));
        if (ImGui::SliderFloat("##time", &time, 0, duration, format.c_str(),
                               ImGuiSliderFlags_AlwaysClamp)) {
            model.view.playing = false;
            model.session.time = time;
        }
        tooltip("Time of the motion; drag it to any moment");
        ImGui::SameLine();
        ImGui::SetNextItemWidth(speed);
        ImGui::SliderFloat("##speed", &model.view.play_speed, 0.05f, 4, "%.2f x",
                           ImGuiSliderFlags_AlwaysClamp | ImGuiSliderFlags_Logarithmic);
        tooltip("Speed of the motion, over that of real time");
    }
    ImGui::End();
    ImGui::PopStyleVar();
}

}  // namespace tl
