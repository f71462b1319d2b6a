#include <imgui/imgui.h>

#include "app/panels/panels.h"
#include "app/panels/widgets/text.h"
#include "app/panels/widgets/widgets.h"
#include "app/viewer/actions/compare_actions.h"
#include "app/viewer/actions/tree_views.h"
#include "app/viewer/actions/viewer_actions.h"
#include "app/viewer/viewer_model.h"

namespace tl {
namespace {

void draw_box_controls(ViewerModel& model) {
    auto& boxes = model.view.boxes;
    bool shown = boxes.shown;
    if (ImGui::Checkbox("Boxes", &shown)) toggle_boxes(model);
    next_in_line("All leaves");
    bool leaves = boxes.shown && boxes.leaves;
    if (ImGui::Checkbox("All leaves", &leaves)) toggle_leaf_boxes(model);
    next_in_line("Show hidden");
    ImGui::Checkbox("Show hidden", &boxes.hidden_too);
    bool octree = boxes.shown && boxes.octree;
    if (ImGui::Checkbox("Octree of the points", &octree)) toggle_octree_boxes(model);
    tooltip(
        "The boxes of an octree over the middles of spheres and splats, and vertices, in place of\n"
        "those of the scene's tree");
    if (!boxes.shown) return;
    int level = boxes.level;
    next_width();
    int deepest = boxes.octree                     ? OctreeHeader::kLevels
                  : model.status.tree_report.stats ? model.status.tree_report.stats->depth
                                                   : kMaxTreeBoxLevel;
    if (ImGui::SliderInt("Level", &level, 0, deepest, "%d", ImGuiSliderFlags_AlwaysClamp)) {
        boxes.leaves = false;
        change_box_level(boxes, level - boxes.level);
    }
    auto& found = boxes.found[0];
    auto drawn = found.boxes.size();
    if (drawn < found.n_total)
        ImGui::TextDisabled("%s of %s boxes: no more are drawn", grouped(drawn).c_str(),
                            grouped(found.n_total).c_str());
    else
        ImGui::TextDisabled("%s boxes", grouped(drawn).c_str());
}

}  // namespace

void draw_tree_views_panel(ViewerModel& model) {
    bool heat = model.session.renderer_id() == "heat-map";
    if (ImGui::Checkbox("Heat map", &heat)) toggle_heat_map(model);
    tooltip("Cost of camera rays in the tree; its settings are the renderer's");
    draw_box_controls(model);
    bool comparing = model.view.compare.second != nullptr;
    if (ImGui::Checkbox("Compare two trees", &comparing)) {
        if (comparing)
            compare_trees(model);
        else
            end_comparison(model);
    }
    tooltip(
        "A second copy of the scene with a tree of its own, built and traced\n"
        "every frame, right of the split");
    if (!model.view.compare.second) return;
    next_in_line("Side B...");
    if (ImGui::SmallButton("Side B...")) reveal_section(model, "compare");
    tooltip("Choose its builder, layout and all else, in the tab A/B");
}

}  // namespace tl
