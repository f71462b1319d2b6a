// Crosses at the cursor, while a click is to set a part of the camera, and at the point that the
// camera orbits.
#include <imgui/imgui.h>

#include <algorithm>

#include "app/panels/panels.h"
#include "app/viewer/actions/camera_actions.h"
#include "app/viewer/viewer_model.h"

namespace tl {
namespace {

/// Draws a cross with a gap in the middle, of this radius.
void draw_cross(ImDrawList& list, vec2 at, float radius, ImU32 color, float width) {
    for (vec2 way : {vec2(1, 0), vec2(-1, 0), vec2(0, 1), vec2(0, -1)}) {
        vec2 from = at + 0.3f * radius * way, to = at + radius * way;
        list.AddLine(ImVec2(from.x, from.y), ImVec2(to.x, to.y), color, width);
    }
}

void draw_outlined_cross(vec2 at, float radius, ImU32 color, float scale) {
    auto& list = *ImGui::GetBackgroundDrawList();
    draw_cross(list, at, radius, IM_COL32(0, 0, 0, 190), 3 * scale);
    draw_cross(list, at, radius, color, 1.5f * scale);
}

}  // namespace

void draw_picking(const ViewerModel& model, float scale) {
    auto& view = model.view;
    constexpr ImU32 kPivot = IM_COL32(255, 160, 60, 255), kCursor = IM_COL32(255, 255, 255, 255);
    if (view.camera.has_pivot()) {
        PictureProjection projection(view.pixel.shown, view.layout.picture);
        if (auto at = projection.pixel_of(view.camera.pivot()))
            draw_outlined_cross(*at, 9 * scale, kPivot, scale);
    }
    if (view.pixel.picks == PickPurpose::none || ImGui::GetIO().WantCaptureMouse) return;
    draw_outlined_cross(view.cursor, 14 * scale, kCursor, scale);
    auto text = pick_hint(view.pixel.picks);
    ImVec2 at(view.cursor.x + 12 * scale, view.cursor.y + 12 * scale);
    auto size = ImGui::CalcTextSize(text.c_str());
    auto& picture = view.layout.picture;
    at.x = std::min(at.x, static_cast<float>(picture.x + picture.width) - size.x - 8 * scale);
    auto& list = *ImGui::GetBackgroundDrawList();
    float pad = 4 * scale;
    list.AddRectFilled(ImVec2(at.x - pad, at.y - pad),
                       ImVec2(at.x + size.x + pad, at.y + size.y + pad), IM_COL32(16, 18, 22, 200),
                       pad);
    list.AddText(at, kCursor, text.c_str());
}

}  // namespace tl
