// Compares the Whitted renderer with closed formulas, on every device of the machine.
#include <gtest/gtest.h>

#include "renderer/scene/loaders/loader.h"
#include "tests/image/picture.h"
#include "tests/long_test.h"
#include "tests/source_path.h"

namespace tl::whitted_tests {
namespace {

using test::mean_of;
using test::render_radiance;

constexpr Extent kSmall{16, 16};

/// A 20 x 20 square in the plane y = 0, facing up, seen straight from above by a narrow camera.
std::shared_ptr<Scene> floor_scene(Material material) {
    auto scene = std::make_shared<Scene>();
    scene->materials = {material};
    Mesh mesh;
    mesh.positions = {{-10, 0, -10}, {-10, 0, 10}, {10, 0, 10}, {10, 0, -10}};
    mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
    mesh.material_of_triangle = {0, 0};
    scene->meshes = {mesh};
    scene->camera = {{0, 4, 0}, {0, 0, 0}, {0, 0, -1}, 0.5f};
    return scene;
}

/// A sphere around the origin in an environment of radiance 1, filling the narrow view.
std::shared_ptr<Scene> sphere_in_white(Material material) {
    auto scene = std::make_shared<Scene>();
    scene->materials = {material};
    scene->spheres = {{vec3(0), 1.0f, 0}};
    scene->background = vec3(1);
    scene->camera = {{0, 0, 5}, {0, 0, 0}, {0, 1, 0}, 20};
    scene->settings["whitted"] = {{"max-depth", "32"}, {"cutoff", "0"}};
    return scene;
}

void expect_mean(std::shared_ptr<const Scene> scene, int spp, vec3 expected, float relative) {
    for (Device* device : devices()) {
        vec3 mean = mean_of(render_radiance(*device, scene, kSmall, spp));
        float largest = std::max({expected.x, expected.y, expected.z});
        for (int c = 0; c < 3; ++c)
            EXPECT_NEAR(mean[c], expected[c], relative * largest) << device->name();
    }
}

TEST(Whitted, APointLightGivesRhoOverPiTimesIntensityOverDistanceSquared) {
    TL_LONG_TEST();
    Material m;
    m.diffuse = vec3(0.5f, 0.25f, 1);
    auto scene = floor_scene(m);
    Light light;
    light.position = vec3(0, 2, 0);
    light.radiance = vec3(8, 16, 4);
    scene->lights = {light};
    expect_mean(scene, 1, m.diffuse / kPi * light.radiance / 4.0f, 1e-3f);
}

TEST(Whitted, ADirectionalLightIsWeighedByItsCosine) {
    auto scene = floor_scene({});
    Light light;
    light.kind = LightKind::directional;
    light.direction = glm::normalize(vec3(1, -1, 0));
    light.radiance = vec3(3);
    scene->lights = {light};
    expect_mean(scene, 1, vec3(0.8f / kPi * 3 * std::sqrt(0.5f)), 1e-4f);
}

TEST(Whitted, ARectangleLightGivesItsFormFactor) {
    auto scene = floor_scene({});
    Light light;
    light.kind = LightKind::rectangle;
    float a = 1.0f, h = 2.0f;  // half width and height above the floor
    light.position = vec3(-a, h, -a);
    light.edge_u = vec3(2 * a, 0, 0);
    light.edge_v = vec3(0, 0, 2 * a);
    ASSERT_LT(glm::cross(light.edge_u, light.edge_v).y, 0);
    light.radiance = vec3(5);
    scene->lights = {light};
    scene->camera.eye.y = 1.5f;  // below the light
    scene->settings["whitted"]["light-samples"] = "16";
    // Form factor of a parallel rectangle seen from below a corner (Siegel & Howell, config. 1),
    // four times; irradiance is pi L F and the radiance rho / pi of that.
    float x = a / h, s = std::sqrt(1 + x * x);
    float corner = 2 * x / s * std::atan(x / s) / (2 * kPi);
    expect_mean(scene, 64, vec3(0.8f * 5 * 4 * corner), 5e-3f);
}

TEST(Whitted, ARectangleLightIsSeenFromItsFrontOnly) {
    auto scene = floor_scene({});
    scene->meshes.clear();
    Light light;
    light.kind = LightKind::rectangle;
    light.position = vec3(-5, 0, 5);
    light.edge_u = vec3(10, 0, 0);
    light.edge_v = vec3(0, 0, -10);  // faces up, towards the camera
    light.radiance = vec3(2, 3, 4);
    scene->lights = {light};
    expect_mean(scene, 1, light.radiance, 0);
    scene->camera.eye.y = -4;
    expect_mean(scene, 1, vec3(0), 0);
}

TEST(Whitted, AnOpaqueBlockerCastsAShadow) {
    auto scene = floor_scene({});
    Light light;
    light.position = vec3(2, 2, 0);
    light.radiance = vec3(8);
    scene->lights = {light};
    scene->spheres = {{vec3(1, 1, 0), 0.2f, 0}};
    expect_mean(scene, 1, vec3(0), 0);
    scene->settings["whitted"]["shadows"] = "false";
    float cosine = std::sqrt(0.5f);
    expect_mean(scene, 1, vec3(0.8f / kPi * 8 / 8 * cosine), 1e-3f);
}

TEST(Whitted, AMirrorShowsTheEnvironmentTimesItsTint) {
    Material mirror;
    mirror.kind = MaterialKind::mirror;
    mirror.specular = vec3(0.9f, 0.5f, 0.25f);
    auto scene = floor_scene(mirror);
    scene->background = vec3(1, 2, 4);
    expect_mean(scene, 1, mirror.specular * scene->background, 1e-6f);
}

TEST(Whitted, WhiteMirrorAndGlassSpheresVanishInAWhiteFurnace) {
    Material mirror, glass;
    mirror.kind = MaterialKind::mirror;
    mirror.specular = vec3(1);
    glass.kind = MaterialKind::dielectric;
    glass.specular = vec3(1);
    expect_mean(sphere_in_white(mirror), 4, vec3(1), 1e-6f);
    // 32 bounces inside glass leave less than a millionth, but for rays near the rim.
    expect_mean(sphere_in_white(glass), 4, vec3(1), 1e-3f);
}

TEST(Whitted, AGlassPaneTransmitsByFresnelsFormula) {
    Material glass;
    glass.kind = MaterialKind::dielectric;
    glass.specular = vec3(0);  // reflections are lost: (1 - R)^2 is transmitted
    auto scene = floor_scene(glass);
    Mesh below = scene->meshes[0];
    for (auto& p : below.positions) p.y = -1;
    std::swap(below.triangles[0].y, below.triangles[0].z);  // faces down
    std::swap(below.triangles[1].y, below.triangles[1].z);
    scene->meshes.push_back(below);
    scene->background = vec3(1);
    expect_mean(scene, 1, vec3(0.96f * 0.96f), 1e-4f);
}

TEST(Whitted, TheDepthLimitEndsTheChain) {
    Material mirror;
    mirror.kind = MaterialKind::mirror;
    mirror.specular = vec3(1);
    auto scene = floor_scene(mirror);
    scene->background = vec3(1);
    scene->settings["whitted"]["max-depth"] = "0";
    expect_mean(scene, 1, vec3(0), 0);
}

TEST(Whitted, TexturesLieOnTheirCoordinates) {
    auto scene = floor_scene({});
    scene->materials[0].diffuse = vec3(1);
    scene->materials[0].diffuse_texture = 0;
    // Left half of the texture red, right half blue; u grows with x.
    Texture texture{"test", 2, 1, {255, 0, 0, 255, 0, 0, 255, 255}};
    scene->textures = {texture};
    scene->meshes[0].uvs = {{0, 0}, {0, 1}, {1, 1}, {1, 0}};
    Light light;
    light.kind = LightKind::directional;
    light.radiance = vec3(kPi);
    scene->lights = {light};
    scene->camera.eye = vec3(-5, 4, 0);
    scene->camera.target = vec3(-5, 0, 0);
    // The view is a 0.0017th of a texel wide: that fraction of the neighbour is blended in.
    expect_mean(scene, 1, vec3(1, 0, 0), 2e-3f);
    scene->camera.eye.x = scene->camera.target.x = 5;
    expect_mean(scene, 1, vec3(0, 0, 1), 2e-3f);
}

TEST(WhittedOnCuda, GivesThePictureOfTheCpu) {
    if (!cuda_absence().empty()) GTEST_SKIP() << cuda_absence();
    for (const std::string& path :
         {source_path("scenes/cornell-box.toml"), std::string("generate:sphere-flake,depth=3"),
          std::string("generate:terrain,triangles=50000")}) {
        auto scene = std::make_shared<Scene>(load_scene(path));
        auto cpu = render_radiance(find_device("cpu"), scene, {160, 120}, 8);
        auto cuda = render_radiance(find_device("cuda"), scene, {160, 120}, 8);
        // The same random numbers: only rays that rounding sends to another surface differ.
        double scale = glm::dot(mean_of(cpu), vec3(1)) / 3;
        EXPECT_LT(test::mean_difference(cpu, cuda), 0.005 * scale) << path;
    }
}

}  // namespace
}  // namespace tl::whitted_tests
