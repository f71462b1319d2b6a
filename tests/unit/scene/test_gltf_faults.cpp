// glTF files that are damaged, made to exhaust the machine, or need features that the program does
// not support.
#include <gtest/gtest.h>

#include "core/base/files.h"
#include "core/base/text.h"
#include "renderer/images/image_io.h"
#include "renderer/scene/loaders/loader.h"
#include "tests/unit/scene/gltf_writer.h"
#include "tests/unit/temp_folder.h"

namespace tl::gltf_faults_tests {
namespace {

using test::GltfWriter;
using test::refusal;
using test::TempFolder;

constexpr const char* kNode = "\"nodes\": [{\"mesh\": 0}], ";
constexpr const char* kMesh =
    "\"meshes\": [{\"name\": \"m\", \"primitives\": [{\"attributes\": {\"POSITION\": 0}}]}]";

GltfWriter triangle() {
    GltfWriter writer;
    (void)writer.add("VEC3", {0, 0, 0, 1, 0, 0, 0, 1, 0});
    return writer;
}

std::string members(const std::string& more = "") {
    return concatenated({kNode, kMesh, more});
}

/// Error message for a file, which must be one printable line.
std::string said_of(const TempFolder& folder, const std::string& text,
                    const std::string& name = "a.gltf") {
    std::string message = refusal([&] { (void)load_scene(folder.write(name, text)); });
    for (char c : message) EXPECT_TRUE(static_cast<unsigned char>(c) >= ' ') << message;
    EXPECT_LT(message.size(), 500u);
    if (!message.empty()) {
        TL_EXPECT_CONTAINS(message, name);
    }
    return message;
}

std::string repeated(const std::string& text, int count) {
    std::string all;
    for (int i = 0; i < count; ++i) all += text;
    return all;
}

/// A member of `levels` nested tables.
std::string nested(const std::string& key, int levels) {
    return ", \"" + key + "\": " + repeated("{\"a\": ", levels) + "1" + repeated("}", levels);
}

TEST(GltfFaults, DeepNestingIsRefusedAndBracketsInTextsAreNot) {
    TempFolder folder;
    for (const char* key : {"extras", "extensions", "unknown"}) {
        std::string deep = members(nested(key, 16000));
        TL_EXPECT_CONTAINS(said_of(folder, triangle().text(deep)), "nested more than 256 levels");
        TL_EXPECT_CONTAINS(said_of(folder, triangle().glb(deep), "a.glb"),
                           "nested more than 256 levels");
        EXPECT_EQ(said_of(folder, triangle().text(members(nested(key, 200)))), "");
    }
    std::string in_text = ", \"extras\": {\"a\\\"" + repeated("[", 1000) + "\": 1}";
    EXPECT_EQ(said_of(folder, triangle().text(members(in_text))), "");
}

TEST(GltfFaults, OldVersionsAreNamed) {
    TempFolder folder;
    std::string old =
        "{\"asset\": {\"version\": \"1.0\"}, \"buffers\": {\"b\": {\"uri\": \"b.bin\"}}}";
    TL_EXPECT_CONTAINS(said_of(folder, old), "is glTF 1.0, this program reads 2.0: convert it");
    TL_EXPECT_CONTAINS(said_of(folder, "{\"nodes\": {\"n\": {}}, \"asset\": {}}"), "is glTF 1.0");
    std::string glb = triangle().glb(members());
    glb[4] = 1;
    TL_EXPECT_CONTAINS(said_of(folder, glb, "a.glb"), "is glTF 1.0");
    glb[4] = 3;
    TL_EXPECT_CONTAINS(said_of(folder, glb, "a.glb"), "is glTF 3.0");
}

TEST(GltfFaults, NeededExtensionsAreThoseThatAreRead) {
    TempFolder folder;
    auto needs = [&](const std::string& name) {
        return said_of(folder,
                       triangle().text(members(", \"extensionsRequired\": [\"" + name + "\"]")));
    };
    for (const char* name : {"KHR_materials_sheen", "KHR_materials_anisotropy",
                             "KHR_materials_iridescence", "EXT_meshopt_compression"})
        TL_EXPECT_CONTAINS(needs(name), std::string("needs extensions that are not read: ") + name);
    for (const char* name : {"KHR_materials_ior", "KHR_materials_clearcoat", "KHR_materials_unlit",
                             "KHR_materials_pbrSpecularGlossiness", "KHR_xmp_json_ld"})
        EXPECT_EQ(needs(name), "");
    // Extensions of a material count although the file does not list them.
    std::string used =
        ", \"extensionsUsed\": [\"KHR_materials_variants\"], \"materials\": [{\"extensions\": "
        "{\"KHR_materials_sheen\": {}}}, {\"extensions\": {\"KHR_materials_sheen\": {}}}]";
    Scene scene = load_scene(folder.write("b.gltf", triangle().text(members(used))));
    ASSERT_EQ(scene.warnings.size(), 1u);
    TL_EXPECT_CONTAINS(scene.warnings[0],
                       "extensions that are not used: KHR_materials_variants, KHR_materials_sheen");
}

TEST(GltfFaults, DataThatAreNotThereAreNamed) {
    TempFolder folder;
    std::string text = triangle().text(members());
    auto begin = text.find("\"byteLength\": 36, \"uri\"");
    auto uri = text.find(", \"uri\": ", begin);
    std::string without = text.substr(0, uri) + text.substr(text.find('}', uri));
    TL_EXPECT_CONTAINS(said_of(folder, without), "buffer 0 has no data; its 'uri' is missing");
    without.insert(1, "\"extensionsUsed\": [\"EXT_meshopt_compression\"], ");
    TL_EXPECT_CONTAINS(said_of(folder, without),
                       "without extensions that are not read: EXT_meshopt_compression");
}

TEST(GltfFaults, BuffersThatAreNoFilesAreNamed) {
    TempFolder folder;
    std::filesystem::create_directory(folder.path("data"));
    auto beside = [&](const std::string& uri) {
        return said_of(folder, triangle().text_beside(members(), uri));
    };
    TL_EXPECT_CONTAINS(beside("data"), "a.gltf: the buffer 'data' is a folder; name a file");
    TL_EXPECT_CONTAINS(beside("none.bin"), "a.gltf: buffer 'none.bin' not found");
    TL_EXPECT_CONTAINS(beside("/dev/zero"), "not found");
    folder.write("short.bin", "abc");
    TL_EXPECT_CONTAINS(beside("short.bin"), "buffer 'short.bin' has 3 bytes of 36; it is cut off");
    folder.write("long.bin", triangle().data() + "padding");
    EXPECT_EQ(beside("long.bin"), "");
    folder.write("b c.bin", triangle().data());
    EXPECT_EQ(beside("b%20c.bin"), "");
}

TEST(GltfFaults, ErrorsAreOnePrintableLine) {
    TempFolder folder;
    EXPECT_NE(said_of(folder, "{\"asset\": \"\x1b[31m\n\x7f\"}"), "");
    EXPECT_NE(said_of(folder, triangle().text("\"accessors\": [{}], \"nodes\": 7")), "");
    EXPECT_NE(said_of(folder,
                      "{\"asset\": {\"version\": \"2.0\"}, \"buffers\": [{\"byteLength\": "
                      "9, \"uri\": \"a\\nb\\u001b.bin\"}]}"),
              "");
}

/// Nested nodes, each with the mesh and moved by the same keys.
std::string nested_nodes(int count) {
    std::string nodes, channels;
    for (int i = 0; i < count; ++i) {
        nodes += std::string(i ? ", " : "") + "{\"mesh\": 0";
        if (i + 1 < count) nodes += ", \"children\": [" + std::to_string(i + 1) + "]";
        nodes += "}";
        channels += std::string(i ? ", " : "") +
                    "{\"sampler\": 0, \"target\": {\"path\": \"translation\", \"node\": " +
                    std::to_string(i) + "}}";
    }
    return "\"nodes\": [" + nodes + "], \"animations\": [{\"samplers\": [{\"input\": 1, " +
           "\"output\": 2}], \"channels\": [" + channels + "]}], " + kMesh;
}

std::size_t joints_in(const Scene& scene) {
    std::size_t n = 0;
    for (auto& mesh : scene.meshes) n += mesh.animation.rigid.joints.size();
    return n;
}

TEST(GltfFaults, NestedMotionTakesBoundedMemory) {
    TempFolder folder;
    GltfWriter writer = triangle();
    (void)writer.add("SCALAR", {0, 1});
    (void)writer.add("VEC3", {0, 0, 0, 1, 0, 0});
    Scene few = load_scene(folder.write("few.gltf", writer.text(nested_nodes(20))));
    EXPECT_EQ(joints_in(few), 20u * 21 / 2);
    EXPECT_TRUE(few.warnings.empty());
    // Copied for each mesh, the keys of the nodes above would take 600 MB.
    Scene many = load_scene(folder.write("many.gltf", writer.text(nested_nodes(2000))));
    EXPECT_EQ(many.meshes.size(), 2000u);
    EXPECT_LT(joints_in(many) * sizeof(Joint), std::size_t{64} << 20);
    EXPECT_GT(joints_in(many), 100'000u);
    ASSERT_EQ(many.warnings.size(), 1u);
    TL_EXPECT_CONTAINS(many.warnings[0], "meshes within too many moving nodes stand still");
}

TEST(GltfFaults, ChannelsThatRepeatTheirKeysAreRefused) {
    TempFolder folder;
    std::vector<float> times, places;
    for (int i = 0; i < 4000; ++i) {
        times.push_back(static_cast<float>(i));
        for (int k = 0; k < 3; ++k) places.push_back(0);
    }
    GltfWriter writer = triangle();
    (void)writer.add("SCALAR", times);
    (void)writer.add("VEC3", places);
    // 64 kB of keys for each of 3,000 nodes would take 192 MB.
    TL_EXPECT_CONTAINS(said_of(folder, writer.text(nested_nodes(3000))),
                       "repeat the same keys too often");
}

TEST(GltfFaults, SparseAccessorsAreReadAndBounded) {
    TempFolder folder;
    auto load = [&](const std::string& accessor) {
        GltfWriter writer;
        (void)writer.add_bytes(test::raw_bytes(std::vector<std::uint16_t>{1, 2}));
        (void)writer.add_bytes(test::raw_bytes(std::vector<float>{1, 0, 0, 0, 2, 0}));
        std::string text = writer.text(members());
        auto place = text.find("\"accessors\": [") + 14;
        return text.insert(place, accessor);
    };
    auto sparse = [](const std::string& count, const std::string& n_values = "2") {
        return "{\"componentType\": 5126, \"type\": \"VEC3\", \"count\": " + count +
               ", \"sparse\": {\"count\": " + n_values +
               ", \"indices\": {\"bufferView\": 0, \"componentType\": 5123}, \"values\": "
               "{\"bufferView\": 1}}}";
    };
    Scene scene = load_scene(folder.write("a.gltf", load(sparse("3"))));
    EXPECT_EQ(scene.meshes.at(0).positions, (std::vector<vec3>{{0, 0, 0}, {1, 0, 0}, {0, 2, 0}}));
    TL_EXPECT_CONTAINS(said_of(folder, load(sparse("900000000"))),
                       "accessor 0 has 900000000 rows without a buffer view, more than the file");
    TL_EXPECT_CONTAINS(said_of(folder, load(sparse("3", "2000000000"))),
                       "sparse accessor 0 ends beyond its buffer view's 4 bytes");
    TL_EXPECT_CONTAINS(said_of(folder, load(sparse("2"))), "names row 2; it has 2");
    EXPECT_NE(said_of(folder, load(sparse("3", "-1"))), "crash");
}

TEST(GltfFaults, PrimitivesThatShareVerticesReadOnlyTheirOwn) {
    TempFolder folder;
    std::vector<float> positions;
    for (int i = 0; i < 3000; ++i)
        for (int k = 0; k < 3; ++k) positions.push_back(static_cast<float>(i * i % (7 + k)));
    GltfWriter writer;
    (void)writer.add("VEC3", positions);
    (void)writer.add_indices(std::vector<std::uint16_t>{2990, 17, 2999, 17, 2990, 5});
    std::string primitives;
    for (int i = 0; i < 100; ++i)
        primitives +=
            std::string(i ? ", " : "") + "{\"attributes\": {\"POSITION\": 0}, " + "\"indices\": 1}";
    Scene scene = load_scene(folder.write(
        "a.gltf",
        writer.text(std::string(kNode) + "\"meshes\": [{\"primitives\": [" + primitives + "]}]")));
    ASSERT_EQ(scene.meshes.size(), 100u);
    auto& mesh = scene.meshes[99];
    ASSERT_EQ(mesh.positions.size(), 4u);
    for (auto [corner, vertex] : {std::pair{0, 2990}, {1, 17}, {2, 2999}})
        for (int k = 0; k < 3; ++k)
            EXPECT_EQ(mesh.positions[mesh.triangles[0][corner]][k],
                      positions[static_cast<std::size_t>(3 * vertex + k)]);
    EXPECT_EQ(mesh.triangles[1][0], mesh.triangles[0][1]);
}

TEST(GltfFaults, MeshesThatRepeatTheirDataAreRefused) {
    TempFolder folder;
    GltfWriter writer;
    (void)writer.add("VEC3", std::vector<float>(30'000, 1.0f));
    // 10,000 vertices in each of 3,000 primitives would take 1 GB.
    std::string primitives = "{\"attributes\": {\"POSITION\": 0}}";
    for (int i = 1; i < 3000; ++i) primitives += ", {\"attributes\": {\"POSITION\": 0}}";
    TL_EXPECT_CONTAINS(
        said_of(folder, writer.text(std::string(kNode) + "\"meshes\": [{\"primitives\": [" +
                                    primitives + "]}]")),
        "they repeat the same data");
}

TEST(GltfFaults, NodesWithTwoParentsAndInCirclesAreRefused) {
    TempFolder folder;
    auto nodes = [&](const std::string& list) {
        return said_of(folder, triangle().text("\"nodes\": [" + list +
                                               "], \"scenes\": "
                                               "[{\"nodes\": [0]}], " +
                                               kMesh));
    };
    TL_EXPECT_CONTAINS(nodes("{\"children\": [1, 2]}, {\"children\": [2]}, {\"mesh\": 0}"),
                       "node 2 is reached twice");
    TL_EXPECT_CONTAINS(nodes("{\"children\": [1]}, {\"children\": [0], \"mesh\": 0}"),
                       "node 0 is reached twice");
}

/// The material of a file with this one, used by a triangle.
Material material_of(const TempFolder& folder, const std::string& material) {
    Scene scene = load_scene(folder.write(
        "a.gltf",
        triangle().text(std::string(kNode) +
                        "\"meshes\": [{\"primitives\": [{\"attributes\": {\"POSITION\": 0}, "
                        "\"material\": 0}]}], \"materials\": [{" +
                        material + "}]")));
    return scene.materials.at(1);
}

TEST(GltfMaterials, SpecularGlossinessBecomesLayers) {
    TempFolder folder;
    auto glossy = [&](const std::string& keys) {
        return material_of(
            folder, "\"extensions\": {\"KHR_materials_pbrSpecularGlossiness\": {" + keys + "}}");
    };
    Material plastic = glossy(
        "\"diffuseFactor\": [0.5, 0.25, 1, 1], \"specularFactor\": [0.1, 0.1, 0.2], "
        "\"glossinessFactor\": 0.75");
    ASSERT_TRUE(plastic.layers);
    EXPECT_EQ(plastic.layers->metallic, 0);
    EXPECT_FLOAT_EQ(plastic.layers->roughness, 0.25f);
    EXPECT_EQ(plastic.layers->reflectance, vec3(0.1f, 0.1f, 0.2f));
    EXPECT_LT(glm::length(plastic.layers->base - 0.8f * vec3(0.5f, 0.25f, 1)), 1e-6f);
    EXPECT_EQ(plastic.kind, MaterialKind::phong);
    Material gold = glossy(
        "\"diffuseFactor\": [0, 0, 0, 1], \"specularFactor\": [1, 0.7, 0.3], "
        "\"glossinessFactor\": 0.9");
    ASSERT_TRUE(gold.layers);
    EXPECT_EQ(gold.layers->metallic, 1);
    EXPECT_EQ(gold.layers->base, vec3(1, 0.7f, 0.3f));
    EXPECT_EQ(gold.kind, MaterialKind::mirror);
}

TEST(GltfMaterials, TexturesOfOneImageAreStoredOnce) {
    TempFolder folder;
    write_png(folder.path("t.png"), {{1, 1}, {255, 0, 0, 255}});
    GltfWriter writer = triangle();
    int view = writer.add_bytes(read_file(folder.path("t.png")));
    std::string images, textures, materials;
    for (int i = 0; i < 10; ++i) {
        images += std::string(i ? ", " : "") +
                  "{\"mimeType\": \"image/png\", \"bufferView\": " + std::to_string(view) + "}";
        textures += std::string(i ? ", " : "") + "{\"source\": " + std::to_string(i) + "}";
        materials +=
            std::string(i ? ", " : "") +
            "{\"pbrMetallicRoughness\": {\"baseColorTexture\": {\"index\": " + std::to_string(i) +
            "}}}";
    }
    Scene scene = load_scene(folder.write(
        "a.gltf", writer.text(members(", \"images\": [" + images + "], \"textures\": [" + textures +
                                      "], \"materials\": [" + materials + "]"))));
    EXPECT_EQ(scene.textures.size(), 1u);
    EXPECT_EQ(scene.materials.at(10).diffuse_texture, 0);
}

TEST(GltfMaterials, UnlitOnesAreMatt) {
    TempFolder folder;
    Material m = material_of(folder,
                             "\"pbrMetallicRoughness\": {\"baseColorFactor\": [1, 0.5, 0, 1]}, "
                             "\"extensions\": {\"KHR_materials_unlit\": {}}");
    EXPECT_EQ(m.kind, MaterialKind::diffuse);
    EXPECT_EQ(m.diffuse, vec3(1, 0.5f, 0));
    EXPECT_FALSE(m.layers);
}

}  // namespace
}  // namespace tl::gltf_faults_tests
