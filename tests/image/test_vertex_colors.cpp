// Colours of vertices and spheres multiply the base colour, in every renderer.
#include <gtest/gtest.h>

#include "tests/image/picture.h"

namespace tl::vertex_colors_tests {
namespace {

using test::render_radiance;

constexpr int kSize = 16;

/// A square of 2 m in the plane y = 0, facing up.
Mesh square() {
    Mesh mesh;
    mesh.positions = {{-1, 0, 1}, {1, 0, 1}, {1, 0, -1}, {-1, 0, -1}};
    mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
    mesh.material_of_triangle = {0, 0};
    return mesh;
}

/// Linear function of the position, so that both triangles of the square have the same one.
vec3 color_at(float x, float z) {
    return {0.5f + 0.4f * x, 0.5f + 0.3f * z, 0.25f};
}

/// The square with colours, which fills the picture, under a sun that makes a white surface 1.
std::shared_ptr<Scene> square_scene() {
    auto scene = std::make_shared<Scene>();
    scene->materials.resize(1);
    scene->materials[0].diffuse = vec3(0.5f);
    scene->meshes = {square()};
    for (vec3 p : scene->meshes[0].positions) scene->meshes[0].colors.push_back(color_at(p.x, p.z));
    scene->camera = {{0, 2, 0}, {0, 0, 0}, {0, 0, -1}, 50};
    Light sun;
    sun.kind = LightKind::directional;
    sun.direction = {0, -1, 0};
    sun.radiance = vec3(kPi);
    scene->lights = {sun};
    scene->settings["sampling"]["filter-radius"] = "1e-5";  // pixel centres
    scene->settings["whitted"]["ambient"] = "0";
    return scene;
}

/// The most that a pixel differs from half of the colour of its centre.
float most_off(const ImageF& picture) {
    float most = 0, step = 4 * std::tan(glm::radians(25.0f)) / kSize;
    for (int y = 0; y < kSize; ++y)
        for (int x = 0; x < kSize; ++x) {
            vec3 expected = 0.5f * color_at((float(x) - 7.5f) * step, (float(y) - 7.5f) * step);
            vec3 off = glm::abs(picture.rgb[std::size_t(kSize * y + x)] - expected);
            most = std::max({most, off.x, off.y, off.z});
        }
    return most;
}

TEST(VertexColors, AreInterpolatedByEveryRenderer) {
    for (Device* device : devices())
        for (auto& renderer : test::picture_renderers())
            for (bool is_instance : {false, true}) {
                SCOPED_TRACE(device->name() + ", " + renderer + (is_instance ? ", instance" : ""));
                auto scene = square_scene();
                scene->settings["render"]["renderer"] = renderer;
                scene->meshes[0].instanced = is_instance;
                if (is_instance) scene->instances.emplace_back();
                auto picture = render_radiance(*device, scene, {kSize, kSize}, 4);
                // Renderers that estimate all light by photons are noisy; none of them is black.
                bool is_exact = renderer == "whitted" || renderer == "path";
                if (is_exact)
                    EXPECT_LT(most_off(picture), 2e-3f);
                else
                    EXPECT_LT(glm::length(test::mean_of(picture) - 0.5f * color_at(0, 0)), 0.05f);
            }
}

TEST(VertexColors, AreSeenByEveryPipelineAndBesideMeshesWithout) {
    for (Device* device : devices())
        for (const char* pipeline : {"single-kernel", "wavefront", "post-order", "by-level"}) {
            SCOPED_TRACE(device->name() + ", " + pipeline);
            auto scene = square_scene();
            scene->settings["whitted"]["pipeline"] = pipeline;
            Mesh below = square();
            for (vec3& p : below.positions) p.y = -1;
            scene->meshes.insert(scene->meshes.begin(), below);
            EXPECT_LT(most_off(render_radiance(*device, scene, {kSize, kSize}, 1)), 1e-5f);
            scene->meshes.erase(scene->meshes.begin() + 1);
            for (vec3 rgb : render_radiance(*device, scene, {2, 2}, 1).rgb)
                EXPECT_NEAR(rgb.x, 0.5f, 1e-5f);
        }
}

TEST(VertexColors, OfSpheresAreTheirs) {
    for (Device* device : devices())
        for (auto* renderer : {"whitted", "path"}) {
            SCOPED_TRACE(device->name() + ", " + renderer);
            auto scene = square_scene();
            scene->settings["render"]["renderer"] = renderer;
            scene->meshes.clear();
            scene->spheres = {{.center = {-0.5f, 0, 0}, .radius = 0.4f, .color = {1, 0.5f, 0}},
                              {.center = {0.5f, 0, 0}, .radius = 0.4f}};
            auto picture = render_radiance(*device, scene, {kSize, kSize}, 1);
            // Left of the middle, the sphere; its top faces the sun nearly, and its blue is 0.
            vec3 left = picture.rgb[std::size_t(kSize * 8 + 3)];
            vec3 right = picture.rgb[std::size_t(kSize * 8 + 12)];
            EXPECT_GT(left.x, 0.4f);
            EXPECT_NEAR(left.y, left.x / 2, 1e-5f);
            EXPECT_EQ(left.z, 0);
            EXPECT_GT(right.x, 0.4f);
            EXPECT_EQ(right.z, right.x);
        }
}

}  // namespace
}  // namespace tl::vertex_colors_tests
