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

void draw_heat_map_box(ViewerModel& model) {
    state_box(model, "Heat map", model.session.renderer_id() == "heat-map",
              "Cost of camera rays in the tree; its settings are the renderer's", toggle_heat_map);
}

void draw_boxes_box(ViewerModel& model) {
    state_box(model, "Boxes", model.view.boxes.shown,
              "The boxes of one level of the tree, over the picture (B)", toggle_boxes);
}

void draw_leaves_box(ViewerModel& model) {
    state_box(model, "All leaves", model.view.boxes.shown && model.view.boxes.leaves,
              "The boxes of all leaves, in place of those of one level (Shift+B)",
              toggle_leaf_boxes);
}

void draw_hidden_boxes_box(ViewerModel& model) {
    ImGui::Checkbox("Show hidden", &model.view.boxes.hidden_too);
    tooltip("Also the parts of boxes that something hides, faintly");
}

void draw_octree_box(ViewerModel& model) {
    state_box(model, "Octree of the points", model.view.boxes.shown && model.view.boxes.octree,
              "The boxes of an octree over the middles of spheres and splats, and vertices, "
              "in place of those of the scene's tree",
              toggle_octree_boxes);
}

void draw_box_level(ViewerModel& model) {
    auto& boxes = model.view.boxes;
    int level = boxes.level;
    next_width();
    int deepest = boxes.octree                     ? OctreeHeader::kLevels
                  : model.status.tree_report.stats ? model.status.tree_report.stats->depth
                                                   : kMaxTreeBoxLevel;
    if (ImGui::SliderInt("Level", &level, 0, deepest, "%d", ImGuiSliderFlags_AlwaysClamp)) {
        boxes.leaves = false;
        change_box_level(boxes, level - boxes.level);
    }
    tooltip("Level of the nodes whose boxes are drawn; 0 is the root (+, -)");
}

void draw_box_controls(ViewerModel& model) {
    auto& boxes = model.view.boxes;
    draw_boxes_box(model);
    next_in_line("All leaves");
    draw_leaves_box(model);
    next_in_line("Show hidden");
    draw_hidden_boxes_box(model);
    draw_octree_box(model);
    if (!boxes.shown) return;
    draw_box_level(model);
    auto& found = boxes.found[0];
    auto drawn = found.boxes.size();
    if (drawn < found.n_total)
        ImGui::TextDisabled("%s of %s boxes: no more are drawn", grouped(drawn).c_str(),
                            grouped(found.n_total).c_str());
    else
        ImGui::TextDisabled("%s boxes", grouped(drawn).c_str());
}

void toggle_two_trees(ViewerModel& model) {
    if (model.view.compare.second)
        end_comparison(model);
    else
        compare_trees(model);
}

void draw_two_trees_box(ViewerModel& model) {
    state_box(model, "Compare two trees", model.view.compare.second != nullptr,
              "A second copy of the scene with a tree of its own, built and traced every frame, "
              "right of the split",
              toggle_two_trees);
}

}  // namespace

std::vector<PanelWidget> tree_view_widgets() {
    return {{"Heat map", draw_heat_map_box},           {"Boxes", draw_boxes_box},
            {"All leaves", draw_leaves_box},           {"Show hidden", draw_hidden_boxes_box},
            {"Octree of the points", draw_octree_box}, {"Level of boxes", draw_box_level},
            {"Compare two trees", draw_two_trees_box}};
}

void draw_tree_views_panel(ViewerModel& model) {
    draw_heat_map_box(model);
    draw_box_controls(model);
    draw_two_trees_box(model);
    if (!model.view.compare.second) return;
    next_in_line("Side B...");
    if (ImGui::SmallButton("Side B...")) reveal_section(model, "compare");
    tooltip("Choose its builder, layout and all else, in the tab A/B");
}

}  // namespace tl
