// Compares spot, sphere and environment lights with closed formulas and brute force, on every
// device of the machine.
#include <gtest/gtest.h>

#include "tests/image/picture.h"
#include "tests/long_test.h"

namespace tl::lights_tests {
namespace {

using test::mean_of;
using test::render_radiance;

constexpr float kAlbedo = 0.8f;

/// A white floor y = 0 under one light; a narrow camera sees only the point (x, 0, 0).
std::shared_ptr<Scene> lit_floor(const Light& light, float x = 0) {
    auto scene = std::make_shared<Scene>();
    scene->materials.emplace_back();
    Mesh mesh;
    mesh.positions = {{-10, 0, -10}, {-10, 0, 10}, {10, 0, 10}, {10, 0, -10}};
    mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
    mesh.material_of_triangle = {0, 0};
    scene->meshes = {mesh};
    scene->lights = {light};
    scene->camera = {{x, 0.25f, 0}, {x, 0, 0}, {0, 0, -1}, 1};
    scene->settings["whitted"] = {{"light-samples", "16"}};
    return scene;
}

/// Compares the irradiance at that point, from the picture on each device.
void expect_irradiance(std::shared_ptr<const Scene> scene, double expected, double relative) {
    for (Device* device : devices()) {
        vec3 mean = mean_of(render_radiance(*device, scene, {16, 16}, 64));
        for (int c = 0; c < 3; ++c)
            EXPECT_NEAR(mean[c] * kPi / kAlbedo, expected, relative * expected) << device->name();
    }
}

Light spot_light() {
    Light light;
    light.kind = LightKind::spot;
    light.position = vec3(0, 2, 0);
    light.inner_angle = 20;
    light.outer_angle = 40;
    light.radiance = vec3(12);
    return light;
}

Light sphere_light(vec3 center, float radius) {
    Light light;
    light.kind = LightKind::sphere;
    light.position = center;
    light.radius = radius;
    light.radiance = vec3(3);
    return light;
}

/// Irradiance of the plane y = 0 at the origin from a sphere of radiance 1 that the plane may cut:
/// counts the directions on a grid over the hemisphere that hit it.
double irradiance_by_counting(vec3 center, float radius) {
    constexpr int kPolar = 2000, kAround = 4000;
    double sum = 0;
    for (int i = 0; i < kPolar; ++i) {
        // Cells of the same projected solid angle.
        double sine = std::sqrt((i + 0.5) / kPolar), cosine = std::sqrt(1 - sine * sine);
        for (int j = 0; j < kAround; ++j) {
            double angle = 2 * double(kPi) * (j + 0.5) / kAround;
            glm::dvec3 d(sine * std::cos(angle), cosine, sine * std::sin(angle));
            double along = glm::dot(d, glm::dvec3(center));
            double miss2 = glm::dot(glm::dvec3(center), glm::dvec3(center)) - along * along;
            sum += along > 0 && miss2 < double(radius) * double(radius);
        }
    }
    return double(kPi) * sum / (double(kPolar) * kAround);
}

TEST(SpotLight, IsFullInItsInnerCone) {
    // At 15 degrees off the axis: I cos^3 / h^2.
    float angle = glm::radians(15.0f), cosine = std::cos(angle);
    expect_irradiance(lit_floor(spot_light(), 2 * std::tan(angle)),
                      12 * cosine * cosine * cosine / 4, 2e-3);
}

TEST(SpotLight, FallsOffBetweenItsCones) {
    float angle = glm::radians(30.0f), cosine = std::cos(angle);
    float inner = std::cos(glm::radians(20.0f)), outer = std::cos(glm::radians(40.0f));
    float t = (cosine - outer) / (inner - outer), part = t * t * (3 - 2 * t);
    expect_irradiance(lit_floor(spot_light(), 2 * std::tan(angle)),
                      part * 12 * cosine * cosine * cosine / 4, 2e-3);
}

TEST(SpotLight, IsDarkOutsideOfItsCone) {
    auto scene = lit_floor(spot_light(), 2 * std::tan(glm::radians(41.0f)));
    expect_irradiance(scene, 0, 0);
    // Nor does it shine backwards.
    auto turned = std::make_shared<Scene>(*lit_floor(spot_light()));
    turned->lights[0].direction = vec3(0, 1, 0);
    expect_irradiance(turned, 0, 0);
}

TEST(SpotLight, MayHaveAHardEdge) {
    Light light = spot_light();
    light.inner_angle = light.outer_angle;
    float cosine = std::cos(glm::radians(39.0f));
    expect_irradiance(lit_floor(light, 2 * std::tan(glm::radians(39.0f))),
                      12 * cosine * cosine * cosine / 4, 2e-3);
    expect_irradiance(lit_floor(light, 2 * std::tan(glm::radians(41.0f))), 0, 0);
}

TEST(SphereLight, GivesPiTimesRadianceTimesTheSquareOfItsApparentSize) {
    TL_LONG_TEST();
    // pi L (r / d)^2, near and far.
    expect_irradiance(lit_floor(sphere_light({0, 2, 0}, 1)), double(kPi) * 3 / 4, 2e-3);
    expect_irradiance(lit_floor(sphere_light({0, 50, 0}, 0.05f)), double(kPi) * 3e-6, 2e-3);
}

TEST(SphereLight, IsWeighedByTheCosineWhereAllOfItIsAboveTheHorizon) {
    expect_irradiance(lit_floor(sphere_light({3, 4, 0}, 2)), double(kPi) * 3 * 4 / 25 * 4 / 5,
                      2e-3);
}

TEST(SphereLight, MayReachBelowTheHorizon) {
    TL_LONG_TEST();
    vec3 center(2, 0.3f, 0.5f);
    expect_irradiance(lit_floor(sphere_light(center, 1)), 3 * irradiance_by_counting(center, 1),
                      5e-3);
}

TEST(SphereLight, IsHalfHiddenByABlockerThroughItsMiddle) {
    TL_LONG_TEST();
    auto scene = lit_floor(sphere_light({0, 4, 0}, 1));
    // A horizontal wall at height 1, from above the point to the right, hides the sphere's right
    // half.
    Mesh wall;
    wall.positions = {{0, 1, -5}, {0, 1, 5}, {5, 1, 5}, {5, 1, -5}};
    wall.triangles = {{0, 1, 2}, {0, 2, 3}};
    wall.material_of_triangle = {0, 0};
    scene->meshes.push_back(wall);
    expect_irradiance(scene, double(kPi) * 3 / 16 / 2, 1e-2);
}

TEST(SphereLight, IsSeenByRaysFromOutside) {
    auto scene = lit_floor(sphere_light({0, 4, 0}, 1));
    scene->camera.target = vec3(0, 4, 0);
    for (Device* device : devices()) {
        vec3 mean = mean_of(render_radiance(*device, scene, {8, 8}, 1));
        EXPECT_EQ(mean, vec3(3)) << device->name();
    }
    scene->camera.eye = vec3(0, 3.5f, 0);
    for (Device* device : devices())
        EXPECT_EQ(mean_of(render_radiance(*device, scene, {8, 8}, 1)), vec3(0)) << device->name();
}

TEST(EnvironmentLight, OfEvenRadianceGivesPiTimesIt) {
    TL_LONG_TEST();
    auto scene = lit_floor({});
    scene->lights.clear();
    scene->environment = {.extent = {8, 4}, .texels = std::vector<vec3>(32, vec3(2))};
    scene->environment.scale = vec3(1.5f);
    expect_irradiance(scene, double(kPi) * 3, 1e-2);
}

TEST(EnvironmentLight, IsSeenByRaysThatLeaveTheScene) {
    auto scene = lit_floor({});
    scene->lights.clear();
    scene->background = vec3(7);  // not where there is a map
    scene->environment = {.extent = {2, 1}, .texels = std::vector<vec3>(2, vec3(2))};
    scene->camera.target = vec3(0, 5, 0);
    for (Device* device : devices())
        EXPECT_EQ(mean_of(render_radiance(*device, scene, {8, 8}, 1)), vec3(2)) << device->name();
}

TEST(EnvironmentLight, OfASingleBrightTexelIsFound) {
    TL_LONG_TEST();
    constexpr int kWidth = 64, kHeight = 32, kRow = 7;
    auto scene = lit_floor({});
    scene->lights.clear();
    EnvironmentMap map{.extent = {kWidth, kHeight}, .texels = {}};
    map.texels.assign(std::size_t{kWidth} * kHeight, vec3(0));
    map.texels[kRow * kWidth + 50] = vec3(1000);
    scene->environment = map;
    // Interpolated, it is a tent of two texels along each axis.
    double expected = 0, step = double(kPi) / kHeight;
    for (int i = 0; i < 2000; ++i) {
        double place = (i + 0.5) / 1000, angle = (kRow - 0.5 + place) * step;
        expected += (1 - std::abs(1 - place)) * std::sin(angle) * std::cos(angle) * step / 1000;
    }
    expected *= 1000 * 2 * double(kPi) / kWidth;
    expect_irradiance(scene, expected, 1e-2);
    // One shadow ray per pixel finds the texel; uniform directions would miss it in 99.8 %.
    scene->settings["whitted"]["light-samples"] = "1";
    for (Device* device : devices()) {
        ImageF image = render_radiance(*device, scene, {32, 32}, 1);
        double sum2 = 0, mean = expected * double(kAlbedo / kPi);
        double n_lit = 0;
        for (vec3 rgb : image.rgb) {
            n_lit += rgb.x > 0;
            sum2 += (double(rgb.x) / mean - 1) * (double(rgb.x) / mean - 1);
        }
        // The tent ends within the texels beside it: of their density, 1/8 on either side of 3/4,
        // half lies in the dark.
        EXPECT_NEAR(n_lit / double(image.rgb.size()), 49.0 / 64, 0.06) << device->name();
        EXPECT_LT(std::sqrt(sum2 / double(image.rgb.size())), 1.5) << device->name();
    }
}

}  // namespace
}  // namespace tl::lights_tests
