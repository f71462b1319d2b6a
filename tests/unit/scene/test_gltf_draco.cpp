// glTF geometry compressed with Draco.

#include <cmath>
#include <random>

#include "core/device/device_cpu.h"
#include "renderer/scene/loaders/gltf/gltf_draco.h"
#include "renderer/scene/loaders/loader.h"
#include "tests/unit/scene/gltf_writer.h"
#include "tests/unit/temp_folder.h"

namespace tl::gltf_draco_tests {
namespace {

using test::GltfWriter;
using test::refusal;
using test::TempFolder;

#define TL_NEEDS_DRACO() \
    if (!has_draco()) GTEST_SKIP() << "built without libdraco-dev"

/// An octahedron with corners at distance 1. Positions (attribute 0) have 14 bits; normals (1)
/// equal them in 10 bits. Texture coordinates (2) are (x, y) / 2 + 1/2 in 12 bits.
constexpr unsigned char kOctahedron[] = {
    0x44, 0x52, 0x41, 0x43, 0x4f, 0x02, 0x02, 0x01, 0x01, 0x00, 0x00, 0x00, 0x06, 0x08, 0x02, 0x07,
    0x00, 0x00, 0x02, 0x6f, 0x15, 0x01, 0x01, 0x10, 0xff, 0x02, 0xcc, 0x40, 0xff, 0x02, 0xcc, 0x40,
    0x03, 0xff, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x01, 0x00, 0x09, 0x03, 0x00, 0x00,
    0x02, 0x01, 0x01, 0x09, 0x03, 0x00, 0x01, 0x03, 0x01, 0x03, 0x09, 0x02, 0x00, 0x02, 0x02, 0x01,
    0x01, 0x01, 0x00, 0x0f, 0x37, 0x01, 0x40, 0x01, 0x00, 0xff, 0xff, 0xff, 0x0f, 0x00, 0x00, 0x00,
    0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00, 0xc0, 0xff, 0xff, 0xff, 0x03, 0x00, 0x00, 0xc0,
    0xff, 0xdf, 0xff, 0xf7, 0xff, 0x00, 0xc0, 0xff, 0x0f, 0x00, 0x00, 0x00, 0x00, 0xff, 0x3f, 0x00,
    0x00, 0x00, 0x00, 0x80, 0xbf, 0x00, 0x00, 0x80, 0xbf, 0x00, 0x00, 0x80, 0xbf, 0x00, 0x00, 0x00,
    0x40, 0x0e, 0x00, 0x03, 0x01, 0x00, 0x0b, 0x23, 0xad, 0x2a, 0x55, 0x15, 0x03, 0xd5, 0x5a, 0x8a,
    0x00, 0x00, 0xf8, 0xff, 0xbf, 0xff, 0xff, 0x01, 0xf8, 0xff, 0x1f, 0xc0, 0x7f, 0x00, 0xff, 0x03,
    0x00, 0x00, 0xff, 0x01, 0x00, 0x00, 0x0a, 0x01, 0x01, 0x01, 0x00, 0x0d, 0x2f, 0x01, 0x40, 0x01,
    0x00, 0xff, 0xff, 0xff, 0x00, 0xf0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x00, 0xf0, 0xff,
    0xfd, 0x0f, 0x00, 0x00, 0x00, 0x00, 0x00, 0xff, 0x0f, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,
    0x00, 0x00, 0x00, 0x00, 0x00, 0x80, 0x3f, 0x0c};

std::string octahedron() {
    return {reinterpret_cast<const char*>(kOctahedron), sizeof kOctahedron};
}

constexpr const char* kAllIds = "\"POSITION\": 0, \"NORMAL\": 1, \"TEXCOORD_0\": 2";

/// A file of one mesh whose primitive has the compressed bytes, with the extension's attributes.
std::string compressed(const std::string& bytes, const std::string& ids = kAllIds,
                       bool is_binary = false) {
    GltfWriter writer;
    int view = writer.add_bytes(bytes);
    (void)writer.add_compressed("VEC3", 6);
    (void)writer.add_compressed("VEC3", 6);
    (void)writer.add_compressed("VEC2", 6);
    (void)writer.add_compressed("SCALAR", 24);
    std::string members =
        "\"extensionsUsed\": [\"KHR_draco_mesh_compression\"], \"extensionsRequired\": "
        "[\"KHR_draco_mesh_compression\"], \"scenes\": [{\"nodes\": [0]}], \"nodes\": [{\"mesh\": "
        "0}], \"meshes\": [{\"name\": \"m\", \"primitives\": [{\"attributes\": {\"POSITION\": 0, "
        "\"NORMAL\": 1, \"TEXCOORD_0\": 2}, \"indices\": 3, \"extensions\": "
        "{\"KHR_draco_mesh_compression\": {\"bufferView\": " +
        std::to_string(view) + ", \"attributes\": {" + ids + "}}}}]}]";
    return is_binary ? writer.glb(members) : writer.text(members);
}

void expect_octahedron(const Scene& scene) {
    EXPECT_TRUE(scene.warnings.empty());
    ASSERT_EQ(scene.meshes.size(), 1u);
    auto& mesh = scene.meshes[0];
    EXPECT_EQ(mesh.triangles.size(), 8u);
    EXPECT_EQ(mesh.positions.size(), 6u);
    ASSERT_EQ(mesh.uvs.size(), 6u);
    for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
        vec3 p = mesh.positions[i];
        EXPECT_NEAR(glm::length(p), 1, 1e-3f);
        EXPECT_NEAR(std::max({std::abs(p.x), std::abs(p.y), std::abs(p.z)}), 1, 1e-3f);
        EXPECT_LT(glm::distance(mesh.normals[i], p), 5e-3f);
        vec2 uv(mesh.uvs[i].x, 1 - mesh.uvs[i].y);
        EXPECT_LT(glm::distance(uv, 0.5f * vec2(p) + 0.5f), 1e-3f);
    }
    for (auto triangle : mesh.triangles) {
        vec3 a = mesh.positions[triangle.x], b = mesh.positions[triangle.y],
             c = mesh.positions[triangle.z];
        EXPECT_GT(glm::dot(glm::cross(b - a, c - a), a + b + c), 0);  // seen from outside
    }
}

}  // namespace

