// Morph targets and skins of glTF: vertices computed by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "renderer/scene/loaders/loader.h"
#include "tests/unit/scene/gltf_writer.h"
#include "tests/unit/temp_folder.h"

namespace tl::gltf_deformation_tests {
namespace {

using test::GltfWriter;
using test::refusal;
using test::TempFolder;

void expect_near(vec3 a, vec3 b) {
    EXPECT_LT(glm::distance(a, b), 1e-5f)
        << a.x << " " << a.y << " " << a.z << ", not " << b.x << " " << b.y << " " << b.z;
}

/// A triangle as accessor 0, with normals (1), two morph targets (2, with normals 3; 4), the times
/// 0, 1 and 2 (5) and weights at them (6): of the first target 0, 1, 0, of the second 0, 0, 1.
GltfWriter morphing() {
    GltfWriter writer;
    (void)writer.add("VEC3", {0, 0, 0, 1, 0, 0, 0, 1, 0});
    (void)writer.add("VEC3", {0, 0, 1, 0, 0, 1, 0, 0, 1});
    (void)writer.add("VEC3", {0, 0, 0, 2, 0, 0, 0, 0, 4});
    (void)writer.add("VEC3", {0, 0, 0, 0, 1, 0, 0, 0, 0});
    (void)writer.add("VEC3", {0, -1, 0, 0, 0, 0, 0, 0, 0});
    (void)writer.add("SCALAR", {0, 1, 2});
    (void)writer.add("SCALAR", {0, 0, 1, 0, 0, 1});
    return writer;
}

/// A file of nodes with the mesh that morphs.
std::string morphing_text(const std::string& nodes, const std::string& more = "",
                          const std::string& mesh = "") {
    return morphing().text(
        "\"scenes\": [{\"nodes\": [0]}], \"nodes\": [" + nodes +
        "], \"meshes\": [{\"name\": \"m\", \"primitives\": [{\"attributes\": {\"POSITION\": 0, "
        "\"NORMAL\": 1}, \"targets\": [{\"POSITION\": 2, \"NORMAL\": 3}, {\"POSITION\": 4}]}]" +
        mesh + "}]" + more);
}

std::string animation(const std::string& path, int node, int input, int output) {
    return ", \"animations\": [{\"channels\": [{\"sampler\": 0, \"target\": {\"node\": " +
           std::to_string(node) + ", \"path\": \"" + path +
           "\"}}], \"samplers\": [{\"input\": " + std::to_string(input) +
           ", \"output\": " + std::to_string(output) + "}]}]";
}

TEST(GltfMorphTargets, WeightsAtRestAreApplied) {
    TempFolder folder;
    auto load = [&](const std::string& nodes, const std::string& mesh = "") {
        return load_scene(folder.write("a.gltf", morphing_text(nodes, "", mesh)));
    };
    Scene plain = load("{\"mesh\": 0}");
    EXPECT_TRUE(plain.warnings.empty());
    expect_near(plain.meshes.at(0).positions[1], {1, 0, 0});
    Scene by_mesh = load("{\"mesh\": 0, \"translation\": [10, 0, 0]}", ", \"weights\": [0.5, 1]");
    auto& mesh = by_mesh.meshes.at(0);
    EXPECT_EQ(mesh.animation.kind, AnimationKind::none);
    expect_near(mesh.positions[0], {10, -1, 0});
    expect_near(mesh.positions[1], {12, 0, 0});
    expect_near(mesh.positions[2], {10, 1, 2});
    expect_near(mesh.normals[1], glm::normalize(vec3(0, 0.5f, 1)));
    // The node's weights override the mesh's, also where nodes share the mesh.
    Scene by_node = load(
        "{\"children\": [1, 2, 3]}, {\"mesh\": 0, \"weights\": [1, 0]}, {\"mesh\": 0}, "
        "{\"mesh\": 0}",
        ", \"weights\": [0, 1]");
    ASSERT_EQ(by_node.meshes.size(), 2u);
    EXPECT_EQ(by_node.instances.size(), 2u);
    expect_near(by_node.meshes[0].positions[1], {3, 0, 0});
    expect_near(by_node.meshes[1].positions[0], {0, -1, 0});
}

TEST(GltfMorphTargets, AnimatedWeightsBecomeSetsOfVertices) {
    TempFolder folder;
    std::string nodes = "{\"mesh\": 0, \"translation\": [10, 0, 0], \"scale\": [1, 1, -1]}";
    Scene scene =
        load_scene(folder.write("a.gltf", morphing_text(nodes, animation("weights", 0, 5, 6))));
    EXPECT_TRUE(scene.warnings.empty());
    EXPECT_EQ(scene.duration, 2);
    auto& mesh = scene.meshes.at(0);
    EXPECT_EQ(mesh.animation.kind, AnimationKind::frames);
    EXPECT_EQ(mesh.animation.period, 2);
    ASSERT_EQ(mesh.frames.size(), 60u);
    EXPECT_EQ(mesh.frames[0].positions, mesh.positions);
    expect_near(mesh.positions[1], {11, 0, 0});
    expect_near(mesh.frames[15].positions[1], {12, 0, 0});
    expect_near(mesh.frames[15].positions[2], {10, 1, -2});
    expect_near(mesh.frames[15].normals[1], glm::normalize(vec3(0, 0.5f, -1)));
    expect_near(mesh.frames[30].positions[1], {13, 0, 0});
    expect_near(mesh.frames[45].positions[0], {10, -0.5f, 0});
    // Mirrored: its outside stays outside.
    EXPECT_EQ(mesh.triangles[0], glm::uvec3(0, 2, 1));
    Scene placed =
        load_scene(folder.write("s.toml", "[[mesh]]\nfile = \"a.gltf\"\ntranslate = [20, 0, 0]\n"));
    expect_near(placed.meshes.at(0).frames[30].positions[1], {33, 0, 0});
}

TEST(GltfMorphTargets, FaultsAreNamed) {
    TempFolder folder;
    auto refused = [&](const std::string& text) {
        return refusal([&] { (void)load_scene(folder.write("a.gltf", text)); });
    };
    std::string text = morphing_text("{\"mesh\": 0}");
    text.replace(text.find("{\"POSITION\": 4}"), 15, "{\"POSITION\": 7}");
    text.insert(text.find("], \"scenes\""),
                ", {\"bufferView\": 0, \"componentType\": 5126, \"count\": 2, \"type\": "
                "\"VEC3\"}");
    TL_EXPECT_CONTAINS(refused(text), "mesh 'm' has a morph target with another count");
    TL_EXPECT_CONTAINS(refused(morphing_text("{\"mesh\": 0}", animation("weights", 0, 6, 5))),
                       "animation channel 0 has key times that do not rise");
    GltfWriter writer = morphing();
    text = morphing_text("{\"mesh\": 0}", animation("weights", 0, 5, 7));
    text.insert(text.find("], \"scenes\""),
                ", {\"bufferView\": 6, \"componentType\": 5126, \"count\": 5, \"type\": "
                "\"SCALAR\"}");
    TL_EXPECT_CONTAINS(refused(text), "has 5 weights for 3 keys");
}

constexpr float kHalf = 0.70710678f;

/// A triangle on two joints, nodes 1 at the origin and 2 at (0, 1, 0) on it. The second vertex
/// belongs to the second joint, the third one to both by half.
std::string skinned_text(const std::string& joint, const std::string& more = "",
                         const std::string& joints = "1, 2") {
    GltfWriter writer;
    (void)writer.add("VEC3", {0, 0, 0, 0, 2, 0, 1, 1, 0});
    (void)writer.add("VEC3", {0, 0, 1, 1, 0, 0, 0, 0, 1});
    (void)writer.add("VEC4", {0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0});        // JOINTS_0
    (void)writer.add("VEC4", {1, 0, 0, 0, 1, 0, 0, 0, 0.5f, 0.5f, 0, 0});  // WEIGHTS_0
    (void)writer.add("SCALAR", {0, 1});
    (void)writer.add("VEC4", {0, 0, 0, 1, 0, 0, kHalf, kHalf});
    int bind = writer.add_bytes(
        test::raw_bytes(std::vector<float>{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0,  0, 1,  //
                                           1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -1, 0, 1}));
    std::string text = writer.text(
        "\"scenes\": [{\"nodes\": [0, 1]}], \"nodes\": [{\"mesh\": 0, \"skin\": 0, "
        "\"translation\": [50, 0, 0]}, {\"children\": [2]}, {\"translation\": [0, 1, 0]" +
        joint + "}], \"skins\": [{\"inverseBindMatrices\": 6, \"joints\": [" + joints +
        "]}], \"meshes\": [{\"name\": \"m\", \"primitives\": [{\"attributes\": {\"POSITION\": 0, "
        "\"NORMAL\": 1, \"JOINTS_0\": 2, \"WEIGHTS_0\": 3}}]}]" +
        more);
    text.insert(text.find("], \"scenes\""),
                ", {\"bufferView\": " + std::to_string(bind) +
                    ", \"componentType\": 5126, \"count\": 2, \"type\": \"MAT4\"}");
    return text;
}

TEST(GltfSkins, AtRestFollowTheirJointsAndNotTheirNode) {
    TempFolder folder;
    Scene bound = load_scene(folder.write("a.gltf", skinned_text("")));
    EXPECT_TRUE(bound.warnings.empty());
    expect_near(bound.meshes.at(0).positions[1], {0, 2, 0});
    // The second joint turns by 90 degrees about z.
    Scene bent =
        load_scene(folder.write("a.gltf", skinned_text(", \"rotation\": [0, 0, 0.70710678, "
                                                       "0.70710678]")));
    auto& mesh = bent.meshes.at(0);
    EXPECT_EQ(mesh.animation.kind, AnimationKind::none);
    expect_near(mesh.positions[0], {0, 0, 0});
    expect_near(mesh.positions[1], {-1, 1, 0});
    expect_near(mesh.normals[1], {0, 1, 0});
    expect_near(mesh.positions[2], {0.5f, 1.5f, 0});  // half of (1, 1, 0) and half of (0, 2, 0)
}

TEST(GltfSkins, MoveFromOneSetOfVerticesToTheNext) {
    TempFolder folder;
    Scene scene =
        load_scene(folder.write("a.gltf", skinned_text("", animation("rotation", 2, 4, 5))));
    EXPECT_TRUE(scene.warnings.empty());
    auto& mesh = scene.meshes.at(0);
    EXPECT_EQ(mesh.animation.kind, AnimationKind::frames);
    ASSERT_EQ(mesh.frames.size(), 30u);
    expect_near(mesh.frames[0].positions[1], {0, 2, 0});
    expect_near(mesh.frames[15].positions[1], {-kHalf, 1 + kHalf, 0});
    expect_near(mesh.frames[15].normals[1], {kHalf, kHalf, 0});
    EXPECT_EQ(scene.duration, 1);
}

TEST(GltfSkins, FaultsAreNamed) {
    TempFolder folder;
    auto refused = [&](const std::string& text) {
        return refusal([&] { (void)load_scene(folder.write("a.gltf", text)); });
    };
    TL_EXPECT_CONTAINS(refused(skinned_text("", "", "1")),
                       "mesh 'm' names a joint that its skin has not");
    TL_EXPECT_CONTAINS(refused(skinned_text("", "", "1, 9")), "there is no node 9");
    TL_EXPECT_CONTAINS(refused(skinned_text("", "", "1, 2, 1")),
                       "skin 0 has fewer matrices than joints");
}

}  // namespace
}  // namespace tl::gltf_deformation_tests
