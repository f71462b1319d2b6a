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

void draw_scene_panel(ViewerModel& model) {
    auto& scene = model.session.scene();
    if (begin_rows("scene")) {
        row("name", scene.name);
        if (!scene.path.empty()) row("file", scene.path);
        row("triangles", grouped(scene.triangle_count()));
        if (!scene.spheres.empty()) row("spheres", grouped(scene.spheres.size()));
        row("materials", grouped(scene.materials.size()));
        row("lights", grouped(scene.lights.size()));
        row("device memory", byte_text(model.session.live_scene().bytes()));
        end_rows();
    }
    for (auto& warning : scene.warnings) {
        ImGui::PushStyleColor(ImGuiCol_Text, ImVec4(0.95f, 0.75f, 0.35f, 1));
        ImGui::TextWrapped("%s", warning.c_str());
        ImGui::PopStyleColor();
    }

    auto& camera = model.camera.camera();
    if (begin_rows("camera")) {
        row("eye", vector_text(camera.eye));
        row("target", vector_text(camera.target));
        end_rows();
    }
    ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x * 0.52f);
    Camera changed = camera;
    if (ImGui::SliderFloat("field of view", &changed.vertical_fov, 5, 120, "%.0f deg",
                           ImGuiSliderFlags_AlwaysClamp))
        model.camera.set_camera(changed);
    ImGui::SetNextItemWidth(ImGui::GetContentRegionAvail().x * 0.52f);
    ImGui::SliderFloat("flying speed", &model.camera.fly_speed, 0.01f, 10, "%.2g x",
                       ImGuiSliderFlags_Logarithmic | ImGuiSliderFlags_AlwaysClamp);
    if (ImGui::Button("Frame all")) frame_all(model);
    ImGui::SameLine();
    if (ImGui::Button("Home")) model.camera.home();
    ImGui::SameLine();
    if (ImGui::Button("Copy as flags")) copy_camera(model);
}

}  // namespace tl
