#include "app/panels/widgets/edit_widgets.h"

#include <imgui/imgui.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

#include "app/panels/widgets/widgets.h"

namespace tl {
namespace {

/// Help texts of scene parameters, by label.
constexpr std::pair<std::string_view, const char*> kHelp[] = {
    {"absorption", "Of light within the glass, 1/m, for red, green and blue"},
    {"background", "Radiance of rays that leave the scene, W/(sr m^2)"},
    {"coat", "Fraction of the surface under a clear coat"},
    {"coat roughness", "Roughness of the clear coat, 0 to 1"},
    {"colour", "Diffuse reflectance, red, green and blue"},
    {"direction", "The way that the light goes"},
    {"eye", "Position of the camera, in the scene's coordinates"},
    {"emission", "Emitted radiance, W/(sr m^2); 0: none"},
    {"exponent", "Sharpness of the gloss: larger is sharper"},
    {"inner angle", "From the axis to where the light begins to fall off, degrees"},
    {"intensity", "Strength of the light, W/sr; of an environment, a factor"},
    {"IOR", "Index of refraction: 1.33 is water, 1.5 is glass"},
    {"irradiance", "On a surface that faces the light, W/m^2"},
    {"metallic", "Fraction of the surface that is metal"},
    {"move", "Along x, y and z, from where the object was"},
    {"outer angle", "From the axis to the edge of the cone of light, degrees"},
    {"position", "Of the light; a corner of a rectangle, the centre of a sphere"},
    {"radiance", "Of the lamp's surface, W/(sr m^2)"},
    {"radius", "Of the lamp"},
    {"reflection", "Specular reflectance, red, green and blue"},
    {"rotation", "Of the environment map about the axis y, degrees"},
    {"roughness",
     "0 is polished, 1 is dull; the Whitted tracer shows mirrors and glass as polished"},
    {"scale", "Times that of the object as it was"},
    {"scale of axes", "The same along each of the object's own axes"},
    {"target", "Point in the middle of the view, about which drags orbit"},
    {"transmission", "Tint of the light that passes the glass"},
    {"transmitted", "Fraction of the rest that is a thin clear sheet"},
    {"rotate", "Degrees about x, then y, then z, about the middle of the object"},
};

/// Shows the help of the widget drawn last while the cursor is over it.
void explain(std::string_view label) {
    for (auto& [explained, help] : kHelp)
        if (explained == label) tooltip(help);
    if (label.ends_with(" colour")) tooltip("Hue of the light; its strength is the next value");
}

/// Draws a widget of three numbers. While the user holds it, it keeps its own value.
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
    explain(label);
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
        auto& style = ImGui::GetStyle();
        float field = (ImGui::CalcItemWidth() - 2 * style.ItemInnerSpacing.x) / 3;
        bool fits = ImGui::CalcTextSize("-0.0000").x + 2 * style.FramePadding.x < field;
        // Numbers from 1000 on would get an exponent.
        bool large = std::max({std::abs(value.x), std::abs(value.y), std::abs(value.z)}) >= 1000;
        return ImGui::DragFloat3(capitalised(label).c_str(), &value.x, speed, -kFarthest, kFarthest,
                                 fits || large ? "%.4g" : "%.3g", ImGuiSliderFlags_AlwaysClamp);
    });
}

bool drag_number(const char* label, float& value, float speed, float least, float most,
                 const char* format) {
    vec3 as_vector(value, 0, 0);
    bool changed = hold(label, as_vector, [&] {
        return ImGui::DragFloat(capitalised(label).c_str(), &as_vector.x, speed, least, most,
                                format, ImGuiSliderFlags_AlwaysClamp);
    });
    value = as_vector.x;
    return changed;
}

bool slide_number(const char* label, float& value, float least, float most, const char* format) {
    vec3 as_vector(value, 0, 0);
    bool changed = hold(label, as_vector, [&] {
        return ImGui::SliderFloat(capitalised(label).c_str(), &as_vector.x, least, most, format,
                                  ImGuiSliderFlags_AlwaysClamp);
    });
    value = as_vector.x;
    return changed;
}

bool slide_angle(const char* label, float& value, float least, float most) {
    return slide_number(label, value, least, most, "%.1f deg");
}

bool edit_color(const char* label, vec3& color) {
    bool changed = hold(label, color, [&] {
        return ImGui::ColorEdit3(capitalised(label).c_str(), &color.x, ImGuiColorEditFlags_Float);
    });
    color = glm::clamp(color, vec3(0), vec3(1));
    return changed;
}

bool edit_radiance(const char* label, vec3& radiance) {
    constexpr float kBrightest = 1e6f;
    ImGui::PushID(label);
    float strength = std::max({radiance.x, radiance.y, radiance.z});
    vec3 color = strength > 0 ? radiance / strength : vec3(1);
    bool recolored = edit_color((label + std::string(" colour")).c_str(), color);
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
