// Light between points through dielectrics that absorb, beside a closed formula and the path
// tracer.
#include <gtest/gtest.h>

#include "renderer/scene/generators/generator_tools.h"
#include "tests/image/radiosity_scenes.h"
#include "tests/long_test.h"

namespace tl::radiosity_dielectrics_tests {
namespace {

using test::figures_of;
using test::kModes;
using test::render_radiance;

/// The furnace within a ball of absorbing liquid. Diffusely reflected light of a sphere's wall
/// returns to it after 2 r c, c = cos(theta). Its mean transmittance is that of exp(-sigma 2 r c),
/// with 2 c as the density of c.
TEST(Radiosity, AFurnaceOfColouredLiquidAbsorbsEveryBounce) {
    TL_LONG_TEST();
    const vec3 absorption(0.2f, 1, 0.02f), albedo(0.5f, 0.25f, 0.75f);
    for (Device* device : devices())
        for (const char* mode : kModes) {
            auto scene = test::with_renderer(test::furnace(), "6000");
            scene->camera = {{0, 0, 0}, {0.3f, 0.2f, 1}, {0, 1, 0}, 100};
            Material liquid;
            liquid.kind = MaterialKind::dielectric;
            liquid.ior = 1.33f;
            liquid.absorption = absorption;
            scene->materials.push_back(liquid);
            scene->spheres.push_back({{0, 0, 0}, 1.2f, 1});
            scene->settings["radiosity"]["mode"] = mode;
            scene->settings["radiosity"]["bounces"] = "64";
            vec3 seen = test::mean_of(render_radiance(*device, scene, {16, 16}, 4));
            for (int c = 0; c < 3; ++c) {
                float once = std::exp(-absorption[c]), x = 2 * absorption[c];
                float chord = 2 * (1 - std::exp(-x) * (1 + x)) / (x * x);
                float expected = once * once * albedo[c] / (1 - albedo[c] * chord);
                EXPECT_NEAR(seen[c] / expected, 1, 0.01f)
                    << device->name() << ", " << mode << ", colour " << c;
            }
            scene->settings["radiosity"]["check-points"] = "100";
            auto figures = figures_of(*device, scene);
            ASSERT_EQ(figures.size(), 4u);
            EXPECT_LT(figures[0].share, 0.01) << figures[0].name << ", " << mode;
        }
}

/// Mean radiance of the dark one of two rooms with an absorbing pane of 0.1 m between them.
vec3 radiance_behind_pane(Device& device, const char* renderer, const char* mode, vec3 absorption) {
    auto scene = std::make_shared<Scene>();
    Material white, glass, lamp;
    white.diffuse = vec3(0.7f);
    glass.kind = MaterialKind::dielectric;
    glass.ior = 1.01f;  // so that next to nothing is reflected or bent
    glass.absorption = absorption;
    lamp.diffuse = vec3(0);
    lamp.emission = vec3(20);
    scene->materials = {white, glass, lamp};
    Mesh boxes;
    add_box(boxes, {-2, 0, -1}, {2, 2, 1}, 0);
    add_box(boxes, {-0.05f, -0.1f, -1.1f}, {0.05f, 2.1f, 1.1f}, 1);
    add_box(boxes, {-1.6f, 1.5f, -0.4f}, {-0.8f, 1.52f, 0.4f}, 2);
    // No light of the lamp comes straight through the pane.
    add_box(boxes, {-0.7f, 0, -1}, {-0.6f, 2, 0.6f}, 0);
    scene->meshes = {boxes};
    scene->camera = {{0.2f, 1, 0.9f}, {2, 0.9f, -0.4f}, {0, 1, 0}, 70};
    scene->settings["render"]["renderer"] = renderer;
    scene->settings["path"]["max-depth"] = "64";
    scene->settings["radiosity"]["points"] = "6000";
    scene->settings["radiosity"]["mode"] = mode;
    scene->settings["radiosity"]["bounces"] = "64";
    bool is_path = std::string(renderer) == "path";
    return test::mean_of(render_radiance(device, scene, {24, 24}, is_path ? 2048 : 16));
}

/// A pane that transmits 90, 67 and 37 % of perpendicular light. Mode direct knows the
/// transmittance between each pair of points; 6,000 points lose 3 to 5 % of the light in any
/// colour.
TEST(Radiosity, LightBetweenPointsIsColouredByAPane) {
    TL_LONG_TEST();
    const vec3 absorption(1, 4, 10);
    vec3 expected = radiance_behind_pane(*devices()[0], "path", "fmm", absorption);
    for (Device* device : devices()) {
        vec3 direct = radiance_behind_pane(*device, "radiosity", "direct", absorption);
        for (int c = 0; c < 3; ++c)
            EXPECT_NEAR(direct[c] / expected[c], 0.96f, 0.025f) << device->name() << ", " << c;
        // The mean transmittance of a link is too large for groups on both sides of the pane.
        for (const char* mode : {"hierarchical", "fmm"}) {
            vec3 linked = radiance_behind_pane(*device, "radiosity", mode, absorption);
            for (int c = 0; c < 3; ++c)
                EXPECT_NEAR(linked[c] / direct[c], 1.02f, 0.04f)
                    << device->name() << ", " << mode << ", " << c;
        }
    }
}

/// A pane that transmits 45, 14 and 5 %.
TEST(Radiosity, AllPairsOfPointsAreRightAboutADarkPane) {
    TL_LONG_TEST();
    const vec3 absorption(8, 20, 30);
    vec3 expected = radiance_behind_pane(*devices()[0], "path", "fmm", absorption);
    for (Device* device : devices()) {
        vec3 direct = radiance_behind_pane(*device, "radiosity", "direct", absorption);
        for (int c = 0; c < 3; ++c)
            EXPECT_NEAR(direct[c] / expected[c], 0.955f, 0.03f) << device->name() << ", " << c;
    }
}

}  // namespace
}  // namespace tl::radiosity_dielectrics_tests
