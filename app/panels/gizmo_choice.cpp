#include <imgui/imgui.h>

#include "app/panels/panels.h"
#include "app/panels/widgets/widgets.h"
#include "app/viewer/actions/gizmo_actions.h"
#include "app/viewer/actions/scene_actions.h"
#include "app/viewer/viewer_model.h"

namespace tl {
namespace {

void draw_gizmo_modes(ViewerModel& model) {
    struct Choice {
        GizmoMode mode;
        const char *title, *help;
    };
    constexpr Choice kChoices[] = {
        {GizmoMode::move, "Move##handles", "Arrows and planes in the picture move it (Shift+G)."},
        {GizmoMode::rotate, "Rotate##handles", "Rings in the picture rotate it (Shift+R)."},
        {GizmoMode::scale, "Scale##handles", "Axes in the picture scale it (Shift+T)."}};
    auto& view = model.view.gizmo;
    for (auto& [mode, title, help] : kChoices) {
        if (mode != GizmoMode::move) next_in_line(title);
        if (ImGui::RadioButton(title, view.mode == mode)) toggle_gizmo(model, mode);
        tooltip(std::string(help) +
                " While a handle is dragged, Ctrl snaps, Shift moves finely, and Esc cancels.");
    }
}

void draw_local_axes_box(ViewerModel& model) {
    ImGui::Checkbox("Local axes", &model.view.gizmo.local);
    tooltip(
        "Handles along the object's own axes, else along those of the scene (Shift+L); scales "
        "always go along its own.");
}

void draw_snapping_box(ViewerModel& model) {
    ImGui::Checkbox("Snapping", &model.view.gizmo.snaps);
    tooltip(
        "Handles go in whole steps: 15 degrees, a tenth of the size, or a tenth of the unit that "
        "suits the object (Alt+G). Ctrl, held, does the opposite.");
}

bool has_handles(const ViewerModel& model) {
    auto& selection = model.document.selection;
    return can_edit(model) && (selection.object || selection.light);
}

}  // namespace

std::vector<PanelWidget> gizmo_widgets() {
    return {{"Handles (gizmo): move, rotate, scale", draw_gizmo_modes, has_handles},
            {"Handles (gizmo): local axes", draw_local_axes_box, has_handles},
            {"Handles (gizmo): snapping", draw_snapping_box, has_handles}};
}

void draw_gizmo_choice(ViewerModel& model) {
    draw_gizmo_modes(model);
    next_in_line("Local axes");
    draw_local_axes_box(model);
    next_in_line("Snapping");
    draw_snapping_box(model);
}

}  // namespace tl