TEST(GltfDraco, DecodesPositionsNormalsAndTextureCoordinates) {
    TL_NEEDS_DRACO();
    TempFolder folder;
    expect_octahedron(load_scene(folder.write("a.gltf", compressed(octahedron()))));
    expect_octahedron(load_scene(folder.write("a.glb", compressed(octahedron(), kAllIds, true))));
}

TEST(GltfDraco, RefusesWhatDoesNotFit) {
    TL_NEEDS_DRACO();
    TempFolder folder;
    auto refused = [&](const std::string& text) {
        return refusal([&] { (void)load_scene(folder.write("a.gltf", text)); });
    };
    TL_EXPECT_CONTAINS(refused(compressed("no such data")), "a.gltf: mesh 'm': ");
    TL_EXPECT_CONTAINS(refused(compressed(octahedron(), "\"POSITION\": 7")), "no attribute 7");
    TL_EXPECT_CONTAINS(refused(compressed(octahedron(), "\"POSITION\": 2")),
                       "has 2 numbers a row, not 3");
    TL_EXPECT_CONTAINS(refused(compressed(octahedron(), "\"POSITION\": \"x\"")), "no number");
    TL_EXPECT_CONTAINS(refused(compressed(octahedron(), "\"POSITION\": -1")), "no number");
}

TEST(GltfDraco, ClaimsBeyondTheFreeMemoryAreRefused) {
    TL_NEEDS_DRACO();
    constexpr std::size_t kVertices = 12, kFaces = 13;  // the bytes that count them
    // 4,026,531,839 vertices of eight numbers and 1,342,177,279 faces: 338 GB at least.
    const std::string vertices = "\xff\xff\xff\xff\x0e", faces = "\xff\xff\xff\xff\x04";
    constexpr std::uint64_t kLeast = 338'000'000'000;
    if (cpu_device().memory_stats().bytes_free > kLeast) GTEST_SKIP() << "there is that much";
    std::string bytes = octahedron();
    ASSERT_EQ(bytes.substr(kVertices, 2), "\x06\x08");
    bytes.replace(kFaces, 1, faces);
    bytes.replace(kVertices, 1, vertices);
    TempFolder folder;
    TL_EXPECT_CONTAINS(
        refusal([&] { (void)load_scene(folder.write("a.gltf", compressed(bytes))); }),
        "a.gltf: mesh 'm': what its compressed data claim, 1342177279 faces and 4026531839 "
        "vertices, "
        "needs about");
}

TEST(GltfDraco, WithoutTheLibraryTheReasonIsTold) {
    if (has_draco()) GTEST_SKIP() << "built with libdraco-dev";
    TempFolder folder;
    std::string path = folder.write("a.gltf", compressed(octahedron()));
    TL_EXPECT_CONTAINS(refusal([&] { (void)load_scene(path); }), "libdraco-dev");
}

TEST(GltfDraco, DamagedDataNeverCrash) {
    TL_NEEDS_DRACO();
    TempFolder folder;
    const std::uint32_t seed = 3;
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    auto read = [&](const std::string& bytes) {
        std::string path = folder.write("a.gltf", compressed(bytes));
        std::string message = refusal([&] { (void)load_scene(path); });
        if (!message.empty()) {
            TL_EXPECT_CONTAINS(message, "a.gltf");
        }
    };
    for (std::size_t length = 0; length < sizeof kOctahedron; length += 3)
        read(octahedron().substr(0, length));
    for (int i = 0; i < 400; ++i) {
        std::string damaged = octahedron();
        for (int k = 0; k < 1 + i / 100; ++k)
            damaged[random() % damaged.size()] = static_cast<char>(random());
        read(damaged);
    }
}

}  // namespace tl::gltf_draco_tests
