// Clouds that emit light their surroundings, and themselves, as formulas say in every renderer.
#include <gtest/gtest.h>

#include "renderer/scene/splats/emissive_cells.h"
#include "tests/image/photon_pictures.h"
#include "tests/long_test.h"
#include "tests/unit/splats/splat_scenes.h"

namespace tl::emissive_points_tests {
namespace {

using test::diffuse;
using test::expect_near;
using test::mean_of;
using test::render;

/// A renderer and one of its modes.
struct Way {
    const char* renderer;
    const char* setting;
    const char* value;
    int spp;
};
constexpr Way kWays[] = {
    {"path", "find-lights", "both", 64},      {"path", "find-lights", "lights", 64},
    {"path", "find-lights", "surfaces", 256}, {"photon", "mode", "progressive", 16},
    {"photon", "mode", "sppm", 16},           {"photon", "mode", "vcm", 16},
    {"photon", "mode", "thesis", 8},          {"radiosity", "points", "4000", 16}};

/// Expects the mean radiance of a picture of 24 x 24 pixels, by all ways.
void expect_mean(const Scene& scene, float expected, double tolerance) {
    for (Device* device : devices())
        for (const Way& way : kWays) {
            Scene by = scene;
            by.settings["path"]["max-depth"] = by.settings["photon"]["max-depth"] = "64";
            by.settings["photon"]["photons"] = "5000";
            by.settings["photon"]["radius"] = "0.3";
            by.settings["photon"]["thesis-seeds"] = "256";
            by.settings["radiosity"]["bounces"] = "64";
            by.settings[way.renderer][way.setting] = way.value;
            expect_near(mean_of(render(*device, by, way.renderer, {24, 24}, way.spp)),
                        vec3(expected), tolerance,
                        std::string(way.renderer) + " " + way.value + " on " + device->name());
        }
}

/// The inside of a sphere of radius 1, which points of emission `radiance` cover on the side of
/// +y, and dark ones on the other.
Scene cloud_from_within(float albedo, float radiance) {
    Scene scene;
    scene.materials = {diffuse(albedo)};
    scene.splats = test::splat_sphere(6'000, 0);
    for (auto& splat : scene.splats) {
        splat.normal = -splat.normal;
        if (splat.center.y > 0) splat.emission = vec3(radiance);
    }
    scene.camera = {{0, 0, 0}, {1, 0, 0.3f}, {0, 1, 0}, 90};
    return scene;
}

TEST(EmissivePoints, ACloudFromWithinHasTheRadianceThatIsKnown) {
    TL_LONG_TEST();
    // Every place of a sphere sees every other by the same form factor: to the emission that is
    // seen, all add the same light.
    Scene scene = cloud_from_within(0.5f, 1), emission_alone = scene;
    emission_alone.settings["path"]["max-depth"] = "0";
    float seen = mean_of(render(*devices().front(), emission_alone, "path", {24, 24}, 256)).x;
    double all = 0, bright = 0;
    for (auto& cell : emissive_cells(scene.splats, std::vector(scene.splats.size(), true))) {
        all += double{cell.area};
        bright += double{cell.area * scene.splats[cell.splat].emission.x};
    }
    expect_mean(scene, seen + static_cast<float>(bright / all), 0.012);
}

/// The inside of a sphere of radius 1 around a black ball of radius 1/2, which is to emit; only the
/// outer sphere is seen.
Scene around_a_ball(float albedo) {
    Scene scene;
    scene.materials = {diffuse(albedo), diffuse(0)};
    scene.spheres = {{{0, 0, 0}, 1, 0}};
    scene.camera = {{0.6f, 0, 0}, {2, 0.1f, 0.2f}, {0, 1, 0}, 70};
    return scene;
}
/// Radiance of that outer sphere: of the light that leaves it, 1 - r^2 arrives there again.
float radiance_around(float albedo, float emission) {
    float share = 0.25f;
    return albedo * emission * share / (1 - albedo * (1 - share));
}

TEST(EmissivePoints, ABallOfPointsLightsTheSphereAroundItAsAFormulaSays) {
    TL_LONG_TEST();
    Scene scene = around_a_ball(0.8f);
    scene.splats = test::splat_sphere(6'000, 1);
    for (auto& splat : scene.splats) {
        splat.center *= 0.5f;
        splat.radius *= 0.5f;
        splat.emission = vec3(4);
    }
    expect_mean(scene, radiance_around(0.8f, 4), 0.015);
}

TEST(EmissivePoints, ASphereMayHaveAnEmissionOfItsOwn) {
    TL_LONG_TEST();
    Scene scene = around_a_ball(0.8f);
    scene.spheres.push_back({{0, 0, 0}, 0.5f, 1});
    scene.spheres[1].emission = vec3(3);
    scene.materials[1].emission = vec3(1);  // both add up
    expect_mean(scene, radiance_around(0.8f, 4), 0.012);
}

TEST(EmissivePoints, AreSeenInEveryRenderer) {
    TL_LONG_TEST();
    Scene scene = around_a_ball(0);
    scene.spheres = {{{0, 0.8f, 0}, 0.2f, 1}};
    scene.spheres[0].emission = vec3(5, 1, 0);
    scene.splats = test::splat_sphere(2'000, 1);
    for (auto& splat : scene.splats) splat.emission = vec3(2, 1, 0.5f);
    for (Device* device : devices())
        for (auto& renderer : test::picture_renderers())
            for (vec3 target : {vec3(0), vec3(0, 0.8f, 0)}) {
                if (target.y > 0) scene.splats.clear();
                scene.camera = {{4, 0, 0}, target, {0, 1, 0}, 1};
                vec3 seen = mean_of(render(*device, scene, renderer.c_str(), {3, 3}, 1));
                vec3 expected = target.y > 0 ? vec3(5, 1, 0) : vec3(2, 1, 0.5f);
                for (int c = 0; c < 3; ++c) EXPECT_FLOAT_EQ(seen[c], expected[c]) << renderer;
                scene.splats = test::splat_sphere(2'000, 1);
                for (auto& splat : scene.splats) splat.emission = vec3(2, 1, 0.5f);
            }
}

}  // namespace
}  // namespace tl::emissive_points_tests
