// Over the picture, whether or not the panel is there: the split between two trees and what each of
// them takes.
#include <imgui/imgui.h>

#include <algorithm>
#include <cstdio>

#include "app/panels/panels.h"
#include "app/viewer/input_router.h"

namespace tl {
namespace {

constexpr ImU32 kPlate = IM_COL32(16, 18, 22, 200), kText = IM_COL32(227, 229, 232, 255);

/// "A  LBVH, bvh2" and "build 0.412 ms, trace 3.20 ms, 281 Mrays/s".
struct Label {
    std::string title, times;
};

Label label_of(const char* side, Session& session, const FrameStatistics& statistics) {
    std::string title = session.builder_id();
    for (auto& row : tree_builders())
        if (row.id == session.builder_id()) title = row.title;
    auto settings = session.tree_settings();
    title =
        std::string(side) + "   " + title + ", " + find_setting(settings, "layout", "tree").text();
    auto build = static_cast<double>(statistics.mean_of("build tree"));
    auto trace = static_cast<double>(statistics.mean_of("trace and shade"));
    char text[128];
    int used = std::snprintf(text, sizeof text, "build %.3f ms   trace %.3f ms", build, trace);
    if (statistics.rays_per_frame > 0 && trace > 0)
        std::snprintf(text + used, sizeof text - static_cast<std::size_t>(used), "   %.1f Mrays/s",
                      static_cast<double>(statistics.rays_per_frame) / trace / 1000);
    return {title, text};
}

/// At the upper left of `x`, or with its right edge there.
void draw_label(const Label& label, ImVec2 at, bool right, float scale) {
    auto& list = *ImGui::GetBackgroundDrawList();
    ImVec2 title = ImGui::CalcTextSize(label.title.c_str());
    ImVec2 times = ImGui::CalcTextSize(label.times.c_str());
    float pad = 6 * scale, line = ImGui::GetTextLineHeight() * 1.2f;
    float width = std::max(title.x, times.x) + 2 * pad, height = line + times.y + 2 * pad;
    if (right) at.x -= width;
    list.AddRectFilled(at, ImVec2(at.x + width, at.y + height), kPlate, 4 * scale);
    list.AddText(ImVec2(at.x + pad, at.y + pad), kText, label.title.c_str());
    list.AddText(ImVec2(at.x + pad, at.y + pad + line), kText, label.times.c_str());
}

void draw_split(const ViewerModel& model, float scale) {
    auto& picture = model.layout.picture;
    float x =
        static_cast<float>(picture.x) + model.compare.split * static_cast<float>(picture.width);
    auto top = static_cast<float>(picture.y);
    float bottom = top + static_cast<float>(picture.height), middle = (top + bottom) / 2;
    bool hovered = on_split(model);
    auto& list = *ImGui::GetBackgroundDrawList();
    ImU32 color = hovered ? IM_COL32(255, 255, 255, 255) : IM_COL32(235, 235, 235, 190);
    list.AddLine(ImVec2(x, top), ImVec2(x, bottom), IM_COL32(0, 0, 0, 140), 3 * scale);
    list.AddLine(ImVec2(x, top), ImVec2(x, bottom), color, hovered ? 2 * scale : scale);
    float r = 5 * scale;
    for (float way : {-1.0f, 1.0f})
        list.AddTriangleFilled(ImVec2(x + way * 2.2f * r, middle), ImVec2(x + way * r, middle - r),
                               ImVec2(x + way * r, middle + r), color);
}

}  // namespace

void draw_picture_overlay(ViewerModel& model, float scale) {
    auto& picture = model.layout.picture;
    if (picture.width <= 0 || picture.height <= 0) return;
    float lift = draw_motion_bar(model, scale);
    auto& list = *ImGui::GetBackgroundDrawList();
    auto left = static_cast<float>(picture.x), top = static_cast<float>(picture.y);
    auto right = left + static_cast<float>(picture.width);
    list.PushClipRect(ImVec2(left, top), ImVec2(right, top + static_cast<float>(picture.height)));
    if (auto& second = model.compare.second) {
        float gap = 8 * scale;
        if (!model.compare.difference) draw_split(model, scale);
        draw_label(label_of("A", model.session, model.statistics), ImVec2(left + gap, top + gap),
                   false, scale);
        draw_label(label_of("B", second->session(), second->statistics),
                   ImVec2(right - gap, top + gap), true, scale);
    }
    draw_legend(model, scale, lift);
    list.PopClipRect();
}

}  // namespace tl
