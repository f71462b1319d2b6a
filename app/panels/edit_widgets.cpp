#include "app/panels/edit_widgets.h"

#include <imgui/imgui.h>

#include <algorithm>
#include <string>

#include "app/panels/widgets.h"

namespace tl {
namespace {

/// Draws a widget of three numbers over the value that it has while it is held.
template <class Draw>
bool hold(const char* label, vec3& value, Draw draw) {
    static struct {
        ImGuiID id = 0;
        vec3 value{0};
    } held;
    ImGuiID id = ImGui::GetID(label);
    if (held.id == id) value = held.value;
    next_width();
    bool changed = draw();
    if (ImGui::IsItemActive())
        held = {id, value};
    else if (held.id == id)
        held = {};
    return changed;
}

}  // namespace

bool drag_vector(const char* label, vec3& value, float speed) {
    constexpr float kFarthest = 1e6f;
    return hold(label, value, [&] {
        return ImGui::DragFloat3(label, &value.x, speed, -kFarthest, kFarthest, "%.4g",
                                 ImGuiSliderFlags_AlwaysClamp);
    });
}

bool drag_number(const char* label, float& value, float speed, float least, float most,
                 const char* format) {
    vec3 as_vector(value, 0, 0);
    bool changed = hold(label, as_vector, [&] {
        return ImGui::DragFloat(label, &as_vector.x, speed, least, most, format,
                                ImGuiSliderFlags_AlwaysClamp);
    });
    value = as_vector.x;
    return changed;
}

bool slide_number(const char* label, float& value, float least, float most) {
    vec3 as_vector(value, 0, 0);
    bool changed = hold(label, as_vector, [&] {
        return ImGui::SliderFloat(label, &as_vector.x, least, most, "%.3f",
                                  ImGuiSliderFlags_AlwaysClamp);
    });
    value = as_vector.x;
    return changed;
}

bool edit_color(const char* label, vec3& color) {
    bool changed = hold(label, color, [&] {
        return ImGui::ColorEdit3(label, &color.x, ImGuiColorEditFlags_Float);
    });
    color = glm::clamp(color, vec3(0), vec3(1));
    return changed;
}

bool edit_radiance(const char* label, vec3& radiance) {
    constexpr float kBrightest = 1e6f;
    ImGui::PushID(label);
    float strength = std::max({radiance.x, radiance.y, radiance.z});
    vec3 color = strength > 0 ? radiance / strength : vec3(1);
    bool recolored = edit_color("colour", color);
    float speed = std::max(strength, 0.1f) / 100;
    bool changed = drag_number(label, strength, speed, 0, kBrightest);
    ImGui::PopID();
    if (recolored) {
        // The strength is the largest of the three.
        float most = std::max({color.x, color.y, color.z});
        if (most > 0) color /= most;
    }
    if (recolored || changed) radiance = color * strength;
    return recolored || changed;
}

}  // namespace tl
