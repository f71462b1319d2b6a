// Detection of the parts of a scene that have changed.
#include <gtest/gtest.h>

#include "renderer/radiosity/points/scene_fingerprint.h"
#include "renderer/radiosity/points/scene_parts.h"

namespace tl::scene_parts_tests {
namespace {

Mesh triangle_at(vec3 corner) {
    Mesh mesh;
    mesh.positions = {corner, corner + vec3(1, 0, 0), corner + vec3(0, 1, 0)};
    mesh.triangles = {{0, 1, 2}};
    mesh.material_of_triangle = {0};
    return mesh;
}

/// A mesh, instances of another one at rest, spheres, patches and lights.
Scene still_scene() {
    Scene scene;
    scene.materials.emplace_back();
    scene.meshes = {triangle_at({0, 0, 0}), triangle_at({0, 0, 0})};
    scene.meshes[1].instanced = true;
    for (float x : {10.0f, 20.0f}) {
        Instance instance{.mesh = 1};
        instance.transform[3] = vec4(x, 0, 0, 1);
        scene.instances.push_back(instance);
    }
    scene.spheres = {{{30, 0, 0}, 1}, {{40, 0, 0}, 1}};
    PatchSet set;
    set.points.assign(16, vec3(50, 0, 0));
    set.material_of_patch = {0};
    scene.patches = {set};
    Light lamp;
    lamp.kind = LightKind::sphere;
    lamp.position = {60, 0, 0};
    scene.lights = {lamp, Light{}};
    return scene;
}

std::vector<Box> changes(const Scene& before, const Scene& now, float time = 0,
                         std::size_t most = 64) {
    return changed_boxes(parts_of(before, 0), parts_of(now, time), most);
}

/// One box of all changes.
Box change(const Scene& before, const Scene& now, float time = 0) {
    Box all;
    for (auto& box : changes(before, now, time)) all.extend(box);
    return all;
}

void expect_box(const Box& box, vec3 lo, vec3 hi) {
    for (int axis = 0; axis < 3; ++axis) {
        EXPECT_NEAR(box.lo[axis], lo[axis], 1e-4f) << axis;
        EXPECT_NEAR(box.hi[axis], hi[axis], 1e-4f) << axis;
    }
}

TEST(SceneParts, WhatHasMovedIsWhereItWasAndWhereItIs) {
    const Scene before = still_scene();
    EXPECT_TRUE(changes(before, before).empty());
    Scene now = before;
    now.lights[1].position = {1, 2, 3};  // without a surface
    now.materials[0].diffuse = vec3(0.1f);
    EXPECT_TRUE(changes(before, now).empty());

    now.meshes[0] = triangle_at({0, 0, 3});
    expect_box(change(before, now), {0, 0, 0}, {1, 1, 3});
    EXPECT_EQ(changes(before, now).size(), 2u);
    now = before;
    now.instances[1].transform[3].y = 2;
    expect_box(change(before, now), {20, 0, 0}, {21, 3, 0});
    now = before;
    now.meshes[1] = triangle_at({0, 0, 1});  // of both instances
    now.meshes[1].instanced = true;
    expect_box(change(before, now), {10, 0, 0}, {21, 1, 1});
    now = before;
    now.spheres.erase(now.spheres.begin());
    expect_box(change(before, now), {29, -1, -1}, {31, 1, 1});
    now = before;
    now.patches[0].points[3] = {50, 4, 0};
    expect_box(change(before, now), {50, 0, 0}, {50, 4, 0});
    now = before;
    now.lights[0].radius = 2;
    expect_box(change(before, now), {58, -2, -2}, {62, 2, 2});
    now = before;
    now.splats.push_back({{70, 0, 0}, 0.5f});
    expect_box(change(before, now), {69.5f, -0.5f, -0.5f}, {70.5f, 0.5f, 0.5f});
    now = before;
    now.materials[0].alpha_cutoff = 0.25f;  // of holes anywhere
    expect_box(change(before, now), {0, -1, -1}, {61, 1, 1});
}

TEST(SceneParts, WhatMovesByItselfDoesSoInTime) {
    Scene scene = still_scene();
    scene.duration = 4;
    scene.instances[0].walk = {.radius = 2, .speed = kPi};
    Animation& up = scene.meshes[0].animation;
    up.kind = AnimationKind::wave;
    up.lift = {0, 0, 1};
    scene.patches[0].animation.kind = AnimationKind::wave;
    auto boxes = changes(scene, scene, 1);
    ASSERT_EQ(boxes.size(), 6u);
    for (auto& box : boxes) {
        bool is_mesh = box.lo.x > -0.5f && box.hi.x < 1.5f;
        bool is_walker = box.lo.x > 5 && box.hi.x < 16;
        EXPECT_TRUE(is_mesh || is_walker || box.lo.x == 50) << box.lo.x << " " << box.hi.x;
    }
    EXPECT_TRUE(changed_boxes(parts_of(scene, 0), parts_of(scene, 4), 64).empty());
}

TEST(SceneParts, ManyChangesAreInAFewBoxes) {
    Scene before, now;
    before.materials.emplace_back();
    for (int i = 0; i < 1000; ++i) {
        float x = static_cast<float>(i % 10), y = static_cast<float>(i / 10 % 10),
              z = static_cast<float>(i / 100);
        before.spheres.push_back({{x, y, z}, 0.1f});
    }
    now = before;
    for (auto& sphere : now.spheres) sphere.center.x += 0.1f;
    auto boxes = changes(before, now, 0, 64);
    EXPECT_LE(boxes.size(), 64u);
    EXPECT_GE(boxes.size(), 32u);
    double volume = 0;
    for (auto& box : boxes) {
        vec3 size = box.hi - box.lo;
        volume += double(size.x * size.y * size.z);
    }
    EXPECT_LT(volume, 3 * 9.3 * 9.2 * 9.2);  // of those that lie together
    for (auto& sphere : before.spheres) {
        bool is_in_one = false;
        for (auto& box : boxes)
            is_in_one = is_in_one || (glm::all(glm::lessThanEqual(box.lo, sphere.center)) &&
                                      glm::all(glm::greaterThanEqual(box.hi, sphere.center)));
        EXPECT_TRUE(is_in_one);
    }
}

TEST(SceneFingerprint, HolesBelongToSurfacesAndColoursDoNot) {
    Scene scene = still_scene();
    auto before = fingerprint_of_surfaces(scene, 0);
    scene.materials[0].diffuse = vec3(0.1f);
    EXPECT_EQ(fingerprint_of_surfaces(scene, 0), before);
    scene.materials[0].alpha_cutoff = 0.3f;
    EXPECT_NE(fingerprint_of_surfaces(scene, 0), before);
}

}  // namespace
}  // namespace tl::scene_parts_tests
