// Boxes around dielectrics: only a camera inside one of them needs a search for its media.
#include <gtest/gtest.h>

#include <cmath>

#include "renderer/scene/live/medium_boxes.h"

namespace tl::medium_boxes_tests {
namespace {

/// Two triangles, the one at x = 0 to 1 of an absorbing dielectric, the one at x = 10 to 11 not.
Scene two_triangles() {
    Scene scene;
    Material glass, paint;
    glass.kind = MaterialKind::dielectric;
    glass.absorption = vec3(1);
    scene.materials = {glass, paint};
    Mesh mesh;
    mesh.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 1}, {10, 0, 0}, {11, 0, 0}, {10, 1, 1}};
    mesh.triangles = {{0, 1, 2}, {3, 4, 5}};
    mesh.material_of_triangle = {0, 1};
    scene.meshes = {mesh};
    return scene;
}

}  // namespace

TEST(MediumBoxes, HoldTheDielectricPartOfAMeshAlone) {
    MediumBoxes boxes(two_triangles());
    EXPECT_TRUE(boxes.contain({0.5f, 0.5f, 0.5f}, 0));
    EXPECT_FALSE(boxes.contain({5, 0.5f, 0.5f}, 0));
    EXPECT_FALSE(boxes.contain({10.5f, 0.5f, 0.5f}, 0));
}

TEST(MediumBoxes, AreNotMadeOfAMediumThatChangesNothing) {
    Scene scene = two_triangles();
    scene.materials[0].absorption = vec3(0);
    EXPECT_TRUE(MediumBoxes(scene).empty());
    scene.materials[1].kind = MaterialKind::dielectric;  // two: an index beside another
    EXPECT_FALSE(MediumBoxes(scene).empty());
}

TEST(MediumBoxes, FollowRigidMotion) {
    Scene scene = two_triangles();
    scene.duration = 8;
    Animation& animation = scene.meshes[0].animation;
    animation.kind = AnimationKind::rigid;
    animation.period = 4;
    Joint joint;
    joint.translation = {{0, 4}, {vec3(0), vec3(0, 8, 0)}};
    animation.rigid.joints = {joint};
    MediumBoxes boxes(scene);
    for (float time : {0.0f, 1.0f, 3.0f, 5.0f, 9.0f})
        for (float y : {0.5f, 2.5f, 6.5f}) {
            float shift = 2 * std::fmod(time, 4.0f);
            EXPECT_EQ(boxes.contain({0.5f, y, 0.5f}, time), y >= shift && y <= shift + 1)
                << time << " s, y " << y;
        }
}

TEST(MediumBoxes, HoldAllFramesAndWaves) {
    Scene scene = two_triangles();
    Mesh& mesh = scene.meshes[0];
    mesh.animation.kind = AnimationKind::frames;
    mesh.frames = {{mesh.positions, {}}, {mesh.positions, {}}};
    for (vec3& p : mesh.frames[1].positions) p.z += 3;
    EXPECT_TRUE(MediumBoxes(scene).contain({0.5f, 0.5f, 3.5f}, 0));
    EXPECT_FALSE(MediumBoxes(scene).contain({0.5f, 0.5f, 4.5f}, 0));
    mesh.animation.kind = AnimationKind::wave;
    mesh.animation.height = 0.5f;
    mesh.frames.clear();
    EXPECT_TRUE(MediumBoxes(scene).contain({0.5f, 1.4f, 0.5f}, 0));
    EXPECT_FALSE(MediumBoxes(scene).contain({0.5f, 1.6f, 0.5f}, 0));
    // Triangles that fly away may be anywhere.
    mesh.animation.kind = AnimationKind::explode;
    EXPECT_TRUE(MediumBoxes(scene).contain({500, 0, 0}, 0));
}

}  // namespace tl::medium_boxes_tests
