// Pictures of the renderer `radiosity` against formulas and against the path tracer.
#include <gtest/gtest.h>

#include "renderer/scene/generators/generators.h"
#include "tests/image/picture.h"
#include "tests/image/room_scenes.h"

namespace tl::radiosity_tests {
namespace {

using test::render_radiance;

std::shared_ptr<Scene> with_renderer(std::shared_ptr<Scene> scene, const char* points) {
    scene->settings["render"]["renderer"] = "radiosity";
    scene->settings["radiosity"]["points"] = points;
    return scene;
}

/// A sphere from within, lit by its centre, whose every bounce is even.
std::shared_ptr<Scene> furnace() {
    auto scene = std::make_shared<Scene>();
    Material grey;
    grey.diffuse = vec3(0.5f, 0.25f, 0.75f);
    scene->materials = {grey};
    scene->spheres = {{{0, 0, 0}, 1, 0}};
    Light light;
    light.kind = LightKind::point;
    light.radiance = vec3(kPi);
    scene->lights = {light};
    scene->camera = {{0.5f, -0.3f, 0.2f}, {1, 1, 1}, {0, 1, 0}, 100};
    return scene;
}

TEST(Radiosity, ASphereFromWithinIsAFurnace) {
    auto scene = with_renderer(furnace(), "1500");
    scene->settings["radiosity"]["bounces"] = "40";
    for (Device* device : devices()) {
        ImageF image = render_radiance(*device, scene, {24, 16}, 1);
        vec3 albedo = scene->materials[0].diffuse;
        for (vec3 seen : image.rgb)
            for (int c = 0; c < 3; ++c) {
                // albedo I / (pi R^2 (1 - albedo)); points miss what they would send to themselves.
                float expected = albedo[c] / (1 - albedo[c]);
                ASSERT_NEAR(seen[c] / expected, 1, 0.02f) << device->name();
            }
    }
}

TEST(Radiosity, SurfacesAreLitFromBothSides) {
    // A wall between two lamps, lit on each side by its own: the floor shows both bounces.
    for (float side : {1.0f, -1.0f}) {
        auto scene = std::make_shared<Scene>();
        Material white, red;
        white.diffuse = vec3(0.8f);
        red.diffuse = vec3(0.8f, 0, 0);
        scene->materials = {white, red};
        Mesh mesh;
        mesh.positions = {{-2, 0, -2}, {-2, 0, 2}, {2, 0, 2}, {2, 0, -2},
                          {0, 0, -2},  {0, 0, 2},  {0, 2, 2}, {0, 2, -2}};
        mesh.triangles = {{0, 1, 2}, {0, 2, 3}, {4, 5, 6}, {4, 6, 7}};
        mesh.material_of_triangle = {0, 0, 1, 1};
        scene->meshes = {mesh};
        Light light;
        light.kind = LightKind::directional;
        light.direction = glm::normalize(vec3(-side, -0.3f, 0));
        scene->lights = {light};
        scene->camera = {{side, 3, 0}, {side, 0, 0}, {0, 0, 1}, 20};
        ImageF image = render_radiance(*devices()[0], with_renderer(scene, "600"), {8, 8}, 4);
        vec3 mean = test::mean_of(image);
        EXPECT_GT(mean.x, 1.2f * mean.y) << side;
    }
}

}  // namespace
}  // namespace tl::radiosity_tests
