// Handles of the selected object, over the picture.
#include <imgui/imgui.h>

#include <string>

#include "app/panels/panels.h"
#include "app/viewer/viewer_model.h"

namespace tl {
namespace {

constexpr ImU32 kOutline = IM_COL32(0, 0, 0, 150);
const ImVec4 kAxisColors[] = {{0.94f, 0.27f, 0.30f, 1},
                              {0.45f, 0.80f, 0.20f, 1},
                              {0.26f, 0.55f, 0.98f, 1}},
             kMiddleColor{0.92f, 0.92f, 0.92f, 1}, kHoveredColor{1, 0.86f, 0.20f, 1};

/// Colours and width of a handle; fainter while another one is dragged.
struct HandleLook {
    ImU32 line, area;
    float width;  ///< pixels
};

HandleLook look_of(const GizmoView& view, GizmoHandle handle, float scale) {
    auto axis = axis_of(handle);
    ImVec4 color = axis ? kAxisColors[*axis] : kMiddleColor;
    bool hovered = handle == view.hovered;
    if (hovered) color = kHoveredColor;
    if (!hovered && view.drag) color.w = 0.25f;
    ImVec4 area = color;
    area.w *= hovered ? 0.65f : 0.4f;
    return {ImGui::GetColorU32(color), ImGui::GetColorU32(area), (hovered ? 3.5f : 2.5f) * scale};
}

ImVec2 corner(vec2 pixel) {
    return {pixel.x, pixel.y};
}

std::vector<ImVec2> corners_of(const GizmoShape& shape) {
    std::vector<ImVec2> points;
    for (auto& pixel : shape.points) points.push_back(corner(pixel));
    return points;
}

/// Draws the end of an axis: an arrow that moves, a box that scales.
void draw_tip(ImDrawList& list, const GizmoShape& shape, GizmoMode mode, ImU32 color, float scale) {
    vec2 end = shape.points.back(), way = glm::normalize(end - shape.points.front());
    float r = 5 * scale;
    if (mode == GizmoMode::scale)
        return list.AddRectFilled(corner(end - r), corner(end + r), color, scale);
    vec2 side(-way.y, way.x);
    list.AddTriangleFilled(corner(end + 2.4f * r * way), corner(end - r * side),
                           corner(end + r * side), color);
}

void draw_handle(ImDrawList& list, const GizmoView& view, const GizmoShape& shape, float scale) {
    auto look = look_of(view, shape.handle, scale);
    auto points = corners_of(shape);
    auto n = static_cast<int>(points.size());
    if (shape.is_area) {
        list.AddConvexPolyFilled(points.data(), n, look.area);
        return list.AddPolyline(points.data(), n, look.line, ImDrawFlags_Closed, 1.5f * scale);
    }
    list.AddPolyline(points.data(), n, kOutline, 0, look.width + 2 * scale);
    list.AddPolyline(points.data(), n, look.line, 0, look.width);
    auto mode = view.shown->gizmo.mode;
    if (mode != GizmoMode::rotate && axis_of(shape.handle))
        draw_tip(list, shape, mode, look.line, scale);
}

/// Writes the amount of the change beside the handles.
void draw_amount(ImDrawList& list, const GizmoView& view, float scale) {
    auto& gizmo = view.shown->gizmo;
    auto middle = view.shown->projection.pixel_of(gizmo.origin);
    if (!middle) return;
    auto text = view.drag->change.text(gizmo.mode);
    ImVec2 at(middle->x + 14 * scale, middle->y + 14 * scale),
        size = ImGui::CalcTextSize(text.c_str());
    float pad = 4 * scale;
    list.AddRectFilled(ImVec2(at.x - pad, at.y - pad),
                       ImVec2(at.x + size.x + pad, at.y + size.y + pad), IM_COL32(16, 18, 22, 200),
                       pad);
    list.AddText(at, IM_COL32(255, 220, 90, 255), text.c_str());
}

}  // namespace

void draw_gizmo(const ViewerModel& model, float scale) {
    auto& view = model.view.gizmo;
    if (!view.shown) return;
    auto& list = *ImGui::GetBackgroundDrawList();
    for (auto& shape : view.shown->shapes) draw_handle(list, view, shape, scale);
    if (view.drag && view.drag->moved) draw_amount(list, view, scale);
}

}  // namespace tl
