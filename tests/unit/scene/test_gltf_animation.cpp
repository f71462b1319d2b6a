// Animated glTF files: positions computed by hand, and errors in files.
#include <cmath>

#include "renderer/scene/loaders/loader.h"
#include "tests/unit/scene/gltf_writer.h"
#include "tests/unit/temp_folder.h"

namespace tl::gltf_animation_tests {
namespace {

using test::GltfWriter;
using test::refusal;
using test::TempFolder;

constexpr float kHalf = 0.70710678f;

std::string node_text(const std::string& text) {
    return "\"scenes\": [{\"nodes\": [0]}], \"nodes\": [" + text +
           "], \"meshes\": [{\"name\": \"m\", \"primitives\": [{\"attributes\": {\"POSITION\": "
           "0}}]}]";
}

/// An animation of channels "node.path: input, output, interpolation".
std::string animation(const std::string& channels, const std::string& samplers) {
    return ", \"animations\": [{\"channels\": [" + channels + "], \"samplers\": [" + samplers +
           "]}]";
}
std::string channel(int sampler, int node, const std::string& path) {
    return "{\"sampler\": " + std::to_string(sampler) +
           ", \"target\": {\"node\": " + std::to_string(node) + ", \"path\": \"" + path + "\"}}";
}
std::string sampler(int input, int output, const std::string& interpolation = "LINEAR") {
    return "{\"input\": " + std::to_string(input) + ", \"output\": " + std::to_string(output) +
           ", \"interpolation\": \"" + interpolation + "\"}";
}

/// A triangle as accessor 0, and times 0, 1 and 3 as accessor 1.
GltfWriter writer_with_times() {
    GltfWriter writer;
    (void)writer.add("VEC3", {0, 0, 0, 1, 0, 0, 0, 1, 0});
    (void)writer.add("SCALAR", {0, 1, 3});
    return writer;
}

/// Position at a time of the mesh's second vertex, which is (1, 0, 0) in mesh space.
vec3 corner_at(const Mesh& mesh, double seconds) {
    glm::dvec4 p(glm::dvec3(mesh.positions[1]), 1);
    return vec3(mesh.animation.rigid.at(seconds) * p);
}

void expect_near(vec3 a, vec3 b) {
    EXPECT_LT(glm::distance(a, b), 1e-5f)
        << a.x << " " << a.y << " " << a.z << ", not " << b.x << " " << b.y << " " << b.z;
}

TEST(GltfAnimation, NodesMoveWithinNodesThatMove) {
    TempFolder folder;
    GltfWriter writer = writer_with_times();
    int way = writer.add("VEC3", {0, 0, 0, 4, 0, 0, 4, 8, 0});
    int turn = writer.add("VEC4", {0, 0, 0, 1, 0, 0, kHalf, kHalf, 0, 0, kHalf, kHalf});
    // A moving node, its static child, and the child's rotating child.
    std::string nodes = node_text(
        "{\"children\": [1], \"scale\": [2, 2, 2]}, {\"children\": [2], \"translation\": [0, 0, "
        "5]}, {\"mesh\": 0, \"translation\": [1, 0, 0]}");
    std::string moves = animation(channel(0, 0, "translation") + ", " + channel(1, 2, "rotation"),
                                  sampler(1, way) + ", " + sampler(1, turn));
    for (auto& path : {folder.write("a.gltf", writer.text(nodes + moves)),
                       folder.write("a.glb", writer.glb(nodes + moves))}) {
        Scene scene = load_scene(path);
        EXPECT_TRUE(scene.warnings.empty());
        EXPECT_EQ(scene.duration, 3);
        auto& mesh = scene.meshes[0];
        EXPECT_EQ(mesh.animation.kind, AnimationKind::rigid);
        EXPECT_EQ(mesh.animation.period, 3);
        expect_near(mesh.positions[1], {4, 0, 10});  // its rest position
        expect_near(corner_at(mesh, 0), {4, 0, 10});
        expect_near(corner_at(mesh, 1), {6, 2, 10});
        expect_near(corner_at(mesh, 2), {6, 6, 10});
        expect_near(corner_at(mesh, 0.5), {4 + 2 * kHalf, 2 * kHalf, 10});
    }
    // A scene file that moves the mesh also moves its animation.
    Scene placed = load_scene(folder.write(
        "s.toml", "duration = 7\n[[mesh]]\nfile = \"a.gltf\"\ntranslate = [20, 0, 0]\n"));
    EXPECT_EQ(placed.duration, 7);
    expect_near(corner_at(placed.meshes[0], 1), {26, 2, 10});
}

TEST(GltfAnimation, StepsAndCubicsAreInterpolatedAsTheFormatSays) {
    TempFolder folder;
    GltfWriter writer = writer_with_times();
    int sizes = writer.add("VEC3", {1, 1, 1, 2, 2, 2, 3, 3, 3});
    // Keys (in-tangent, value, out-tangent): at rest, moving at 2 m/s, at rest.
    int way = writer.add("VEC3", {0, 0, 0, 0, 0, 0, 0, 0, 0,  //
                                  0, 2, 0, 0, 1, 0, 0, 2, 0,  //
                                  0, 0, 0, 0, 3, 0, 0, 0, 0});
    Scene scene = load_scene(folder.write(
        "a.gltf",
        writer.text(node_text("{\"mesh\": 0}") +
                    animation(channel(0, 0, "scale") + ", " + channel(1, 0, "translation"),
                              sampler(1, sizes, "STEP") + ", " + sampler(1, way, "CUBICSPLINE")))));
    auto& mesh = scene.meshes[0];
    expect_near(corner_at(mesh, 0), {1, 0, 0});
    expect_near(corner_at(mesh, 0.5), {1, 0.25f, 0});  // (0 + 1) / 2 + (0 - 2) / 8
    expect_near(corner_at(mesh, 1), {2, 1, 0});
    expect_near(corner_at(mesh, 2), {2, 2.5f, 0});  // (1 + 3) / 2 + 2 s * (2 - 0) / 8
    expect_near(corner_at(mesh, 3), {3, 3, 0});
}

TEST(GltfAnimation, MeshesThatStartWithoutSizeGrow) {
    TempFolder folder;
    GltfWriter writer = writer_with_times();
    int sizes = writer.add("VEC3", {0, 0, 0, 1, 1, 1, 3, 3, 3});
    Scene scene = load_scene(
        folder.write("a.gltf", writer.text(node_text("{\"mesh\": 0, \"scale\": [0, 0, 0]}") +
                                           animation(channel(0, 0, "scale"), sampler(1, sizes)))));
    expect_near(corner_at(scene.meshes[0], 0), {0, 0, 0});
    expect_near(corner_at(scene.meshes[0], 2), {2, 0, 0});
}

TEST(GltfAnimation, WhatCannotBePlayedIsAWarning) {
    TempFolder folder;
    auto warning = [&](const std::string& nodes, const std::string& channels,
                       const std::string& more = "") {
        GltfWriter writer = writer_with_times();
        int way = writer.add("VEC3", {0, 0, 0, 4, 0, 0, 4, 8, 0});
        std::string text = writer.text(node_text(nodes) + animation(channels, sampler(1, way)));
        if (!more.empty()) {
            auto place = text.rfind("]}]");
            text.replace(place, 3, "]}, " + more + "]");
        }
        auto warnings = load_scene(folder.write("a.gltf", text)).warnings;
        return warnings.empty() ? "" : warnings[0];
    };
    const std::string node = "{\"mesh\": 0}";
    EXPECT_EQ(warning(node, channel(0, 0, "translation")), "");
    TL_EXPECT_CONTAINS(warning(node, channel(0, 0, "pointer")),
                       "only the animation of nodes and their morph targets is played");
    TL_EXPECT_CONTAINS(
        warning("{\"mesh\": 0, \"matrix\": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 5, 1]}",
                channel(0, 0, "translation")),
        "nodes with a matrix stand still");
    TL_EXPECT_CONTAINS(
        warning(node, channel(0, 0, "translation"), "{\"channels\": [], \"samplers\": []}"),
        "the first of its 2 animations is played");
}

TEST(GltfAnimation, BadChannelsAreRefusedByNumber) {
    TempFolder folder;
    auto refused = [&](const std::string& channels, const std::vector<float>& times,
                       const std::vector<float>& values, const std::string& interpolation) {
        GltfWriter writer = writer_with_times();
        int input = writer.add("SCALAR", times), output = writer.add("VEC4", values);
        std::string text = writer.text(node_text("{\"mesh\": 0}") +
                                       animation(channels, sampler(input, output, interpolation)));
        return refusal([&] { (void)load_scene(folder.write("a.gltf", text)); });
    };
    const std::string good = channel(0, 0, "rotation");
    const std::vector<float> turns{0, 0, 0, 1, 0, 0, 1, 0};
    EXPECT_EQ(refused(good, {0, 1}, turns, "LINEAR"), "");
    TL_EXPECT_CONTAINS(refused(channel(0, 4, "rotation"), {0, 1}, turns, "LINEAR"),
                       "a.gltf: animation channel 0 names node 4 of 1");
    TL_EXPECT_CONTAINS(refused(channel(3, 0, "rotation"), {0, 1}, turns, "LINEAR"),
                       "animation channel 0 names sampler 3 of 1");
    TL_EXPECT_CONTAINS(refused(channel(0, 0, "scale"), {0, 1}, turns, "LINEAR"),
                       "has not 3 numbers a row");
    TL_EXPECT_CONTAINS(refused(good, {0, 1, 2}, turns, "LINEAR"),
                       "animation channel 0 has 2 values for 3 keys; it wants 3");
    TL_EXPECT_CONTAINS(refused(good, {0, 1}, turns, "CUBICSPLINE"), "it wants 6");
    for (auto& times : {std::vector<float>{1, 1}, {2, 1}, {-1, 0}, {0, NAN}})
        TL_EXPECT_CONTAINS(refused(good, times, turns, "LINEAR"), "key times that do not rise");
    TL_EXPECT_CONTAINS(refused(good, {0, 1}, {0, 0, 0, 1, 0, 0, NAN, 0}, "LINEAR"),
                       "a value that is not finite");
    TL_EXPECT_CONTAINS(refused(good, {0, 1}, {0, 0, 0, 1, 0, 0, 0, 0}, "LINEAR"),
                       "a rotation of no length");
}

}  // namespace
}  // namespace tl::gltf_animation_tests
