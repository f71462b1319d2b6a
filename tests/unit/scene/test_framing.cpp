// Bounds that a camera should frame.
#include <gtest/gtest.h>

#include "renderer/scene/framing.h"
#include "renderer/scene/loaders/loader.h"
#include "tests/source_path.h"

namespace tl::framing_tests {
namespace {

void expect_box(const Box& found, vec3 lo, vec3 hi, float tolerance) {
    for (int axis = 0; axis < 3; ++axis) {
        EXPECT_NEAR(found.lo[axis], lo[axis], tolerance);
        EXPECT_NEAR(found.hi[axis], hi[axis], tolerance);
    }
}

/// Small triangles all over the unit cube.
Mesh unit_cloud(int per_axis = 10) {
    Mesh mesh;
    for (int x = 0; x <= per_axis; ++x)
        for (int y = 0; y <= per_axis; ++y)
            for (int z = 0; z <= per_axis; ++z) {
                vec3 at = vec3(x, y, z) / static_cast<float>(per_axis);
                auto first = static_cast<std::uint32_t>(mesh.positions.size());
                for (vec3 corner : {vec3(0), vec3(0.01f, 0, 0), vec3(0, 0.01f, 0)})
                    mesh.positions.push_back(at + corner);
                mesh.triangles.emplace_back(first, first + 1, first + 2);
            }
    return mesh;
}

Mesh floor_of(float size) {
    Mesh mesh;
    mesh.positions = {{-size, 0, -size}, {size, 0, -size}, {size, 0, size}, {-size, 0, size}};
    mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
    return mesh;
}

TEST(Framing, AHugeFloorAndADomeAreLeftOut) {
    Scene scene;
    scene.meshes = {unit_cloud(), floor_of(1000)};
    scene.spheres.push_back({vec3(0), 1e5f, 0});
    expect_box(framing_bounds(scene), vec3(0), vec3(1), 0.02f);
}

TEST(Framing, AFloorOfTheSizeOfWhatStandsOnItIsNot) {
    Scene scene;
    scene.meshes = {unit_cloud(), floor_of(1.5f)};
    auto all = bounds_of(scene);
    expect_box(framing_bounds(scene), all.lo, all.hi, 0);
}

TEST(Framing, ADetailOfACoarseModelIsNotAllOfIt) {
    Scene scene;
    // Six large triangles and two small ones.
    scene.meshes = {floor_of(1), floor_of(1.5f), floor_of(2), floor_of(0.01f)};
    auto all = bounds_of(scene);
    expect_box(framing_bounds(scene), all.lo, all.hi, 0);
    // If a ball lies on a floor, the camera frames the ball alone.
    scene.meshes = {floor_of(100)};
    scene.spheres.push_back({vec3(0, 1, 0), 1, 0});
    expect_box(framing_bounds(scene), vec3(-1, 0, -1), vec3(1, 2, 1), 0);
}

TEST(Framing, StraysAreLeftOut) {
    Scene scene;
    scene.meshes = {unit_cloud()};
    auto& mesh = scene.meshes[0];
    auto first = static_cast<std::uint32_t>(mesh.positions.size());
    for (vec3 corner : {vec3(0), vec3(0.01f, 0, 0), vec3(0, 0.01f, 0)})
        mesh.positions.push_back(vec3(500, 20, -70) + corner);
    mesh.triangles.emplace_back(first, first + 1, first + 2);
    auto found = framing_bounds(scene);
    expect_box(found, vec3(0), vec3(1), 0.12f);
}

TEST(Framing, InstancesCountWhereTheyAre) {
    Scene scene;
    scene.meshes = {unit_cloud(), floor_of(1e4f)};
    scene.meshes[0].instanced = true;
    scene.instances.push_back({.mesh = 0, .transform = glm::translate(mat4(1), vec3(3, 2, 1))});
    expect_box(framing_bounds(scene), vec3(3, 2, 1), vec3(4, 3, 2), 0.02f);
}

TEST(Framing, OfManyPrimitivesASampleIsEnough) {
    Scene scene;
    scene.meshes = {unit_cloud(75), floor_of(1000)};
    ASSERT_GT(scene.triangle_count(), 400'000u);
    expect_box(framing_bounds(scene), vec3(0), vec3(1), 0.05f);
}

TEST(Framing, RoomsAreShownWhole) {
    for (const char* name : {"cornell-box", "furnace"}) {
        auto scene = load_scene(source_path("scenes/") + name + ".toml");
        auto all = bounds_of(scene);
        SCOPED_TRACE(name);
        expect_box(framing_bounds(scene), all.lo, all.hi, 0);
    }
}

TEST(Framing, NothingIsEmpty) {
    EXPECT_TRUE(framing_bounds(Scene{}).empty());
}

}  // namespace
}  // namespace tl::framing_tests
