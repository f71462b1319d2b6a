#include <imgui/imgui.h>

#include "app/panels/panels.h"
#include "app/panels/widgets/text.h"
#include "app/panels/widgets/widgets.h"
#include "app/viewer/actions/patch_views.h"
#include "app/viewer/viewer_model.h"

namespace tl {
namespace {

void draw_control_net_box(ViewerModel& model) {
    state_box(model, "Control net", model.view.net.shown,
              "Patch edges yellow, inner lines blue; 'Show hidden' in the tab Trees also "
              "applies",
              toggle_control_net);
}

void draw_uv_lines_box(ViewerModel& model) {
    state_box(model, "Lines of u and v", uv_lines(model) != "0",
              "Lines of equal u and v, drawn by the renderer 'Bezier patches' (setting 'Lines "
              "of u and v')",
              toggle_uv_lines);
}

}  // namespace

std::vector<PanelWidget> patch_view_widgets() {
    return {{"Control net", draw_control_net_box}, {"Lines of u and v", draw_uv_lines_box}};
}

void draw_patch_views_panel(ViewerModel& model) {
    draw_control_net_box(model);
    next_in_line("Lines of u and v");
    draw_uv_lines_box(model);
    if (!model.view.net.shown) return;
    auto& found = model.view.net.found;
    if (found.size() < found.n_total)
        ImGui::TextDisabled("nets of %s of %s patches: no more are drawn",
                            grouped(found.size()).c_str(), grouped(found.n_total).c_str());
    else
        ImGui::TextDisabled("nets of %s patches", grouped(found.size()).c_str());
}

}  // namespace tl
