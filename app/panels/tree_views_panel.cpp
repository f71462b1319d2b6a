#include <imgui/imgui.h>

#include "app/panels/choice_list.h"
#include "app/panels/panels.h"
#include "app/panels/settings_widgets.h"
#include "app/panels/text.h"
#include "app/panels/widgets.h"
#include "app/viewer/tree_views.h"

namespace tl {
namespace {

void draw_box_controls(ViewerModel& model) {
    auto& boxes = model.boxes;
    bool shown = boxes.shown;
    if (ImGui::Checkbox("boxes", &shown)) toggle_boxes(model);
    ImGui::SameLine();
    bool leaves = boxes.shown && boxes.leaves;
    if (ImGui::Checkbox("all leaves", &leaves)) toggle_leaf_boxes(model);
    ImGui::SameLine();
    ImGui::Checkbox("hidden edges", &boxes.hidden_too);
    if (!boxes.shown) return;
    int level = boxes.level;
    next_width();
    int deepest = model.tree.stats ? model.tree.stats->depth : kMaxTreeBoxLevel;
    if (ImGui::SliderInt("level", &level, 0, deepest, "%d", ImGuiSliderFlags_AlwaysClamp)) {
        boxes.leaves = false;
        change_box_level(model, level - boxes.level);
    }
    auto& found = boxes.found[0];
    auto drawn = found.boxes.size();
    if (drawn < found.n_total)
        ImGui::TextDisabled("%s of %s boxes: no more are drawn", grouped(drawn).c_str(),
                            grouped(found.n_total).c_str());
    else
        ImGui::TextDisabled("%s boxes", grouped(drawn).c_str());
}

void draw_second_tree(ViewerModel& model) {
    auto& compare = model.compare;
    auto& second = compare.second->session();
    auto chosen =
        choose_row("tree B", tree_builders(), second.builder_id(), second.device().kind());
    for (auto kind : {SectionKind::builder, SectionKind::tree})
        draw_settings(model, second.section(kind), change_second_setting);

    ImGui::Checkbox("difference", &compare.difference);
    if (compare.difference) {
        next_width();
        ImGui::SliderFloat("times", &compare.gain, 1, 1000, "%.0f",
                           ImGuiSliderFlags_AlwaysClamp | ImGuiSliderFlags_Logarithmic);
    }
    if (auto& difference = compare.second->difference())
        ImGui::TextDisabled("%s pixels differ, by %.2g at most",
                            grouped(difference->n_differing).c_str(),
                            static_cast<double>(difference->largest));
    ImGui::TextDisabled("tree B holds %s of device memory",
                        byte_text(second.live_scene().bytes()).c_str());
    if (!chosen.empty()) compare_with(model, chosen);
}

}  // namespace

void draw_tree_views_panel(ViewerModel& model) {
    bool heat = model.session.renderer_id() == "heat-map";
    if (ImGui::Checkbox("heat map", &heat)) toggle_heat_map(model);
    tooltip("Cost of camera rays in the tree; its settings are the renderer's");
    draw_box_controls(model);
    bool comparing = model.compare.second != nullptr;
    if (ImGui::Checkbox("compare two trees", &comparing)) toggle_comparison(model);
    tooltip(
        "A second copy of the scene with a tree of its own, built and traced\n"
        "every frame, right of the split");
    ImGui::PushID("second");
    if (model.compare.second) draw_second_tree(model);
    ImGui::PopID();
}

}  // namespace tl
