// glTF extensions for texture transforms and mesh instancing.
#include <gtest/gtest.h>

#include <cmath>

#include "renderer/images/image_io.h"
#include "renderer/scene/loaders/loader.h"
#include "tests/unit/scene/gltf_writer.h"
#include "tests/unit/temp_folder.h"

namespace tl::gltf_extensions_tests {
namespace {

using test::GltfWriter;
using test::refusal;
using test::TempFolder;

/// A triangle with texture coordinates; its material has a texture with this KHR_texture_transform
/// and further members.
Scene load_transformed(const TempFolder& folder, const std::string& transform,
                       const std::string& more = "") {
    GltfWriter writer;
    (void)writer.add("VEC3", {0, 0, 0, 1, 0, 0, 0, 1, 0});
    (void)writer.add("VEC2", {0, 0, 1, 0, 0, 1});
    (void)writer.add("VEC2", {0.5f, 0, 0.25f, 1, 0, 0});
    write_png(folder.path("t.png"), {{1, 1}, {255, 255, 255, 255}});
    return load_scene(folder.write(
        "a.gltf",
        writer.text("\"scenes\": [{\"nodes\": [0]}], \"nodes\": [{\"mesh\": 0}], \"meshes\": "
                    "[{\"primitives\": [{\"attributes\": {\"POSITION\": 0, \"TEXCOORD_0\": 1, "
                    "\"TEXCOORD_1\": 2}, "
                    "\"material\": 0}]}], \"textures\": [{\"source\": 0}], \"images\": "
                    "[{\"uri\": \"t.png\"}], \"extensionsRequired\": [\"KHR_texture_transform\"], "
                    "\"materials\": [{\"pbrMetallicRoughness\": {\"baseColorTexture\": {\"index\": "
                    "0, \"extensions\": {\"KHR_texture_transform\": {" +
                    transform + "}}}}" + more + "}]")));
}

/// Checks the results for (0, 0), (1, 0) and (0, 1), with v downwards as in the file.
void expect_uvs(const Scene& scene, const std::vector<vec2>& expected) {
    ASSERT_EQ(scene.meshes.size(), 1u);
    ASSERT_EQ(scene.meshes[0].uvs.size(), 3u);
    for (std::size_t i = 0; i < 3; ++i) {
        vec2 uv = scene.meshes[0].uvs[i];
        EXPECT_LT(glm::length(vec2(uv.x, 1 - uv.y) - expected[i]), 1e-6f) << i;
    }
}

/// A triangle, drawn by nodes with these members.
Scene load_instanced(const TempFolder& folder, const std::string& node,
                     const std::string& more = "") {
    GltfWriter writer;
    (void)writer.add("VEC3", {0, 0, 0, 1, 0, 0, 0, 1, 0});
    (void)writer.add("VEC3", {1, 2, 3, 0, 0, 0});                                    // TRANSLATION
    (void)writer.add("VEC4", {0, 0, 0, 1, 0, 0, std::sqrt(0.5f), std::sqrt(0.5f)});  // ROTATION
    (void)writer.add("VEC3", {1, 1, 1, 2, 3, 4});                                    // SCALE
    (void)writer.add("VEC3", {1, 1, 1});
    (void)writer.add("VEC3", {1, 1, 1, 0, 1, 1});
    auto path = folder.write(
        "a.gltf",
        writer.text("\"scenes\": [{\"nodes\": [0]}], \"nodes\": [{\"mesh\": 0, \"translation\": "
                    "[10, 0, 0], \"extensions\": {\"EXT_mesh_gpu_instancing\": {\"attributes\": {" +
                    node +
                    "}}}}], \"extensionsRequired\": [\"EXT_mesh_gpu_instancing\"], \"meshes\": "
                    "[{\"name\": \"m\", \"primitives\": [{\"attributes\": {\"POSITION\": 0}}, "
                    "{\"attributes\": {\"POSITION\": 0}}]}]"));
    if (more.empty()) return load_scene(path);
    return load_scene(folder.write("a.toml", more));
}

constexpr const char* kAll = "\"TRANSLATION\": 1, \"ROTATION\": 2, \"SCALE\": 3";

vec3 seen(const Instance& instance, vec3 point) {
    return vec3(instance.transform * vec4(point, 1));
}

void expect_near(vec3 a, vec3 b) {
    EXPECT_LT(glm::length(a - b), 1e-5f) << a.x << " " << a.y << " " << a.z;
}

}  // namespace

TEST(GltfTextureTransform, MovesScalesAndTurns) {
    TempFolder folder;
    expect_uvs(load_transformed(folder, "\"offset\": [0.25, 0.5]"),
               {{0.25f, 0.5f}, {1.25f, 0.5f}, {0.25f, 1.5f}});
    expect_uvs(load_transformed(folder, "\"scale\": [2, 3]"), {{0, 0}, {2, 0}, {0, 3}});
    // The extension's own example: the lower left quarter of the picture.
    auto scene = load_transformed(
        folder, "\"offset\": [0, 1], \"rotation\": 1.57079632679, \"scale\": [0.5, 0.5]");
    expect_uvs(scene, {{0, 1}, {0, 0.5f}, {0.5f, 1}});
    EXPECT_TRUE(scene.warnings.empty());
}

TEST(GltfTextureTransform, ChoosesTheTextureCoordinates) {
    TempFolder folder;
    const std::vector<vec2> first{{0, 0}, {1, 0}, {0, 1}}, second{{0.5f, 0}, {0.25f, 1}, {0, 0}};
    // The extension's set overrides the texture's own.
    expect_uvs(load_transformed(folder, "\"texCoord\": 1"), second);
    expect_uvs(load_transformed(folder, "\"texCoord\": 0"), first);
    Scene without = load_transformed(folder, "\"texCoord\": 2");
    EXPECT_TRUE(without.meshes.at(0).uvs.empty());
    EXPECT_TRUE(without.warnings.empty());
}

TEST(GltfTextureTransform, WarnsWhereAMaterialNeedsTwo) {
    TempFolder folder;
    auto scene =
        load_transformed(folder, "\"offset\": [0.25, 0.5]", ", \"normalTexture\": {\"index\": 0}");
    expect_uvs(scene, {{0.25f, 0.5f}, {1.25f, 0.5f}, {0.25f, 1.5f}});
    ASSERT_EQ(scene.warnings.size(), 1u);
    EXPECT_NE(scene.warnings[0].find("are transformed as its first one is"), std::string::npos);
    scene = load_transformed(folder, "\"texCoord\": 1", ", \"normalTexture\": {\"index\": 0}");
    TL_EXPECT_CONTAINS(scene.warnings.at(0), "take the texture coordinates of its first one");
    expect_uvs(load_transformed(folder, "\"scale\": [\"a\", 1], \"offset\": [1]"),
               {{0, 0}, {1, 0}, {0, 1}});
}

TEST(GltfInstancing, PlacesCopiesOfOneMesh) {
    TempFolder folder;
    Scene scene = load_instanced(folder, kAll);
    EXPECT_TRUE(scene.warnings.empty());
    ASSERT_EQ(scene.meshes.size(), 1u);  // of both primitives
    EXPECT_TRUE(scene.meshes[0].instanced);
    EXPECT_EQ(scene.meshes[0].triangles.size(), 2u);
    ASSERT_EQ(scene.instances.size(), 2u);
    expect_near(seen(scene.instances[0], {1, 0, 0}), {12, 2, 3});
    // Scaled, rotated by 90 degrees about z, translated by the node.
    expect_near(seen(scene.instances[1], {1, 0, 0}), {10, 2, 0});
    expect_near(seen(scene.instances[1], {0, 1, 0}), {7, 0, 0});
}

TEST(GltfInstancing, BecomesMeshesInASceneFile) {
    TempFolder folder;
    Scene scene = load_instanced(
        folder, kAll, "version = 1\n[[mesh]]\nfile = \"a.gltf\"\ntranslate = [0, 0, 1]\n");
    EXPECT_TRUE(scene.instances.empty());
    ASSERT_EQ(scene.meshes.size(), 4u);
    expect_near(scene.meshes[0].positions[1], {12, 2, 4});
    expect_near(scene.meshes[2].positions[1], {10, 2, 1});
}

TEST(GltfInstancing, TellsWhatItCannotPlace) {
    TempFolder folder;
    Scene flat = load_instanced(folder, "\"SCALE\": 5");
    EXPECT_EQ(flat.instances.size(), 1u);
    ASSERT_FALSE(flat.warnings.empty());
    EXPECT_NE(flat.warnings[0].find("an instance is left out"), std::string::npos);
    auto refused = [&](const char* attributes) {
        return refusal([&] { (void)load_instanced(folder, attributes); });
    };
    TL_EXPECT_CONTAINS(refused("\"TRANSLATION\": 1, \"SCALE\": 4"), "differ in length");
    TL_EXPECT_CONTAINS(refused("\"TRANSLATION\": 9"), "there is no accessor 9");
    TL_EXPECT_CONTAINS(refused("\"TRANSLATION\": \"x\""), "names no accessor");
    TL_EXPECT_CONTAINS(refused("\"ROTATION\": 1"), "has not 4 numbers a row");
}

TEST(GltfInstancing, ReadsNormalizedRotationsAndScales) {
    TempFolder folder;
    GltfWriter writer;
    (void)writer.add("VEC3", {0, 0, 0, 1, 0, 0, 0, 1, 0});
    const std::int16_t half = 23170;  // sqrt(1/2)
    (void)writer.add_normalized("VEC4",
                                std::vector<std::int16_t>{0, 0, half, half, 0, 0, 0, 32767});
    (void)writer.add_normalized("VEC4", std::vector<std::int8_t>{0, 0, 90, 90, 0, 0, -127, 0});
    (void)writer.add("VEC3", {0, 0, 0, 0, 0, 0});
    for (auto [rotation, second] : {std::pair{1, vec3(1, 0, 0)}, std::pair{2, vec3(-1, 0, 0)}}) {
        Scene scene = load_scene(folder.write(
            "a.gltf", writer.text("\"nodes\": [{\"mesh\": 0, \"extensions\": "
                                  "{\"EXT_mesh_gpu_instancing\": {\"attributes\": {\"ROTATION\": " +
                                  std::to_string(rotation) +
                                  "}}}}], \"meshes\": [{\"primitives\": [{\"attributes\": "
                                  "{\"POSITION\": 0}}]}]")));
        ASSERT_EQ(scene.instances.size(), 2u);
        expect_near(seen(scene.instances[0], {1, 0, 0}), {0, 1, 0});
        expect_near(seen(scene.instances[1], {1, 0, 0}), second);
    }
}

TEST(GltfExtensions, UnknownOnesAreNamedOnce) {
    TempFolder folder;
    GltfWriter writer;
    (void)writer.add("VEC3", {0, 0, 0, 1, 0, 0, 0, 1, 0});
    auto text = [&](const std::string& extensions) {
        return writer.text(
            "\"nodes\": [{\"mesh\": 0}], \"meshes\": [{\"primitives\": "
            "[{\"attributes\": {\"POSITION\": 0}}]}], " +
            extensions);
    };
    Scene scene = load_scene(folder.write(
        "a.gltf", text("\"extensionsUsed\": [\"EXT_a\", \"KHR_lights_punctual\", \"KHR_b\"]")));
    ASSERT_EQ(scene.warnings.size(), 1u);
    TL_EXPECT_CONTAINS(scene.warnings[0], "extensions that are not used: EXT_a, KHR_b");
    auto needed = "\"extensionsRequired\": [\"EXT_a\", \"KHR_texture_basisu\"]";
    TL_EXPECT_CONTAINS(
        refusal([&] { (void)load_scene(folder.write("b.gltf", text(needed))); }),
        "needs extensions that are not read: EXT_a, KHR_texture_basisu; export it without");
}

/// A triangle with this material, in the mesh of four nodes with these members each.
Scene load_shared(const TempFolder& folder, const std::string (&nodes)[4],
                  const std::string& material = "", const std::string& more = "") {
    GltfWriter writer;
    (void)writer.add("VEC3", {0, 0, 0, 1, 0, 0, 0, 1, 0});
    (void)writer.add("SCALAR", {0, 1});
    (void)writer.add("VEC3", {0, 0, 0, 0, 0, 5});
    std::string list;
    for (auto& node : nodes) list += (list.empty() ? "" : ", ") + ("{\"mesh\": 0" + node + "}");
    return load_scene(
        folder.write("a.gltf", writer.text("\"scenes\": [{\"nodes\": [0, 1, 2, 3]}], \"nodes\": [" +
                                           list + "], \"materials\": [{" + material +
                                           "}], \"meshes\": [{\"primitives\": [{\"attributes\": "
                                           "{\"POSITION\": 0}, \"material\": 0}]}]" +
                                           more)));
}

TEST(GltfSharedMeshes, AreInstancesOfOneCopy) {
    TempFolder folder;
    const std::string nodes[4] = {
        "", ", \"translation\": [1, 2, 3]", ", \"scale\": [-1, 2, 1]",
        ", \"extensions\": {\"EXT_mesh_gpu_instancing\": {\"attributes\": {\"TRANSLATION\": 2}}}"};
    Scene scene = load_shared(folder, nodes);
    EXPECT_TRUE(scene.warnings.empty());
    ASSERT_EQ(scene.meshes.size(), 1u);
    EXPECT_TRUE(scene.meshes[0].instanced);
    EXPECT_EQ(scene.triangle_count(), 1u);
    ASSERT_EQ(scene.instances.size(), 5u);
    expect_near(seen(scene.instances[1], {1, 0, 0}), {2, 2, 3});
    expect_near(seen(scene.instances[2], {1, 1, 0}), {-1, 2, 0});
    expect_near(seen(scene.instances[4], {0, 1, 0}), {0, 1, 5});
    folder.write("b.toml", "[[mesh]]\nfile = \"a.gltf\"\n");
    Scene copied = load_scene(folder.path("b.toml"));
    EXPECT_TRUE(copied.instances.empty());
    EXPECT_EQ(copied.triangle_count(), 5u);
}

TEST(GltfSharedMeshes, AreCopiesWhereTheyMoveAreFlatOrGlow) {
    TempFolder folder;
    Scene scene = load_shared(
        folder, {"", ", \"translation\": [1, 2, 3]", ", \"scale\": [1, 0, 1]", ""}, "",
        ", \"animations\": [{\"channels\": [{\"sampler\": 0, \"target\": {\"node\": 3, \"path\": "
        "\"translation\"}}], \"samplers\": [{\"input\": 1, \"output\": 2}]}]");
    EXPECT_EQ(scene.instances.size(), 2u);
    ASSERT_EQ(scene.meshes.size(), 3u);
    EXPECT_EQ(scene.visible_triangle_count(), 4u);
    EXPECT_EQ(scene.meshes[2].animation.kind, AnimationKind::rigid);
    // Triangles of instances are no lights to the path tracer.
    Scene lamps = load_shared(folder, {"", "", "", ""}, "\"emissiveFactor\": [1, 1, 1]");
    EXPECT_TRUE(lamps.instances.empty());
    EXPECT_EQ(lamps.triangle_count(), 4u);
}

}  // namespace tl::gltf_extensions_tests
