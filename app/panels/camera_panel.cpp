#include <imgui/imgui.h>

#include <cstdio>

#include "app/panels/panels.h"
#include "app/panels/text.h"
#include "app/viewer/viewer_actions.h"

namespace tl {
namespace {

std::string vector_text(vec3 v) {
    char text[64];
    std::snprintf(text, sizeof text, "%.3g, %.3g, %.3g", static_cast<double>(v.x),
                  static_cast<double>(v.y), static_cast<double>(v.z));
    return text;
}

}  // namespace

void draw_camera_panel(ViewerModel& model) {
    auto& camera = model.camera.camera();
    if (begin_rows("camera")) {
        row("eye", vector_text(camera.eye));
        row("target", vector_text(camera.target));
        end_rows();
    }
    float width = ImGui::GetContentRegionAvail().x * 0.52f;
    Camera changed = camera;
    ImGui::SetNextItemWidth(width);
    if (ImGui::SliderFloat("field of view", &changed.vertical_fov, 5, 120, "%.0f deg",
                           ImGuiSliderFlags_AlwaysClamp))
        model.camera.set_camera(changed);
    ImGui::SetNextItemWidth(width);
    ImGui::SliderFloat("flying speed", &model.camera.fly_speed, 0.01f, 10, "%.2g x",
                       ImGuiSliderFlags_Logarithmic | ImGuiSliderFlags_AlwaysClamp);
    if (ImGui::Button("Frame all")) frame_all(model);
    ImGui::SameLine();
    if (ImGui::Button("Home")) model.camera.home();
    ImGui::SameLine();
    if (ImGui::Button("Copy as flags")) copy_camera(model);
}

}  // namespace tl
