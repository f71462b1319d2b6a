#include "renderer/scene/loaders/vertex_colors.h"

#include <algorithm>

#include "renderer/images/srgb.h"

namespace tl {

void decode_vertex_colors(std::span<vec3> colors) {
    float most = 0;
    for (vec3 color : colors)
        for (int k = 0; k < 3; ++k)
            if (color[k] > most) most = color[k];  // false for NaN
    float scale = most > 2 ? 1.0f / 255 : 1.0f;
    for (vec3& color : colors)
        for (int k = 0; k < 3; ++k) {
            float part = color[k] * scale;
            color[k] = part > 0 ? linear_from_srgb(std::min(part, 1.0f)) : 0.0f;
        }
}

vec3 unpacked_color(std::uint32_t packed) {
    return vec3(packed >> 16 & 255, packed >> 8 & 255, packed & 255) / 255.0f;
}

std::int32_t vertex_color_material(Scene& scene) {
    constexpr const char* kName = "vertex colors";
    if (scene.materials.empty() || scene.materials.back().name != kName) {
        Material& white = scene.materials.emplace_back();
        white.name = kName;
        white.diffuse = vec3(1);
    }
    return static_cast<std::int32_t>(scene.materials.size()) - 1;
}

}  // namespace tl
