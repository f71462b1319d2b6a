#include <array>

#include "renderer/scene/generators/figures.h"
#include "renderer/scene/generators/generator_tools.h"

namespace tl {

BunnyColors add_bunny_colors(Scene& scene) {
    return {add_glossy(scene, "fur", {0.62f, 0.5f, 0.4f}, 0.03f, 15),
            add_glossy(scene, "white fur", {0.85f, 0.82f, 0.77f}, 0.03f, 15),
            add_glossy(scene, "pink", {0.75f, 0.36f, 0.34f}, 0.05f, 25),
            add_glossy(scene, "bunny's eye", {0.05f, 0.03f, 0.03f}, 0.3f, 120)};
}

ImplicitSurface bunny_figure(const BunnyColors& colors) {
    ImplicitSurface body;
    auto cone = [&](vec3 a, float ra, vec3 b, float rb, std::int32_t material, float blend) {
        body.add({a, b, ra, rb}, blend, material);
    };
    cone({0, 0.27f, -0.17f}, 0.25f, {0, 0.3f, 0.08f}, 0.19f, colors.fur, 0.1f);
    cone({0, 0.24f, 0.13f}, 0.155f, {0, 0.33f, 0.17f}, 0.12f, colors.white, 0.05f);
    cone({0, 0.55f, 0.22f}, 0.15f, {0, 0.52f, 0.31f}, 0.11f, colors.fur, 0.08f);
    cone({0, 0.24f, -0.43f}, 0.085f, {0, 0.27f, -0.45f}, 0.08f, colors.white, 0.02f);
    cone({0, 0.525f, 0.425f}, 0.02f, {0, 0.53f, 0.42f}, 0.02f, colors.pink, 0.005f);
    std::size_t first = body.size();
    cone({0.03f, 0.485f, 0.37f}, 0.05f, {0.035f, 0.49f, 0.36f}, 0.05f, colors.white, 0.02f);
    cone({0.105f, 0.585f, 0.315f}, 0.033f, {0.105f, 0.585f, 0.315f}, 0.033f, colors.eye, 0.004f);
    std::array<vec4, 4> ear{vec4(0.06f, 0.66f, 0.18f, 0.045f), vec4(0.1f, 0.8f, 0.12f, 0.062f),
                            vec4(0.13f, 0.95f, 0.03f, 0.055f), vec4(0.13f, 1.04f, -0.06f, 0.022f)};
    body.add_tube(ear, 12, 0.03f, colors.fur);
    for (auto& p : ear) p += vec4(0.008f, 0.002f, 0.034f, -0.016f);
    ear[3].w = 0.012f;
    body.add_tube(ear, 10, 0.01f, colors.pink);
    cone({0.19f, 0.22f, -0.2f}, 0.15f, {0.2f, 0.14f, -0.06f}, 0.115f, colors.fur, 0.06f);
    cone({0.2f, 0.05f, -0.16f}, 0.05f, {0.2f, 0.05f, 0.09f}, 0.055f, colors.fur, 0.04f);
    cone({0.11f, 0.27f, 0.17f}, 0.075f, {0.1f, 0.06f, 0.27f}, 0.05f, colors.fur, 0.05f);
    cone({0.1f, 0.055f, 0.27f}, 0.05f, {0.1f, 0.05f, 0.33f}, 0.045f, colors.white, 0.03f);
    body.mirror(first);
    return body;
}

}  // namespace tl
