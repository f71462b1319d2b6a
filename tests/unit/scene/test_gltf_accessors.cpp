// Accessors of glTF: those without data, which are 0, and layouts that writers choose.
#include <gtest/gtest.h>

#include "renderer/scene/loaders/loader.h"
#include "tests/unit/scene/gltf_writer.h"
#include "tests/unit/temp_folder.h"

namespace tl::gltf_accessors_tests {
namespace {

using test::base64;
using test::GltfWriter;
using test::refusal;
using test::TempFolder;
using Warnings = std::vector<std::string>;

const std::vector<vec3> kPositions{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};

GltfWriter triangle() {
    GltfWriter writer;
    (void)writer.add("VEC3", {0, 0, 0, 1, 0, 0, 0, 1, 0});
    return writer;
}

/// All members but buffers, with one primitive that has these.
std::string members(const std::string& primitive, const std::string& more = "") {
    return "\"nodes\": [{\"mesh\": 0}], \"meshes\": [{\"name\": \"m\", \"primitives\": [{" +
           primitive + "}]}]" + more;
}
const std::string kPlain = members("\"attributes\": {\"POSITION\": 0}");

Warnings warnings_of(const Scene& scene) {
    return {scene.warnings.begin(), scene.warnings.end()};
}

void expect_triangle(const TempFolder& folder, const std::string& text) {
    Scene scene;
    ASSERT_EQ(refusal([&] { scene = load_scene(folder.write("a.gltf", text)); }), "");
    ASSERT_EQ(scene.meshes.size(), 1u);
    EXPECT_EQ(scene.meshes[0].positions, kPositions);
    EXPECT_EQ(warnings_of(scene), Warnings{});
}

std::string refused(const TempFolder& folder, const std::string& text) {
    std::string message = refusal([&] { (void)load_scene(folder.write("a.gltf", text)); });
    TL_EXPECT_CONTAINS(message, "a.gltf");
    return message;
}

TEST(GltfZeros, AttributesAndTargetsWithoutDataAreZero) {
    TempFolder folder;
    auto load = [&](const std::string& primitive) {
        GltfWriter writer = triangle();
        for (auto* type : {"VEC2", "VEC3", "VEC4"}) (void)writer.add_compressed(type, 3);
        std::string path = folder.write("a.gltf", writer.text(members(primitive)));
        Scene scene;
        EXPECT_EQ(refusal([&] { scene = load_scene(path); }), "");
        EXPECT_EQ(warnings_of(scene), Warnings{});
        return scene;
    };
    auto mesh_of = [&](const std::string& primitive) {
        Scene scene = load(primitive);
        EXPECT_EQ(scene.meshes.size(), 1u);
        EXPECT_EQ(scene.meshes.at(0).positions, kPositions);
        return scene.meshes.at(0);
    };
    // Texture coordinates are turned over: v starts at the upper edge in glTF.
    EXPECT_EQ(mesh_of("\"attributes\": {\"POSITION\": 0, \"TEXCOORD_0\": 1}").uvs,
              std::vector<vec2>(3, vec2(0, 1)));
    EXPECT_EQ(mesh_of("\"attributes\": {\"POSITION\": 0, \"COLOR_0\": 3}").colors,
              std::vector<vec3>(3, vec3(0)));
    for (vec3 normal : mesh_of("\"attributes\": {\"POSITION\": 0, \"NORMAL\": 2}").normals)
        EXPECT_EQ(normal, vec3(0, 0, 1));  // normals of zero length are computed
    GltfWriter writer = triangle();
    (void)writer.add_compressed("VEC3", 3);
    Scene moved = load_scene(folder.write(
        "b.gltf", writer.text("\"nodes\": [{\"mesh\": 0}], \"meshes\": [{\"weights\": [1, 1], "
                              "\"primitives\": [{\"attributes\": {\"POSITION\": 0}, \"targets\": "
                              "[{\"POSITION\": 0}, {\"POSITION\": 1}]}]}]")));
    EXPECT_EQ(moved.meshes.at(0).positions[1], vec3(2, 0, 0));
    // A skin whose weights are 0 leaves its mesh where it is.
    (void)writer.add_compressed("VEC4", 3);
    Scene skinned = load_scene(folder.write(
        "c.gltf",
        writer.text("\"nodes\": [{\"mesh\": 0, \"skin\": 0}, {\"translation\": [5, 0, 0]}], "
                    "\"skins\": [{\"joints\": [1]}], \"meshes\": [{\"primitives\": "
                    "[{\"attributes\": {\"POSITION\": 0, \"JOINTS_0\": 2, \"WEIGHTS_0\": "
                    "2}}]}]")));
    EXPECT_EQ(skinned.meshes.at(0).positions, kPositions);
}

TEST(GltfZeros, SparseRowsStandAmongThem) {
    TempFolder folder;
    auto load = [&](const std::string& accessors, const std::string& primitive) {
        GltfWriter writer;
        (void)writer.add_bytes(test::raw_bytes(std::vector<std::uint16_t>{1, 2}));
        (void)writer.add_bytes(test::raw_bytes(std::vector<float>{1, 0, 0, 0, 1, 0}));
        std::string text = writer.text(members(primitive));
        text.insert(text.find("\"accessors\": [") + 14, accessors);
        return load_scene(folder.write("a.gltf", text));
    };
    auto sparse = [](const std::string& type, const std::string& component, int values) {
        return "{\"componentType\": " + component + ", \"type\": \"" + type +
               "\", \"count\": 3, \"sparse\": {\"count\": 2, \"indices\": {\"bufferView\": 0, "
               "\"componentType\": 5123}, \"values\": {\"bufferView\": " +
               std::to_string(values) + "}}}";
    };
    Scene scene = load(sparse("VEC3", "5126", 1) + ", " + sparse("SCALAR", "5123", 0),
                       "\"attributes\": {\"POSITION\": 0}, \"indices\": 1");
    EXPECT_EQ(warnings_of(scene), Warnings{});
    ASSERT_EQ(scene.meshes.size(), 1u);
    EXPECT_EQ(scene.meshes[0].positions, kPositions);
    EXPECT_EQ(scene.meshes[0].triangles, std::vector<glm::uvec3>{glm::uvec3(0, 1, 2)});
}

TEST(GltfZeros, IndicesAndPositionsWithoutDataAreAWarning) {
    TempFolder folder;
    GltfWriter writer = triangle();
    (void)writer.add_indices(std::vector<std::uint16_t>{0, 1, 2});
    std::string text = writer.text(
        "\"nodes\": [{\"mesh\": 0}], \"meshes\": [{\"primitives\": [{\"attributes\": "
        "{\"POSITION\": 0}, \"indices\": 1}, {\"attributes\": {\"POSITION\": 0}, \"indices\": "
        "2}, {\"attributes\": {\"POSITION\": 3}}]}]");
    std::string end = "\"count\": 3, \"type\": \"SCALAR\"}";
    text.insert(text.find(end) + end.size(),
                ", {\"componentType\": 5125, \"count\": 3, \"type\": \"SCALAR\"}, "
                "{\"componentType\": 5126, \"count\": 3, \"type\": \"VEC3\"}");
    Scene scene = load_scene(folder.write("a.gltf", text));
    ASSERT_EQ(scene.meshes.size(), 3u);
    EXPECT_EQ(scene.meshes[0].positions, kPositions);
    EXPECT_EQ(scene.meshes[1].triangles, std::vector<glm::uvec3>{glm::uvec3(0)});
    EXPECT_EQ(scene.meshes[2].positions, std::vector<vec3>(3, vec3(0)));
    ASSERT_EQ(scene.warnings.size(), 2u);
    TL_EXPECT_CONTAINS(scene.warnings[0], "indices that have no data are all 0");
    TL_EXPECT_CONTAINS(scene.warnings[1], "positions that have no data are all 0");
}

TEST(GltfZeros, AnimatedValuesMayBeWithoutData) {
    TempFolder folder;
    GltfWriter writer = triangle();
    (void)writer.add("SCALAR", {0, 1});
    (void)writer.add_compressed("VEC3", 2);
    auto load = [&](const std::string& input) {
        return load_scene(folder.write(
            "a.gltf",
            writer.text(members("\"attributes\": {\"POSITION\": 0}",
                                ", \"animations\": [{\"samplers\": [{\"input\": " + input +
                                    ", \"output\": 2}], \"channels\": [{\"sampler\": 0, "
                                    "\"target\": {\"path\": \"translation\", \"node\": 0}}]}]"))));
    };
    Scene scene = load("1");
    EXPECT_EQ(warnings_of(scene), Warnings{});
    EXPECT_EQ(scene.duration, 1);
}

TEST(GltfLayouts, StridesOffsetsAndWholeNumbersAreReadAsTheyAre) {
    TempFolder folder;
    // Positions of three shorts each, six bytes apart after two of padding.
    std::vector<std::int16_t> values{99, 0, 0, 0, 1, 0, 0, 0, 1, 0};
    std::string data = test::raw_bytes(values);
    auto text = [&](const std::string& view, const std::string& accessor) {
        return "\xEF\xBB\xBF{\"asset\": {\"version\": \"2.0\"}, \"buffers\": [{\"byteLength\": " +
               std::to_string(data.size()) + ", \"uri\": \"data:;base64," + base64(data) +
               "\"}], \"bufferViews\": [{\"buffer\": 0, " + view + "}], \"accessors\": [{" +
               accessor + ", \"type\": \"VEC3\"}], " + kPlain + "}";
    };
    for (auto& file :
         {text("\"byteOffset\": 2, \"byteLength\": 18, \"byteStride\": 6",
               "\"bufferView\": 0, \"componentType\": 5122, \"count\": 3"),
          text("\"byteLength\": 20.0, \"byteStride\": 0",
               "\"bufferView\": 0.0, \"byteOffset\": 2, \"componentType\": 5122, \"count\": 3.0"),
          text("\"byteLength\": 20, \"byteOffset\": 0",
               "\"bufferView\": 0, \"byteOffset\": 2, \"componentType\": 5.122e3, "
               "\"count\": 3, \"normalized\": false")})
        expect_triangle(folder, file);
    std::string plain = triangle().text(kPlain);
    auto changed = [&](const std::string& from, const std::string& to) {
        std::string file = plain;
        return file.replace(file.find(from), from.size(), to);
    };
    for (auto* asset : {"\"asset\": {\"version\": 2.0}", "\"asset\": {\"version\": \"2.1\"}",
                        "\"asset\": {\"version\": \"2.0\", \"minVersion\": \"2.0\"}"})
        expect_triangle(folder, changed("\"asset\": {\"version\": \"2.0\"}", asset));
    TL_EXPECT_CONTAINS(refused(folder, changed("\"version\": \"2.0\"", "\"generator\": \"x\"")),
                       "its \"asset\" has no \"version\"");
    TL_EXPECT_CONTAINS(refused(folder, changed("\"version\": \"2.0\"",
                                               "\"version\": \"2.1\", \"minVersion\": \"2.1\"")),
                       "is glTF 2.1, this program reads 2.0");
    TL_EXPECT_CONTAINS(refused(folder, changed("\"byteLength\": 36, \"uri\"", "\"uri\"")),
                       "buffer 0 has no 'byteLength'");
    TL_EXPECT_CONTAINS(refused(folder, "  \n"), "is empty");
}

}  // namespace
}  // namespace tl::gltf_accessors_tests
