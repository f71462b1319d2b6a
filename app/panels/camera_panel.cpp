#include <imgui/imgui.h>

#include "app/jobs/format.h"
#include "app/panels/panels.h"
#include "app/panels/widgets/text.h"
#include "app/panels/widgets/widgets.h"
#include "app/viewer/actions/camera_actions.h"
#include "app/viewer/actions/viewer_actions.h"
#include "app/viewer/viewer_model.h"

namespace tl {
namespace {

std::string vector_text(vec3 v) {
    return formatted("%.3g, %.3g, %.3g", static_cast<double>(v.x), static_cast<double>(v.y),
                     static_cast<double>(v.z));
}

/// Widgets of the thin lens, with ranges that adapt to the scene's size.
void draw_lens(ViewerModel& model) {
    auto& controller = model.view.camera;
    constexpr auto kFlags = ImGuiSliderFlags_Logarithmic | ImGuiSliderFlags_AlwaysClamp;
    Camera camera = controller.camera();
    float size = controller.scene_size();
    next_width();
    bool changed = ImGui::SliderFloat("Lens radius", &camera.lens_radius, 0, 0.1f * size,
                                      camera.lens_radius > 0 ? "%.4g" : "pinhole", kFlags);
    tooltip("depth of field: a wider lens blurs more");
    if (camera.lens_radius > 0) {
        next_width();
        changed |= ImGui::SliderFloat("Focus distance", &camera.focus_distance, 0, 10 * size,
                                      camera.focus_distance > 0 ? "%.4g" : "the target's", kFlags);
        tooltip("distance along the view of the plane that is sharp");
    }
    if (changed) controller.set_camera(camera);
}

void draw_up_axis(ViewerModel& model) {
    auto& controller = model.view.camera;
    constexpr const char* kNames[] = {"x", "y", "z", "-x", "-y", "-z"};
    vec3 up = controller.up_axis();
    int axis = up.x != 0 ? 0 : up.y != 0 ? 1 : 2;
    int chosen = up[axis] < 0 ? axis + 3 : axis;
    next_width();
    bool changed = ImGui::Combo("Up axis", &chosen, kNames, static_cast<int>(std::size(kNames)));
    tooltip("the direction of the scene that the camera shows upwards");
    if (!changed) return;
    vec3 wanted(0);
    wanted[chosen % 3] = chosen < 3 ? 1.0f : -1.0f;
    controller.set_up(wanted);
}

void draw_field_of_view(ViewerModel& model) {
    Camera changed = model.view.camera.camera();
    next_width();
    if (ImGui::SliderFloat("Field of view", &changed.vertical_fov, 5, 120, "%.0f deg",
                           ImGuiSliderFlags_AlwaysClamp))
        model.view.camera.set_camera(changed);
    tooltip("angle from the lower to the upper edge of the picture");
}

void draw_fly_speed(ViewerModel& model) {
    next_width();
    ImGui::SliderFloat("Flying speed", &model.view.camera.fly_speed, 0.01f, 10, "%.2g x",
                       ImGuiSliderFlags_Logarithmic | ImGuiSliderFlags_AlwaysClamp);
    tooltip("times the speed that suits the distance of what is in view; keys W A S D, Q E fly");
}

}  // namespace

std::vector<PanelWidget> camera_widgets() {
    return {{"Field of view", draw_field_of_view},
            {"Lens radius, focus distance", draw_lens},
            {"Flying speed", draw_fly_speed},
            {"Up axis", draw_up_axis}};
}

void draw_camera_panel(ViewerModel& model) {
    auto& camera = model.view.camera.camera();
    if (begin_rows("camera")) {
        row("eye", vector_text(camera.eye));
        row("target", vector_text(camera.target));
        end_rows();
    }
    draw_field_of_view(model);
    draw_lens(model);
    draw_fly_speed(model);
    if (ImGui::Button("Frame all")) frame_all(model.view);
    tooltip("shows the whole scene from this side (F)");
    next_in_line("Home");
    if (ImGui::Button("Home")) model.view.camera.home();
    tooltip("returns to the scene's own camera");
    next_in_line("Copy as flags");
    if (ImGui::Button("Copy as flags")) copy_camera(model);
    tooltip("puts the camera on the clipboard, for view, render and bench (Ctrl+C)");
    next_in_line("Paste");
    if (ImGui::Button("Paste")) paste_camera(model);
    tooltip("takes a camera from flags on the clipboard (Ctrl+V)");
    draw_up_axis(model);
    for (std::size_t i = 0; i < std::size(kViewSides); ++i) {
        if (i > 0) next_in_line(kViewSides[i].title);
        if (ImGui::SmallButton(kViewSides[i].title)) show_side(model, static_cast<ViewSide>(i));
        tooltip(kViewSides[i].help);
    }
}

}  // namespace tl
