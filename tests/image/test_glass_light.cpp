// Light through glass, and light that starts inside it, at any position and scale, compared with
// closed formulas on every device.
#include <gtest/gtest.h>

#include "renderer/optics/fresnel.h"
#include "renderer/scene/reflectance.h"
#include "tests/image/picture.h"
#include "tests/long_test.h"

namespace tl::glass_light_tests {
namespace {

using test::mean_of;
using test::render_radiance;

/// The reflectance of index 1.5 at an angle, in degrees.
float reflectance(float degrees) {
    float cosine = std::cos(glm::radians(degrees)), sine = std::sin(glm::radians(degrees));
    return fresnel_dielectric(cosine, std::sqrt(1 - sine * sine / 2.25f), 1 / 1.5f);
}

void add_square(Scene& scene, float y, float half, std::int32_t material, bool up = true) {
    Mesh mesh;
    mesh.positions = {{-half, y, -half}, {-half, y, half}, {half, y, half}, {half, y, -half}};
    mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
    if (!up)
        for (auto& t : mesh.triangles) std::swap(t.y, t.z);
    mesh.material_of_triangle = {material, material};
    scene.meshes.push_back(mesh);
}

/// A white floor under a pane of glass, seen from between them; everything is lifted by `lift`.
std::shared_ptr<Scene> floor_under_glass(float lift, float thickness = 0.1f, float scale = 1) {
    auto scene = std::make_shared<Scene>();
    Material floor, glass;
    floor.diffuse = vec3(1);
    glass.kind = MaterialKind::dielectric;
    glass.ior = 1.5f;
    scene->materials = {floor, glass};
    add_square(*scene, lift, 90 * scale, 0);
    add_square(*scene, lift + scale, 80 * scale, 1, false);
    add_square(*scene, lift + scale + thickness, 80 * scale, 1);
    scene->camera = {{0, lift + 0.5f * scale, 0.005f * scale}, {0, lift, 0}, {0, 1, 0}, 10};
    return scene;
}

Light sun(float degrees) {
    Light light;
    light.kind = LightKind::directional;
    light.direction = vec3(std::sin(glm::radians(degrees)), -std::cos(glm::radians(degrees)), 0);
    // The floor has radiance 1 without the pane.
    light.radiance = vec3(kPi / std::cos(glm::radians(degrees)));
    return light;
}

void expect_mean(const std::shared_ptr<Scene>& scene, float expected, float relative,
                 const std::string& what, int spp = 1) {
    for (Device* device : devices())
        for (const char* layout : {"auto", "bvh2"}) {
            scene->settings["tree"]["layout"] = layout;
            EXPECT_NEAR(mean_of(render_radiance(*device, scene, {16, 16}, spp)).x, expected,
                        relative * expected)
                << what << ", " << device->name() << ", layout " << layout;
        }
}

}  // namespace

TEST(GlassLight, PanesNeverReflectAllOfTheSun) {
    TL_LONG_TEST();
    for (float degrees : {0.0f, 30.0f, 45.0f, 60.0f, 80.0f}) {
        auto scene = floor_under_glass(0);
        scene->lights = {sun(degrees)};
        float once = 1 - reflectance(degrees);
        expect_mean(scene, once * once, 1e-3f, std::to_string(degrees) + " degrees");
    }
}

TEST(GlassLight, IsAbsorbedAlongItsWayWithinThePane) {
    TL_LONG_TEST();
    auto scene = floor_under_glass(0);
    scene->materials[1].absorption = vec3(5);
    scene->lights = {sun(60)};
    float once = 1 - reflectance(60), cosine = std::sqrt(1 - 0.75f / 2.25f);
    expect_mean(scene, once * once * std::exp(-0.5f / cosine), 1e-3f, "60 degrees");
}

TEST(GlassLight, ArrivesWhereverTheSceneLies) {
    TL_LONG_TEST();
    // Shadow rays stop short of the lights' own surfaces, however far from the origin.
    for (float lift : {0.0f, 8.0f, 100.0f, 3000.0f}) {
        auto scene = floor_under_glass(lift);
        Light lamp;
        lamp.kind = LightKind::rectangle;
        lamp.position = {-0.05f, lift + 2, -0.05f};
        lamp.edge_u = {0.1f, 0, 0};
        lamp.edge_v = {0, 0, 0.1f};
        lamp.radiance = vec3(100 * kPi);
        scene->lights = {lamp};
        scene->camera.vertical_fov = 1;
        float once = 1 - reflectance(0);
        // Radiance of the floor: the lamp's times its projected solid angle over pi.
        expect_mean(scene, 100 * 0.01f / 4 * once * once, 0.01f, std::to_string(lift), 4);
    }
}

TEST(GlassLight, PassesBallsUpToTheirRims) {
    TL_LONG_TEST();
    auto scene = std::make_shared<Scene>();
    Material floor, glass;
    floor.diffuse = vec3(1);
    glass.kind = MaterialKind::dielectric;
    glass.ior = 1.5f;
    scene->materials = {floor, glass};
    add_square(*scene, 0, 9, 0);
    scene->spheres = {{{0, 2, 0}, 1, 1}};
    scene->lights = {sun(0)};
    // 0.9 of the radius from the axis, where light hits both faces at 64 degrees.
    scene->camera = {{0.9f, 0.9f, 0}, {0.9f, 0, 0}, {0, 0, -1}, 0.1f};
    float once = 1 - reflectance(glm::degrees(std::asin(0.9f)));
    expect_mean(scene, once * once, 5e-3f, "a ball");
}

TEST(GlassLight, PassesPanesOfTenMicrometres) {
    TL_LONG_TEST();
    auto scene = floor_under_glass(-1, 1e-5f);
    scene->materials[1].absorption = vec3(1e4f);
    scene->lights = {sun(0)};
    float once = 1 - reflectance(0);
    // The thickness is a multiple of the rounding of 1e-5, which both faces have.
    auto& faces = scene->meshes;
    float thickness = faces[2].positions[0].y - faces[1].positions[0].y;
    expect_mean(scene, once * once * std::exp(-1e4f * thickness), 1e-2f, "10 um");
}

TEST(GlassLight, OfALampInTheSameWaterIsAbsorbed) {
    TL_LONG_TEST();
    auto scene = std::make_shared<Scene>();
    Material floor, water;
    floor.diffuse = vec3(1);
    water.kind = MaterialKind::dielectric;
    water.ior = 1.33f;
    water.absorption = vec3(0.7f);
    scene->materials = {floor, water};
    add_square(*scene, 0, 2, 0);
    scene->spheres = {{vec3(0), 9, 1}};
    Light lamp;
    lamp.position = {0, 2, 0};
    lamp.radiance = vec3(4 * kPi);
    scene->lights = {lamp};
    scene->camera = {{0, 1, 0}, {0, 0, 0}, {0, 0, -1}, 1};
    // Light is absorbed on its way to the floor, 2 m, and from there to the camera, 1 m.
    expect_mean(scene, std::exp(-0.7f * 3), 2e-3f, "whitted");
    scene->settings["render"]["renderer"] = "path";
    scene->settings["path"]["max-depth"] = "1";
    expect_mean(scene, std::exp(-0.7f * 3), 2e-3f, "path");
}

TEST(GlassLight, SeenFromWithinWaterIsAbsorbedFromTheCameraOn) {
    TL_LONG_TEST();
    auto scene = std::make_shared<Scene>();
    Material water, wall;
    water.kind = MaterialKind::dielectric;
    water.ior = 1.33f;
    water.absorption = vec3(2);
    wall.diffuse = vec3(0);
    wall.emission = vec3(1);
    scene->materials = {water, wall};
    scene->spheres = {{vec3(0), 1, 0}, {{0, 0, -0.5f}, 0.1f, 1}};
    scene->camera = {vec3(0), {0, 0, -1}, {0, 1, 0}, 1};
    for (auto& renderer : {"whitted", "path", "photon"}) {
        scene->settings["render"]["renderer"] = renderer;
        // An object within the water: rays cross none of its faces.
        expect_mean(scene, std::exp(-2 * 0.4f), 2e-3f, renderer);
    }
}

TEST(GlassLight, OfPhotonsIsAbsorbedFromALampInGlassOn) {
    TL_LONG_TEST();
    auto mean = [](float absorption, const char* mode, Device& device) {
        auto scene = std::make_shared<Scene>();
        Material floor, glass;
        floor.diffuse = vec3(0.5f);
        glass.kind = MaterialKind::dielectric;
        glass.ior = 1.5f;
        glass.absorption = vec3(absorption);
        scene->materials = {floor, glass};
        add_square(*scene, 0, 20, 0);
        scene->spheres = {{{0, 3, 0}, 1, 1}};
        Light lamp;
        lamp.position = {0, 3, 0};
        lamp.radiance = vec3(10);
        scene->lights = {lamp};
        scene->camera = {{3, 1.5f, 0}, {0, 0, 0}, {0, 1, 0}, 20};
        scene->settings["render"]["renderer"] = "photon";
        scene->settings["photon"] = {{"mode", mode}, {"photons", "20000"}};
        return mean_of(render_radiance(device, scene, {16, 16}, 4)).x;
    };
    float once = std::exp(-0.5f), back = reflectance(0);
    // Light that the ball reflects inwards crosses twice the radius more.
    float expected = once * (1 - back) / (1 - back * once * once);
    for (Device* device : devices())
        for (auto& mode : {"progressive", "vcm"})
            EXPECT_NEAR(mean(0.5f, mode, *device) / mean(0, mode, *device), expected,
                        0.02f * expected)
                << mode << ", " << device->name();
}

TEST(Reflectance, IsDividedWhereASurfaceWouldCreateLight) {
    auto scene = std::make_shared<Scene>();
    Material glossy;
    glossy.name = "too bright";
    glossy.kind = MaterialKind::phong;
    glossy.diffuse = vec3(0.8f, 0.1f, 0.2f);
    glossy.specular = vec3(0.8f, 0.1f, 0.2f);
    glossy.exponent = 20;
    Material fine = glossy;
    fine.diffuse = vec3(0.7f);
    fine.specular = vec3(0.3f);
    scene->materials = {glossy, fine};
    warn_about_reflectance(*scene, "lamp.toml");
    ASSERT_EQ(scene->warnings.size(), 1u);
    EXPECT_NE(scene->warnings.front().find("'too bright' reflects 1.6 times"), std::string::npos);
    scene->background = vec3(1);
    add_square(*scene, 0, 9, 0);
    scene->camera = {{0, 5, 0}, {0, 0, 0}, {0, 0, -1}, 5};
    scene->settings["render"]["renderer"] = "path";
    for (Device* device : devices()) {
        vec3 mean = mean_of(render_radiance(*device, scene, {16, 16}, 64));
        // Phong's lobe loses a little to directions below the surface.
        EXPECT_NEAR(mean.x, 1, 0.02f) << device->name();
        EXPECT_NEAR(mean.y, 0.125f, 0.005f) << device->name();
    }
}

TEST(Reflectance, IsThatOfTheBrightestTexel) {
    auto scene = std::make_shared<Scene>();
    Texture texture;
    texture.width = 2;
    texture.height = 1;
    texture.is_srgb = false;
    texture.rgba = {51, 51, 51, 255, 102, 0, 51, 255};
    Material glossy;
    glossy.name = "painted";
    glossy.kind = MaterialKind::phong;
    glossy.diffuse = vec3(1);
    glossy.specular = vec3(0.5f);
    glossy.diffuse_texture = 0;
    scene->textures = {texture};
    EXPECT_NEAR(reflected_fraction_of(glossy, scene->textures), 0.9f, 1e-6f);
    EXPECT_EQ(limited_reflectance(glossy, scene->textures).specular, vec3(0.5f));
    glossy.specular = vec3(0.8f);
    EXPECT_NEAR(reflected_fraction_of(glossy, scene->textures), 1.2f, 1e-6f);
    EXPECT_NEAR(limited_reflectance(glossy, scene->textures).specular.x, 0.8f / 1.2f, 1e-6f);
    scene->textures[0].is_srgb = true;  // 102 of 255 is 0.133 in linear light
    EXPECT_NEAR(reflected_fraction_of(glossy, scene->textures), 0.933f, 1e-3f);
    scene->materials = {glossy};
    warn_about_reflectance(*scene, "painted.obj");
    EXPECT_TRUE(scene->warnings.empty());
    scene->textures[0].rgba = {255, 255, 255, 255, 0, 0, 0, 255};
    warn_about_reflectance(*scene, "painted.obj");
    ASSERT_EQ(scene->warnings.size(), 1u);
    EXPECT_NE(scene->warnings.front().find("'painted' reflects 1.8 times"), std::string::npos);
}

class Scale : public testing::TestWithParam<std::string> {};

TEST_P(Scale, DoesNotChangeARoomThatGlows) {
    TL_LONG_TEST();
    for (float scale : {1e-6f, 1e-4f, 1.0f, 1e4f, 1e6f}) {
        auto scene = std::make_shared<Scene>();
        Material wall;
        wall.diffuse = vec3(0.5f);
        wall.emission = vec3(1);
        scene->materials = {wall};
        Mesh room;
        for (int corner = 0; corner < 8; ++corner)
            room.positions.push_back(
                scale * vec3(corner & 1 ? 1 : -1, corner & 2 ? 1 : -1, corner & 4 ? 1 : -1));
        for (glm::uvec4 q : {glm::uvec4(1, 3, 2, 0),
                             {6, 7, 5, 4},
                             {4, 5, 1, 0},
                             {3, 7, 6, 2},
                             {2, 6, 4, 0},
                             {5, 7, 3, 1}}) {
            room.triangles.push_back({q.x, q.y, q.z});
            room.triangles.push_back({q.x, q.z, q.w});
        }
        room.material_of_triangle.assign(12, 0);
        scene->meshes = {room};
        scene->camera = {scale * vec3(0, 0, 0.3f), scale * vec3(0.3f, 0.2f, -1), {0, 1, 0}, 60};
        scene->settings["render"]["renderer"] = GetParam();
        scene->settings["path"]["max-depth"] = scene->settings["photon"]["max-depth"] = "32";
        scene->settings["photon"]["photons"] = "20000";
        scene->settings["radiosity"]["points"] = "3000";
        for (Device* device : devices()) {
            float mean = mean_of(render_radiance(*device, scene, {24, 24}, 16)).x;
            // 16 samples of 576 pixels; radiosity's bounces are cut off sooner.
            EXPECT_NEAR(mean, 2, GetParam() == "radiosity" ? 0.06f : 0.02f)
                << scale << ", " << device->name();
        }
    }
}
INSTANTIATE_TEST_SUITE_P(Renderers, Scale, testing::Values("path", "photon", "radiosity"),
                         [](auto& info) { return info.param; });

}  // namespace tl::glass_light_tests
