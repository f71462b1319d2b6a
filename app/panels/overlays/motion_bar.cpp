#include <imgui/imgui.h>

#include "app/jobs/format.h"
#include "app/panels/panels.h"
#include "app/viewer/actions/viewer_actions.h"
#include "app/viewer/viewer_model.h"

namespace tl {

float draw_motion_bar(ViewerModel& model, float scale) {
    auto& picture = model.view.layout.picture;
    if (!model.moves() || !model.view.interface_visible) return 0;
    constexpr ImGuiWindowFlags kFlags =
        ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
        ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoFocusOnAppearing;
    float height = ImGui::GetFrameHeight() + 10 * scale;
    auto width = static_cast<float>(picture.width);
    ImGui::SetNextWindowPos(ImVec2(static_cast<float>(picture.x),
                                   static_cast<float>(picture.y + picture.height) - height));
    ImGui::SetNextWindowSize(ImVec2(width, height));
    ImGui::SetNextWindowBgAlpha(0.75f);
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(8 * scale, 5 * scale));
    if (ImGui::Begin("Motion", nullptr, kFlags)) {
        float button = 62 * scale, speed = 92 * scale;
        if (ImGui::Button(model.view.playing ? "Pause" : "Play", ImVec2(button, 0)))
            toggle_motion(model);
        ImGui::SameLine();
        float time = model.session.time;
        ImGui::SetNextItemWidth(width - button - speed - 40 * scale);
        float duration = model.session.scene().duration;
        auto format = formatted("%%.2f of %.2f s", static_cast<double>(duration));
        if (ImGui::SliderFloat("##time", &time, 0, duration, format.c_str(),
                               ImGuiSliderFlags_AlwaysClamp)) {
            model.view.playing = false;
            model.session.time = time;
        }
        ImGui::SameLine();
        ImGui::SetNextItemWidth(speed);
        ImGui::SliderFloat("##speed", &model.view.play_speed, 0.05f, 4, "speed %.2f",
                           ImGuiSliderFlags_AlwaysClamp | ImGuiSliderFlags_Logarithmic);
    }
    ImGui::End();
    ImGui::PopStyleVar();
    return height;
}

}  // namespace tl
