#include <imgui/imgui.h>

#include "app/panels/panels.h"
#include "app/panels/widgets/edit_widgets.h"
#include "app/panels/widgets/widgets.h"
#include "app/viewer/actions/camera_actions.h"
#include "app/viewer/actions/viewer_actions.h"
#include "app/viewer/viewer_model.h"

namespace tl {
namespace {

/// Numbers of eye and target, which are dragged or typed.
void draw_eye_and_target(ViewerModel& model) {
    auto& controller = model.view.camera;
    Camera camera = controller.camera();
    float step = 0.002f * controller.scene_size();
    bool changed = drag_vector("eye", camera.eye, step);
    changed |= drag_vector("target", camera.target, step);
    if (changed) change_camera(model, camera);
}

/// Button that is drawn pressed while it waits for a click in the picture.
void draw_pick_button(ViewerModel& model, const char* title, PickPurpose purpose,
                      const char* help) {
    bool waits = model.view.pixel.picks == purpose;
    if (waits)
        ImGui::PushStyleColor(ImGuiCol_Button, ImGui::GetStyleColorVec4(ImGuiCol_ButtonActive));
    if (ImGui::Button(title)) toggle_picking(model, purpose);
    if (waits) ImGui::PopStyleColor();
    tooltip(help);
}

void draw_picks(ViewerModel& model) {
    draw_pick_button(model, "Pick target", PickPurpose::target,
                     "The next click in the picture sets the point that drags orbit; eye and "
                     "direction of the view stay (Ctrl+T).");
    next_in_line("Pick focus");
    draw_pick_button(model, "Pick focus", PickPurpose::focus,
                     "The next click in the picture sets the focus distance (Ctrl+Shift+T).");
    auto& controller = model.view.camera;
    if (!controller.has_pivot()) return;
    next_in_line("Orbit the target");
    if (ImGui::Button("Orbit the target")) controller.clear_pivot();
    tooltip("Drags orbit the target in the middle of the view again, instead of the cross.");
}

/// Widgets of the thin lens, with ranges that adapt to the scene's size. Any number can be typed.
void draw_lens(ViewerModel& model) {
    auto& controller = model.view.camera;
    Camera camera = controller.camera();
    float size = controller.scene_size();
    next_width();
    bool changed = ImGui::SliderFloat("Lens radius", &camera.lens_radius, 0, 0.1f * size,
                                      camera.lens_radius > 0 ? "%.4g" : "pinhole",
                                      ImGuiSliderFlags_Logarithmic);
    tooltip("Aperture, for depth of field: a wider lens blurs more");
    next_width();
    changed |= ImGui::SliderFloat("Focus distance", &camera.focus_distance, 0, 10 * size,
                                  camera.focus_distance > 0 ? "%.4g" : "the target's",
                                  ImGuiSliderFlags_Logarithmic);
    tooltip("Distance along the view of the plane that is sharp, where the lens has a radius");
    if (changed) change_camera(model, camera);
}

void draw_up_axis(ViewerModel& model) {
    auto& controller = model.view.camera;
    constexpr const char* kNames[] = {"x", "y", "z", "-x", "-y", "-z"};
    vec3 up = controller.up_axis();
    int axis = up.x != 0 ? 0 : up.y != 0 ? 1 : 2;
    int chosen = up[axis] < 0 ? axis + 3 : axis;
    next_width();
    bool changed = ImGui::Combo("Up axis", &chosen, kNames, static_cast<int>(std::size(kNames)));
    tooltip("The direction of the scene that the camera shows upwards");
    if (!changed) return;
    vec3 wanted(0);
    wanted[chosen % 3] = chosen < 3 ? 1.0f : -1.0f;
    controller.set_up(wanted);
}

void draw_field_of_view(ViewerModel& model) {
    Camera changed = model.view.camera.camera();
    next_width();
    if (ImGui::SliderFloat("Field of view", &changed.vertical_fov, 5, 120, "%.4g deg"))
        change_camera(model, changed);
    tooltip("Angle from the lower to the upper edge of the picture");
}

void draw_fly_speed(ViewerModel& model) {
    next_width();
    ImGui::SliderFloat("Flying speed", &model.view.camera.fly_speed, 0.01f, 10, "%.2g x",
                       ImGuiSliderFlags_Logarithmic | ImGuiSliderFlags_AlwaysClamp);
    tooltip("Times the speed that suits the distance of what is in view; keys W A S D, Q E fly");
}

}  // namespace

std::vector<PanelWidget> camera_widgets() {
    return {
        {"Eye, target", draw_eye_and_target},  {"Pick target, focus", draw_picks},
        {"Field of view", draw_field_of_view}, {"Aperture: lens radius, focus distance", draw_lens},
        {"Flying speed", draw_fly_speed},      {"Up axis", draw_up_axis}};
}

void draw_camera_panel(ViewerModel& model) {
    draw_eye_and_target(model);
    draw_picks(model);
    draw_field_of_view(model);
    draw_lens(model);
    draw_fly_speed(model);
    if (ImGui::Button("Frame all")) frame_all(model.view);
    tooltip("Shows the whole scene from this side (F)");
    next_in_line("Home");
    if (ImGui::Button("Home")) model.view.camera.home();
    tooltip("Returns to the scene's own camera");
    next_in_line("Copy as flags");
    if (ImGui::Button("Copy as flags")) copy_camera(model);
    tooltip("Puts the camera on the clipboard, for view, render and bench (Ctrl+C)");
    next_in_line("Paste");
    if (ImGui::Button("Paste")) paste_camera(model);
    tooltip("Takes a camera from flags on the clipboard (Ctrl+V)");
    draw_up_axis(model);
    for (std::size_t i = 0; i < std::size(kViewSides); ++i) {
        if (i > 0) next_in_line(kViewSides[i].title);
        if (ImGui::SmallButton(kViewSides[i].title)) show_side(model, static_cast<ViewSide>(i));
        tooltip(kViewSides[i].help);
    }
}

}  // namespace tl
