// Keyframe animation: transforms by tracks and joints, on the host and, for meshes, on every
// device; and meshes with one shape per frame.
#include <cmath>
#include <glm/gtc/matrix_transform.hpp>

#include "renderer/scene/live/animation.h"
#include "renderer/scene/loaders/loader.h"
#include "renderer/scene/transform.h"
#include "tests/unit/temp_folder.h"

namespace tl::rigid_motion_tests {
namespace {

using test::refusal;

vec3 moved(const RigidMotion& motion, double seconds, vec3 p) {
    return vec3(motion.at(seconds) * glm::dvec4(glm::dvec3(p), 1));
}

void expect_near(vec3 a, vec3 b, float tolerance = 1e-5f) {
    EXPECT_LT(glm::distance(a, b), tolerance)
        << a.x << " " << a.y << " " << a.z << ", not " << b.x << " " << b.y << " " << b.z;
}

glm::quat about_z(float degrees) {
    return glm::angleAxis(glm::radians(degrees), vec3(0, 0, 1));
}

TEST(RigidMotion, TracksGoThroughTheirKeysAndStandStillBeyond) {
    RigidMotion motion;
    motion.joints.resize(1);
    auto& track = motion.joints[0].translation;
    track = {{1, 2, 4}, {{1, 0, 0}, {3, 0, 0}, {3, 8, 0}}};
    EXPECT_EQ(motion.length(), 4);
    for (auto [time, place] : {std::pair{0.0, vec3(1, 0, 0)},
                               {1.0, {1, 0, 0}},
                               {1.5, {2, 0, 0}},
                               {3.0, {3, 4, 0}},
                               {9.0, {3, 8, 0}}})
        expect_near(moved(motion, time, vec3(0)), place);
    track.interpolation = Interpolation::step;
    expect_near(moved(motion, 1.99, vec3(0)), {1, 0, 0});
    expect_near(moved(motion, 2, vec3(0)), {3, 0, 0});
    // Cubic Hermite curve: zero tangents give the mean half way; slope 1 gives a line.
    track = {{0, 2}, {vec3(0), vec3(0), vec3(0), vec3(0), {4, 0, 0}, vec3(0)}};
    track.interpolation = Interpolation::cubic;
    expect_near(moved(motion, 1, vec3(0)), {2, 0, 0});
    expect_near(moved(motion, 0.5, vec3(0)), {0.625f, 0, 0});
    vec3 slope(1, 0, 0);
    track.values = {slope, vec3(0), slope, slope, {2, 0, 0}, slope};
    expect_near(moved(motion, 0.3, vec3(0)), {0.3f, 0, 0});
}

TEST(RigidMotion, JointsScaleThenTurnAlongTheArcThenMove) {
    RigidMotion motion;
    motion.joints.resize(2);
    motion.joints[0].placement = glm::translate(glm::dmat4(1), glm::dvec3(0, 0, 5));
    motion.joints[0].rotation = {{0, 1}, {about_z(0), about_z(90)}};
    motion.joints[1].translation = {{0, 1}, {{1, 0, 0}, {3, 0, 0}}};
    motion.joints[1].scale = {{0, 1}, {vec3(1), vec3(3)}};
    expect_near(moved(motion, 0, {1, 0, 0}), {2, 0, 5});
    expect_near(moved(motion, 1, {1, 0, 0}), {0, 6, 5});
    float half = std::sqrt(0.5f);
    expect_near(moved(motion, 0.5, {1, 0, 0}), {4 * half, 4 * half, 5});
    motion.joints[0].rotation.interpolation = Interpolation::step;
    expect_near(moved(motion, 0.5, {1, 0, 0}), {4, 0, 5});
}

/// A triangle in the plane z = 0.
Mesh triangle() {
    Mesh mesh;
    mesh.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    mesh.normals.assign(3, {0, 0, 1});
    mesh.triangles = {{0, 1, 2}};
    mesh.material_of_triangle = {0};
    return mesh;
}

TEST(RigidMotion, MeshesOfSeveralBatchesMoveEachInItsOwnWayOnEveryDevice) {
    constexpr std::size_t kMeshes = 2 * RigidBatch::kMost + 3;
    std::vector<MovingMesh> meshes;
    std::vector<vec3> positions(2, vec3(7)), normals(2, vec3(0));  // of static parts
    for (std::size_t i = 0; i < kMeshes; ++i) {
        Animation animation;
        animation.kind = AnimationKind::rigid;
        animation.rigid.joints.resize(1);
        auto& joint = animation.rigid.joints[0];
        joint.translation = {{0, 4}, {vec3(0), {static_cast<float>(i), 0, 0}}};
        joint.rotation = {{0, 4}, {glm::quat(1, 0, 0, 0), glm::angleAxis(kPi / 2, vec3(1, 0, 0))}};
        joint.scale = {{0, 4}, {vec3(1), {1, 2, 4}}};
        animation.period = 4;
        meshes.push_back({animation, positions.size(), 3});
        Mesh mesh = triangle();
        positions.insert(positions.end(), mesh.positions.begin(), mesh.positions.end());
        normals.insert(normals.end(), mesh.normals.begin(), mesh.normals.end());
        if (i % 2) positions.emplace_back(9), normals.emplace_back(0);
    }
    for (Device* device : devices()) {
        auto stream = device->create_stream();
        Animator animator;
        animator.set(*stream, meshes, positions, normals);
        DeviceArray<vec3> p(*stream, positions.size()), n(*stream, normals.size());
        p.assign(*stream, positions);
        n.assign(*stream, normals);
        animator.run(*stream, 0.5, 4, p.view(), n.view());
        auto at = p.download(*stream), turned = n.download(*stream);
        float half = std::sqrt(0.5f);
        for (std::size_t i = 0; i < kMeshes; ++i) {
            std::size_t first = meshes[i].first_vertex;
            float x = 0.5f * static_cast<float>(i);
            expect_near(at[first], {x, 0, 0});
            expect_near(at[first + 1], {x + 1, 0, 0});
            expect_near(at[first + 2], {x, 1.5f * half, 1.5f * half});
            expect_near(turned[first + 2], {0, -half, half});
        }
        EXPECT_EQ(at[0], vec3(7));
        EXPECT_EQ(at[8], vec3(9));  // between the second and the third mesh
    }
}

TEST(RigidMotion, ShortPeriodsAreRepeatedWholeTimes) {
    EXPECT_EQ(phase_of_round(0.25, 0, 6), 0.25);
    EXPECT_EQ(phase_of_round(0.25, 6, 6), 0.25);
    EXPECT_EQ(phase_of_round(0.25, 3.2f, 6), 0.5);  // two rounds
    EXPECT_EQ(phase_of_round(0.75, 2, 4), 0.5);
    EXPECT_EQ(phase_of_round(0.5, 60, 6), 0.5);
}

TEST(Frames, VerticesGoStraightFromFrameToFrameAndBackToTheFirst) {
    Mesh mesh = triangle();
    for (float z : {0.0f, 1.0f, 5.0f}) {
        MeshFrame frame{mesh.positions, mesh.normals};
        for (auto& p : frame.positions) p.z = z;
        if (z == 1) frame.normals.assign(3, {1, 0, 0});
        mesh.frames.push_back(frame);
    }
    Animation animation;
    animation.kind = AnimationKind::frames;
    for (Device* device : devices()) {
        auto stream = device->create_stream();
        DeviceArray<vec3> p(*stream, 3), n(*stream, 3);
        auto height_at = [&](double phase) {
            Animator animator;
            animator.set(*stream, {{animation, 0, 3, mesh.frames}}, mesh.positions, mesh.normals);
            animator.run(*stream, phase, 6, p.view(), n.view());
            return p.download(*stream)[1].z;
        };
        animation.returns = false;
        EXPECT_EQ(height_at(0), 0);
        EXPECT_NEAR(height_at(0.5), 3, 1e-5f);         // a third of the time each
        EXPECT_NEAR(height_at(5.0 / 6), 2.5f, 1e-5f);  // from the last to the first
        EXPECT_NEAR(height_at(1.0 / 6), 0.5f, 1e-5f);
        float half = std::sqrt(0.5f);
        expect_near(n.download(*stream)[0], {half, 0, half});
        animation.returns = true;
        EXPECT_EQ(height_at(0), 0);
        EXPECT_EQ(height_at(0.25), 1);
        EXPECT_EQ(height_at(0.5), 5);
        EXPECT_EQ(height_at(0.75), 1);
        EXPECT_NEAR(height_at(1 - 1e-9), 0, 1e-5f);
    }
}

constexpr const char* kQuad =
    "[[mesh]]\npositions = [[0, 0, 0], [4, 0, 0], [4, 0, 2], [0, 0, 2]]\nquads = [[3, 2, 1, 0]]\n";

TEST(RigidMotion, SceneFilesGiveKeysAboutACentre) {
    test::TempFolder folder;
    auto load = [&](const std::string& animation) {
        return load_scene(folder.write("a.toml", kQuad + animation));
    };
    Scene scene = load(
        "translate = [0, 10, 0]\nanimation = { kind = \"rigid\", keys = [{ time = 0 }, { time = 2, "
        "translate = [0, 1, 0], rotate = [0, 0, 90], scale = [2, 1, 1] }, { time = 3 }] }\n");
    EXPECT_TRUE(scene.warnings.empty());
    auto& animation = scene.meshes[0].animation;
    EXPECT_EQ(animation.kind, AnimationKind::rigid);
    EXPECT_EQ(animation.period, 3);
    EXPECT_EQ(scene.duration, 3);
    expect_near(moved(animation.rigid, 0, {4, 10, 1}), {4, 10, 1});
    expect_near(moved(animation.rigid, 2, {4, 10, 1}), {2, 15, 1});
    expect_near(moved(animation.rigid, 3, {4, 10, 1}), {4, 10, 1});
    auto about = load(
        "animation = { kind = \"rigid\", center = [0, 0, 0], interpolation = \"step\", "
        "keys = [{ time = 0 }, { time = 1, rotate = [0, 90, 0] }] }\n");
    auto& rigid = about.meshes[0].animation.rigid;
    expect_near(moved(rigid, 0.9, {4, 0, 0}), {4, 0, 0});
    expect_near(moved(rigid, 1, {4, 0, 0}), {0, 0, -4});
    // Transforms applied later also transform the motion.
    SceneMark none(Scene{});
    apply({vec3(2), vec3(0), {100, 0, 0}}, about, none, false);
    expect_near(moved(rigid, 1, {108, 0, 0}), {100, 0, -8}, 1e-4f);
}

TEST(RigidMotion, SceneFilesWithBadKeysAreRefusedByLine) {
    test::TempFolder folder;
    auto refused = [&](const std::string& keys) {
        return refusal([&] {
            (void)load_scene(folder.write(
                "a.toml", kQuad + ("animation = { kind = \"rigid\", " + keys + " }\n")));
        });
    };
    EXPECT_EQ(refused("keys = [{ time = 0 }, { time = 1 }]"), "");
    TL_EXPECT_CONTAINS(refused("turns = 2"), "a.toml:4: animation needs 'keys'");
    for (auto* keys : {"keys = 3", "keys = []", "keys = [{ time = 0 }]", "keys = [0, 1]"})
        TL_EXPECT_CONTAINS(refused(keys), "a.toml:4: 'keys' wants two moments or more");
    TL_EXPECT_CONTAINS(refused("keys = [{ time = 0 }, { scale = 2 }]"),
                       "a.toml:4: animation keys needs 'time'");
    for (auto* keys :
         {"keys = [{ time = 1 }, { time = 1 }]", "keys = [{ time = 2 }, { time = 1 }]"})
        TL_EXPECT_CONTAINS(refused(keys), "a.toml:4: the times of keys must rise");
    TL_EXPECT_CONTAINS(refused("keys = [{ time = 0 }, { time = -1 }]"), "time is -1");
    TL_EXPECT_CONTAINS(refused("keys = [{ time = 0 }, { time = 1, scale = 0 }]"), "a scale of 0");
    TL_EXPECT_CONTAINS(refused("interpolation = \"cubic\", keys = [{ time = 0 }, { time = 1 }]"),
                       "unknown interpolation 'cubic'; known: linear, step");
}

TEST(RigidMotion, PartsThatMoveOnTheirOwnStandStillInCopies) {
    test::TempFolder folder;
    std::string toasters = "[[generate]]\nkind = \"toasters\"\nname = \"t\"\ninstanced = true\n";
    std::string instance = "[[instances]]\nmesh = \"t\"\n";
    Scene still = load_scene(folder.write("a.toml", toasters + instance));
    ASSERT_EQ(still.warnings.size(), 1u);
    TL_EXPECT_CONTAINS(still.warnings[0], "a.toml:4: its parts move each on its own");
    EXPECT_EQ(still.meshes[0].animation.kind, AnimationKind::none);
    EXPECT_EQ(still.duration, 0);
    std::string together =
        "animation = { kind = \"rigid\", keys = [{ time = 0 }, { time = 1 }] }\n";
    Scene moving = load_scene(folder.write("a.toml", toasters + together + instance));
    EXPECT_TRUE(moving.warnings.empty());
    EXPECT_EQ(moving.meshes[0].animation.kind, AnimationKind::rigid);
}

}  // namespace
}  // namespace tl::rigid_motion_tests
