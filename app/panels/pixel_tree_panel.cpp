#include <imgui/imgui.h>

#include <cmath>

#include "app/panels/panels.h"
#include "app/panels/widgets/widgets.h"
#include "app/viewer/viewer_model.h"

namespace tl {
namespace {

const char* name_of(const PixelTree::Node& node) {
    switch (node.state) {
        case PixelTree::State::miss:
            return "leaves the scene";
        case PixelTree::State::leaf:
            // A ray into an environment map is a leaf at infinite distance.
            return std::isinf(node.distance) ? "leaves the scene" : "lit surface";
        case PixelTree::State::reflection:
            return "one ray continues";
        case PixelTree::State::refraction:
            return "reflected and refracted";
    }
    return "";
}

void show_details(const PixelTree::Node& node) {
    auto text = [](const char* name, vec3 v) {
        ImGui::Text("%s %.4g, %.4g, %.4g", name, static_cast<double>(v.x), static_cast<double>(v.y),
                    static_cast<double>(v.z));
    };
    ImGui::BeginTooltip();
    text("weight in the ray before", node.weight);
    text("weight in the pixel", node.in_pixel);
    text("radiance, W/(sr m^2)", node.radiance);
    ImGui::Text("%u %s here and below, with shadow rays", node.n_rays,
                node.n_rays == 1 ? "ray" : "rays");
    if (node.state == PixelTree::State::leaf && !std::isinf(node.distance))
        ImGui::Text("hit after %.4g", static_cast<double>(node.distance));
    ImGui::EndTooltip();
}

/// Draws a node and its subtree; returns the index after them.
std::size_t draw_node(const std::vector<PixelTree::Node>& nodes, std::size_t i, bool visible) {
    auto& node = nodes[i];
    bool open = false;
    if (visible) {
        ImGui::TableNextRow();
        ImGui::TableNextColumn();
        int flags = ImGuiTreeNodeFlags_DefaultOpen | ImGuiTreeNodeFlags_SpanFullWidth;
        if (node.n_children == 0)
            flags |= ImGuiTreeNodeFlags_Leaf | ImGuiTreeNodeFlags_NoTreePushOnOpen;
        ImGui::PushID(static_cast<int>(i));
        open = ImGui::TreeNodeEx("node", flags, "%s", name_of(node));
        ImGui::PopID();
        if (ImGui::IsItemHovered()) show_details(node);
        ImGui::TableNextColumn();
        vec3 w = node.weight;
        ImGui::Text("%.3f", static_cast<double>(0.2126f * w.x + 0.7152f * w.y + 0.0722f * w.z));
        ImGui::TableNextColumn();
        vec3 shown = glm::sqrt(glm::clamp(node.radiance, vec3(0), vec3(1)));
        ImGui::PushID(static_cast<int>(i));
        ImGui::ColorButton("radiance", ImVec4(shown.x, shown.y, shown.z, 1),
                           ImGuiColorEditFlags_NoTooltip | ImGuiColorEditFlags_NoDragDrop,
                           ImVec2(ImGui::GetTextLineHeight() * 2, ImGui::GetTextLineHeight()));
        ImGui::PopID();
    }
    std::size_t next = i + 1;
    for (int k = 0; k < node.n_children; ++k) next = draw_node(nodes, next, open);
    if (open && node.n_children > 0) ImGui::TreePop();
    return next;
}

}  // namespace

void draw_pixel_tree_panel(ViewerModel& model) {
    auto& view = model.view.pixel_tree;
    view.wanted = model.view.pixel.wanted = true;
    if (view.tree.nodes.empty()) {
        ImGui::TextWrapped(
            "%s",
            model.session.renderer_id() == "whitted"
                ? "Move the cursor over the picture to see the rays of a pixel; a click pins it."
                : "Only the Whitted ray tracer records the rays of a pixel: choose it in the tab "
                  "Render.");
        return;
    }
    draw_pin(model.view.pixel);
    ImGui::TextDisabled("pixel %d, %d", view.x, view.y);
    constexpr ImGuiTableFlags kFlags = ImGuiTableFlags_RowBg | ImGuiTableFlags_SizingFixedFit;
    if (!ImGui::BeginTable("rays", 3, kFlags)) return;
    ImGui::TableSetupColumn("ray", ImGuiTableColumnFlags_WidthStretch);
    ImGui::TableSetupColumn("weight");
    ImGui::TableSetupColumn("light");
    draw_column_names();
    draw_node(view.tree.nodes, 0, true);
    ImGui::EndTable();
}

}  // namespace tl
