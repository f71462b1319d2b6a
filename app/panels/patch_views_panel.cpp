#include <imgui/imgui.h>

#include "app/panels/panels.h"
#include "app/panels/widgets/text.h"
#include "app/panels/widgets/widgets.h"
#include "app/viewer/actions/patch_views.h"
#include "app/viewer/viewer_model.h"

namespace tl {
namespace {

void draw_control_net_box(ViewerModel& model) {
    bool shown = model.view.net.shown;
    if (ImGui::Checkbox("Control net", &shown)) toggle_control_net(model);
    tooltip("Patch edges yellow, inner lines blue; 'Show hidden' in the tab Trees also applies");
}

void draw_uv_lines_box(ViewerModel& model) {
    bool lines = uv_lines(model) != "0";
    if (ImGui::Checkbox("Lines of u and v", &lines)) toggle_uv_lines(model);
    tooltip(
        "Lines of equal u and v, drawn by the renderer 'Bezier patches' (setting 'Lines of u and "
        "v')");
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
