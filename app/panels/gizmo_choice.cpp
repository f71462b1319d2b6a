#include <imgui/imgui.h>

#include "app/panels/panels.h"
#include "app/panels/widgets/widgets.h"
#include "app/viewer/actions/gizmo_actions.h"
#include "app/viewer/viewer_model.h"

namespace tl {

void draw_gizmo_choice(ViewerModel& model) {
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
    next_in_line("Local axes");
    ImGui::Checkbox("Local axes", &view.local);
    tooltip(
        "Handles along the object's own axes, else along those of the scene (Shift+L); scales "
        "always go along its own.");
}

}  // namespace tl
