// Gloss and soft shadows by distributed rays: the Whitted tracer and the Bezier backend show what
// the path tracer shows where all indirect light comes from glossy surfaces.
#include <gtest/gtest.h>

#include "core/device/registry.h"
#include "renderer/scene/generators/generator_tools.h"
#include "renderer/scene/generators/generators.h"
#include "tests/image/light_scenes.h"
#include "tests/image/picture.h"
#include "tests/long_test.h"
#include "tests/sanitized.h"

namespace tl::gloss_tests {
namespace {

using test::add_parallelogram;
using test::diffuse;
using test::lamp_over;
using test::point_light;
using test::render_radiance;

// Sanitizer builds take fewer samples, with wider tolerances.
constexpr int kFewer = test::kSanitized ? 8 : 1;
constexpr double kWider = test::kSanitized ? 3 : 1;

Material rough(MaterialKind kind, float roughness) {
    Material m;
    m.kind = kind;
    m.specular = kind == MaterialKind::mirror ? vec3(0.9f, 0.7f, 0.5f) : vec3(1);
    m.roughness = roughness;
    return m;
}
Material phong(float albedo, float specular, float exponent) {
    Material m = diffuse(albedo);
    m.kind = MaterialKind::phong;
    m.specular = vec3(specular, 0.8f * specular, 0.6f * specular);
    m.exponent = exponent;
    return m;
}
Light ball_light(vec3 center, float radius, vec3 radiance) {
    Light light;
    light.kind = LightKind::sphere;
    light.position = center;
    light.radius = radius;
    light.radiance = radiance;
    return light;
}
EnvironmentMap two_colored_sky() {
    EnvironmentMap sky{.extent = {4, 2}, .texels = {}};
    for (int i = 0; i < 8; ++i) sky.texels.emplace_back(0.1f * float(i), 0.5f, 1 - 0.1f * float(i));
    return sky;
}

/// A wall of material 1 behind a diffuse floor with a ball on it, under three kinds of lights. The
/// camera sees nothing but the wall.
std::shared_ptr<Scene> wall_over_floor(const Material& wall) {
    auto scene = std::make_shared<Scene>();
    scene->materials = {diffuse(0.6f), wall};
    Mesh mesh;
    add_parallelogram(mesh, {-4, 0, -2}, {0, 0, 8}, {8, 0, 0}, 0);
    add_parallelogram(mesh, {-4, 0, -2}, {8, 0, 0}, {0, 4, 0}, 1);
    scene->meshes = {mesh};
    scene->spheres = {{{-1.5f, 0.5f, -0.8f}, 0.5f, 0}};
    scene->lights = {lamp_over({0.5f, 2.5f, -1}, 0.6f, 0.6f, vec3(6, 5, 4)),
                     ball_light({-1.2f, 1.5f, -0.5f}, 0.25f, vec3(4, 6, 8)),
                     point_light({0, 3, 1}, 9)};
    scene->camera = {{0, 0.9f, 2.5f}, {0, 0.9f, -2}, {0, 1, 0}, 22};
    return scene;
}

/// The scene with another renderer and its settings.
std::shared_ptr<Scene> with(const Scene& scene, const std::string& renderer,
                            std::map<std::string, std::string> settings) {
    auto other = std::make_shared<Scene>(scene);
    other->settings["render"]["renderer"] = renderer;
    for (auto& [id, value] : settings) other->settings[renderer][id] = value;
    return other;
}
std::shared_ptr<Scene> by_whitted(const Scene& scene, int depth,
                                  std::map<std::string, std::string> more = {}) {
    more.insert({{"max-depth", std::to_string(depth)},
                 {"glass-shadows", "false"},
                 {"cutoff", "0.0001"},
                 {"phong-gloss", "true"}});
    return with(scene, "whitted", more);
}
std::shared_ptr<Scene> by_path(const Scene& scene, int depth) {
    // Without Russian roulette, whose noise in glass is that of few bright paths.
    return with(scene, "path",
                {{"max-depth", std::to_string(depth)}, {"roulette-from", std::to_string(depth)}});
}

/// Means of the picture's quarters.
std::array<glm::dvec3, 4> quarters(const ImageF& image, Extent extent) {
    std::array<glm::dvec3, 4> means{};
    for (int y = 0; y < extent.height; ++y)
        for (int x = 0; x < extent.width; ++x)
            means[std::size_t(2 * (2 * y / extent.height) + 2 * x / extent.width)] +=
                glm::dvec3(image.rgb[std::size_t(y * extent.width + x)]);
    for (auto& mean : means) mean /= double(extent.pixels()) / 4;
    return means;
}

/// Renders both scenes and compares the means of each quarter.
void expect_same_light(const std::shared_ptr<Scene>& one, const std::shared_ptr<Scene>& other,
                       double tolerance, int spp = 128, int spp_of_other = 256) {
    constexpr Extent kExtent{32, 24};
    for (Device* device : devices()) {
        auto a = quarters(render_radiance(*device, one, kExtent, spp / kFewer), kExtent);
        auto b =
            quarters(render_radiance(*device, other, kExtent, spp_of_other / kFewer, 1), kExtent);
        for (std::size_t i = 0; i < a.size(); ++i)
            for (int c = 0; c < 3; ++c) {
                ASSERT_GT(b[i][c], 0);
                EXPECT_NEAR(a[i][c] / b[i][c], 1, tolerance * kWider)
                    << device->name() << ", quarter " << i << ", channel " << c;
            }
    }
}

/// Glass of that roughness before something that glows, under a lamp, so that no surface scatters
/// light but the glass.
std::shared_ptr<Scene> glass_over_glow(float roughness) {
    auto scene = std::make_shared<Scene>();
    Material glow = diffuse(0);
    glow.emission = vec3(0.4f, 0.8f, 1.2f);
    scene->materials = {glow, rough(MaterialKind::dielectric, roughness), diffuse(0)};
    Mesh mesh;
    add_parallelogram(mesh, {-3, -1.2f, -3}, {0, 0, 6}, {6, 0, 0}, 0);
    add_box(mesh, {0.2f, -0.9f, -0.6f}, {1.6f, 0.6f, -0.3f}, 1);
    scene->meshes = {mesh};
    scene->spheres = {{{-0.7f, 0, 0}, 0.8f, 1}};
    scene->lights = {lamp_over({-0.5f, 2.2f, -1.5f}, 1, 1, vec3(7, 6, 5)),
                     point_light({1.5f, 1.5f, -3}, 20)};
    scene->background = vec3(0.3f);
    scene->camera = {{0, 0.3f, 4}, {0.1f, -0.1f, 0}, {0, 1, 0}, 32};
    return scene;
}

}  // namespace

TEST(Gloss, RoughMirrorsShowALitFloorAsPathsDo) {
    TL_LONG_TEST();
    for (float roughness : {0.15f, 0.45f, 0.9f}) {
        SCOPED_TRACE(roughness);
        auto scene = wall_over_floor(rough(MaterialKind::mirror, roughness));
        expect_same_light(by_whitted(*scene, 1), by_path(*scene, 2), 0.015);
    }
}

TEST(Gloss, PhongLobesShowALitFloorAsPathsDo) {
    TL_LONG_TEST();
    for (float exponent : {3.0f, 200.0f}) {
        SCOPED_TRACE(exponent);
        auto scene = wall_over_floor(phong(0, 0.8f, exponent));
        expect_same_light(by_whitted(*scene, 1), by_path(*scene, 2), 0.015);
    }
}

TEST(Gloss, PhongLobesBesideADiffuseOneReflectLightsAsPathsDo) {
    TL_LONG_TEST();
    for (float exponent : {3.0f, 200.0f}) {
        SCOPED_TRACE(exponent);
        auto scene = wall_over_floor(phong(0.3f, 0.5f, exponent));
        scene->materials[0] = diffuse(0);
        scene->environment = two_colored_sky();
        expect_same_light(by_whitted(*scene, 1), by_path(*scene, 2), 0.015);
        // The last hits of chains sample lights alone, which is noisy for narrow lobes.
        if (exponent < 10) expect_same_light(by_whitted(*scene, 0), by_path(*scene, 1), 0.015);
    }
}

TEST(Gloss, RoughGlassShowsAGlowAsPathsDo) {
    TL_LONG_TEST();
    for (float roughness : {0.2f, 0.7f}) {
        SCOPED_TRACE(roughness);
        auto scene = glass_over_glow(roughness);
        // The highlight of a point through narrow lobes is as noisy as a caustic.
        if (roughness < 0.5f) scene->lights.pop_back();
        expect_same_light(by_whitted(*scene, 16), by_path(*scene, 16), 0.02, 96, 384);
    }
}

TEST(Gloss, SoftShadowsAreThoseOfPaths) {
    TL_LONG_TEST();
    auto scene = wall_over_floor(diffuse(0));
    scene->camera = {{0, 4, 3}, {0, 0, -0.5f}, {0, 1, 0}, 40};
    scene->lights.pop_back();
    auto expect = [&](double tolerance) {
        for (const char* samples : {"1", "3"})
            expect_same_light(by_whitted(*scene, 0, {{"light-samples", samples}}),
                              by_path(*scene, 1), tolerance);
    };
    expect(0.01);
    scene->environment = two_colored_sky();
    expect(0.01);
}

TEST(Gloss, IsTheSameInAllPipelines) {
    auto scene = glass_over_glow(0.3f);
    scene->materials[2] = phong(0.2f, 0.5f, 20);
    scene->materials.push_back(rough(MaterialKind::mirror, 0.4f));
    scene->spheres.push_back({{1, -0.6f, 0.8f}, 0.4f, 2});
    scene->spheres.push_back({{0.2f, 0.9f, -0.2f}, 0.3f, 3});
    constexpr Extent kExtent{40, 30};
    for (Device* device : devices()) {
        auto settings = [](const char* pipeline) {
            return std::map<std::string, std::string>{{"pipeline", pipeline},
                                                      {"glass-shadows", "true"}};
        };
        auto expected =
            render_radiance(*device, by_whitted(*scene, 6, settings("single-kernel")), kExtent, 3);
        for (const char* pipeline : {"wavefront", "post-order", "by-level"}) {
            auto other =
                render_radiance(*device, by_whitted(*scene, 6, settings(pipeline)), kExtent, 3);
            for (std::size_t i = 0; i < expected.rgb.size(); ++i)
                for (int c = 0; c < 3; ++c)
                    ASSERT_NEAR(other.rgb[i][c], expected.rgb[i][c],
                                1e-4f * (1 + expected.rgb[i][c]))
                        << device->name() << ", " << pipeline << ", pixel " << i;
        }
    }
}

TEST(Gloss, TurnedOffShowsRoughSurfacesAsSmoothOnes) {
    auto scene = glass_over_glow(0.5f), smooth = glass_over_glow(0);
    for (Device* device : devices())
        for (std::string renderer : {"whitted", "bezier"})
            EXPECT_EQ(
                render_radiance(*device, with(*scene, renderer, {{"gloss", "false"}}), {24, 18}, 2)
                    .rgb,
                render_radiance(*device, with(*smooth, renderer, {}), {24, 18}, 2).rgb)
                << device->name() << ", " << renderer;
}

TEST(Gloss, OfPatchesIsThatOfPaths) {
    TL_LONG_TEST();
    for (auto& material : {rough(MaterialKind::mirror, 0.3f), phong(0, 0.8f, 30),
                           rough(MaterialKind::dielectric, 0.4f)}) {
        SCOPED_TRACE(int(material.kind));
        Scene scene;
        generate(scene, "patch-knot", {{"patches", "60"}});
        scene.materials = {material};
        scene.lights = {lamp_over({-1, 3, -1}, 2, 2, vec3(5)), point_light({3, 4, 3}, 30)};
        scene.camera.vertical_fov = 20;
        if (material.kind == MaterialKind::dielectric) scene.lights.pop_back();
        auto settings =
            std::map<std::string, std::string>{{"max-depth", "8"}, {"phong-gloss", "true"}};
        expect_same_light(with(scene, "bezier", settings), by_path(scene, 8), 0.04, 48, 96);
    }
}

}  // namespace tl::gloss_tests
