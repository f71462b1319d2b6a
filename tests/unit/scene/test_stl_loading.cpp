// STL as text and binary, as programs write it, and damaged.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

#include "renderer/scene/loaders/loader.h"
#include "tests/unit/temp_folder.h"

namespace tl::stl_loading_tests {
namespace {

using test::refusal;
using test::TempFolder;

const std::string kFirst =
    "facet normal 1 0 0\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\n"
    "endfacet\n";
const std::string kSecond =
    "facet normal 1 0 0\nouter loop\nvertex 1 0 0\nvertex 1 1 0\nvertex 0 1 0\nendloop\n"
    "endfacet\n";
const std::string kText = "solid s\n" + kFirst + kSecond + "endsolid s\n";

template <class T>
std::string bytes_of(T value) {
    std::string bytes(sizeof value, '\0');
    std::memcpy(bytes.data(), &value, sizeof value);
    return bytes;
}

/// A triangle with a corner of its own at x, and the contents of its last two bytes.
std::string facet(float x, std::uint16_t attribute = 0) {
    std::string bytes(12, '\0');
    for (float number : {0.0f, 0.0f, 0.0f, x, 0.0f, 0.0f, 0.0f, 1.0f, 0.0f})
        bytes += bytes_of(number);
    return bytes + bytes_of(attribute);
}

std::string binary(std::uint32_t count, const std::string& facets, std::string header = "x") {
    header.resize(80, ' ');
    return header + bytes_of(count) + facets;
}

std::string refused(const TempFolder& folder, const std::string& bytes) {
    std::string message = refusal([&] { (void)load_scene(folder.write("a.stl", bytes)); });
    TL_EXPECT_CONTAINS(message, "a.stl");
    EXPECT_EQ(message.find('\n'), std::string::npos);
    return message;
}

Scene load(const TempFolder& folder, const std::string& bytes) {
    Scene scene;
    EXPECT_EQ(refusal([&] { scene = load_scene(folder.write("a.stl", bytes)); }), "");
    return scene;
}

std::string only_warning(const Scene& scene) {
    EXPECT_EQ(scene.warnings.size(), 1u);
    return scene.warnings.empty() ? "" : scene.warnings[0];
}

TEST(Stl, CornersAtOnePlaceAreOneVertexWithZUp) {
    TempFolder folder;
    Scene stl = load_scene(folder.write("A.STL", kText));
    ASSERT_EQ(stl.meshes.size(), 1u);
    EXPECT_EQ(stl.meshes[0].name, "s");
    EXPECT_EQ(stl.triangle_count(), 2u);
    EXPECT_EQ(stl.camera.up, vec3(0, 0, 1));
    EXPECT_EQ(stl.meshes[0].positions,
              (std::vector<vec3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}));
    // Normals come from the corners; those of the file point to another side.
    for (vec3 normal : stl.meshes[0].normals) EXPECT_EQ(normal, vec3(0, 0, 1));
    EXPECT_EQ(stl.materials.at(1).diffuse, vec3(1));
    Scene part = load_scene(folder.write(
        "a.toml",
        "[[material]]\nname = \"red\"\n[[mesh]]\nfile = \"A.STL\"\nmaterial = \"red\"\nscale = 2"));
    EXPECT_EQ(part.meshes[0].material_of_triangle[0], 1);
    EXPECT_EQ(part.meshes[0].positions[1], vec3(2, 0, 0));
    EXPECT_EQ(part.camera.up, vec3(0, 1, 0));
    // A table of many vertices grows as it is filled.
    std::string many;
    for (int i = 0; i < 5000; ++i) many += facet(static_cast<float>(i + 1)) + facet(-0.0f);
    Scene large = load(folder, binary(10000, many));
    EXPECT_EQ(large.triangle_count(), 10000u);
}

TEST(Stl, TextIsReadHoweverItIsSpelled) {
    TempFolder folder;
    std::string upper = kText, one_line = kText, mac = kText;
    for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    for (char& c : one_line) c = c == '\n' ? ' ' : c;
    for (char& c : mac) c = c == '\n' ? '\r' : c;
    std::string nameless = "solid\n" + kFirst + kSecond + "endsolid\n",
                named = "solid my facet of solid parts\n" + kFirst + kSecond + "endsolid x y\n",
                long_named =
                    "solid " + std::string(200, 'x') + "\n" + kFirst + kSecond + "endsolid\n",
                bare = "\n\n Solid a\n" + kFirst + kSecond + "end solid a\n \n" + '\0' + '\x1A',
                odd_normals =
                    "solid s\nfacet normal nan -1.#IND (0)\nouter loop\nvertex 0 0 0\n"
                    "vertex +1 0e0 0\nvertex 0 1. 0\nendloop\nendfacet\nfacet\nouter "
                    "loop\nvertex 1 0 0 vertex 1 1 0 vertex 0 1 0\nendloop\nendfacet\n"
                    "endsolid";
    for (auto& text : {kText, upper, one_line, mac, nameless, named, long_named, bare, odd_normals,
                       "\xEF\xBB\xBF" + kText}) {
        SCOPED_TRACE(text.substr(0, 40));
        Scene scene = load(folder, text);
        EXPECT_TRUE(scene.warnings.empty()) << scene.warnings[0];
        EXPECT_EQ(scene.triangle_count(), 2u);
        ASSERT_EQ(scene.meshes.size(), 1u);
        EXPECT_EQ(scene.meshes[0].positions.size(), 4u);
    }
    EXPECT_EQ(load(folder, nameless).meshes.at(0).name, "a");
    EXPECT_EQ(load(folder, named).meshes.at(0).name, "my facet of solid parts");
}

TEST(Stl, EachSolidOfATextIsAMesh) {
    TempFolder folder;
    Scene scene =
        load(folder, "solid one\n" + kFirst + "endsolid one\nsolid none\nendsolid none\n" +
                         "solid two\n" + kSecond + "endsolid two\n");
    EXPECT_TRUE(scene.warnings.empty());
    ASSERT_EQ(scene.meshes.size(), 2u);
    EXPECT_EQ(scene.meshes[0].name, "one");
    EXPECT_EQ(scene.meshes[1].name, "two");
    EXPECT_EQ(scene.meshes[1].positions[0], vec3(1, 0, 0));
    // On one line, and without the ends of solids and facets.
    EXPECT_EQ(load(folder,
                   "solid a facet normal 0 0 1 outer loop vertex 0 0 0 vertex 1 0 0 "
                   "vertex 0 1 0 endloop endfacet endsolid a solid b facet normal 0 0 1 "
                   "outer loop vertex 0 0 0 vertex 1 0 0 vertex 0 1 0 endsolid b " +
                       kFirst + "endsolid")
                  .meshes.size(),
              2u);
}

TEST(Stl, WhatATextLacksOrHasBesidesIsAWarning) {
    TempFolder folder;
    Scene open = load(folder, "solid s\n" + kFirst + kSecond);
    EXPECT_EQ(open.triangle_count(), 2u);
    TL_EXPECT_CONTAINS(only_warning(open), "a.stl: has no 'endsolid' at its end");
    Scene colored =
        load(folder, "solid s\ncolor 1 0 0\n" + kFirst + "color 0 1 0\n" + kSecond + "endsolid\n");
    EXPECT_EQ(colored.triangle_count(), 2u);
    TL_EXPECT_CONTAINS(only_warning(colored),
                       "ignores statements that STL has not, the first 'color' in line 2");
    // A facet of four vertices is two triangles.
    std::string four = kFirst;
    four.insert(four.find("endloop"), "vertex -1 1 0\n");
    EXPECT_EQ(load(folder, "solid s\n" + four + "endsolid\n").triangle_count(), 2u);
}

TEST(Stl, FaultsOfATextNameTheLine) {
    TempFolder folder;
    auto changed = [&](const std::string& from, const std::string& to) {
        std::string text = kText;
        return refused(folder, text.replace(text.find(from), from.size(), to));
    };
    TL_EXPECT_CONTAINS(changed("vertex 1 0 0", "vertex 1 x 0"),
                       "a.stl:5: the y of a vertex is 'x', which is no number");
    TL_EXPECT_CONTAINS(changed("vertex 1 0 0", "vertex 1 0"), "a.stl:6: the z of a vertex is");
    TL_EXPECT_CONTAINS(changed("vertex 1 0 0", "vertex 1 nan 0"), "a.stl:5: the y of a vertex is");
    TL_EXPECT_CONTAINS(changed("vertex 1 0 0", "vertex 1e30 0 0"), "beyond 1e15");
    TL_EXPECT_CONTAINS(changed("vertex 1 0 0\n", ""),
                       "the facet of line 2 has 2 vertices; it wants three");
    TL_EXPECT_CONTAINS(refused(folder, kText.substr(0, kText.find("vertex 1 1"))),
                       "ends within the facet of line 9; it is cut off");
    TL_EXPECT_CONTAINS(refused(folder, kText.substr(0, kText.find("1 0\nvertex 0 1 0\nendloop",
                                                                  kText.find("vertex 1 1")))),
                       "cut off");
    for (auto* empty : {"solid nothing", "solid nothing\nendsolid nothing\n"})
        TL_EXPECT_CONTAINS(refused(folder, empty), "has no triangles");
    for (auto* other : {"", "hello, this is no model\n", "<html>"})
        TL_EXPECT_CONTAINS(refused(folder, other), "is no STL");
}

TEST(Stl, BinaryIsToldFromTextByItsLength) {
    TempFolder folder;
    for (auto* header : {"x", "solid s", "SOLID\n facet normal", "solid a\nfacet normal 0 0 0"}) {
        Scene scene = load(folder, binary(2, facet(1) + facet(2), header));
        EXPECT_TRUE(scene.warnings.empty());
        EXPECT_EQ(scene.triangle_count(), 2u);
        EXPECT_EQ(scene.camera.up, vec3(0, 0, 1));
        scene = load(folder, binary(2, facet(1) + facet(2) + "trailing", header));
        EXPECT_EQ(scene.triangle_count(), 2u);
        TL_EXPECT_CONTAINS(only_warning(scene),
                           "a.stl: has 8 bytes after its last triangle, which are not read");
        TL_EXPECT_CONTAINS(refused(folder, binary(3, facet(1) + facet(2), header)),
                           "byte 80: its header promises 3 triangles, but the file has room for "
                           "2; it is cut off, or no STL");
    }
}

TEST(Stl, CountsThatAreNoneFollowFromTheLength) {
    TempFolder folder;
    for (std::uint32_t count : {0u, UINT32_MAX}) {
        Scene scene = load(folder, binary(count, facet(1) + facet(2)));
        EXPECT_EQ(scene.triangle_count(), 2u);
        TL_EXPECT_CONTAINS(only_warning(scene),
                           "its header has no count of triangles; by its length it has 2");
    }
    TL_EXPECT_CONTAINS(refused(folder, binary(0, "")), "has no triangles");
    TL_EXPECT_CONTAINS(refused(folder, binary(1, facet(NAN))),
                       "byte 108: x of a vertex of triangle 0 is not finite");
    TL_EXPECT_CONTAINS(refused(folder, binary(2, facet(1) + facet(1e20f))), "is beyond 1e15");
}

TEST(Stl, ColoursOfTrianglesAreThoseThatAreMarked) {
    TempFolder folder;
    constexpr std::uint16_t kMark = 0x8000, kHigh = 31 << 10, kLow = 31;
    auto colors = [&](const std::string& bytes) { return load(folder, bytes).meshes[0].colors; };
    // Anything else in these bytes is no colour.
    EXPECT_TRUE(colors(binary(2, facet(1, 7) + facet(2, kHigh))).empty());
    auto marked = colors(binary(2, facet(1, kMark | kHigh) + facet(2, 99)));
    ASSERT_EQ(marked.size(), 6u);
    EXPECT_EQ(marked[0], vec3(1, 0, 0));
    EXPECT_EQ(marked[3], vec3(1));
    // The mark says that the colour in the header holds, and red is low.
    std::string header = "COLOR=";
    header += std::string("\x00\xFF\x00\xFF", 4);
    auto magics = colors(binary(2, facet(1, kLow) + facet(2, kMark | kLow), header));
    ASSERT_EQ(magics.size(), 6u);
    EXPECT_EQ(magics[0], vec3(1, 0, 0));
    EXPECT_EQ(magics[3], vec3(0, 1, 0));
    for (vec3 color : colors(binary(2, facet(1) + facet(2), header)))
        EXPECT_EQ(color, vec3(0, 1, 0));
}

TEST(Stl, FarFromTheOriginDetailsStay) {
    TempFolder folder;
    std::string text = kText;
    for (auto at = text.find("vertex "); at != std::string::npos; at = text.find("vertex ", at + 1))
        text.insert(at + 7, "450000");  // before x: 4500000 and 4500001
    Scene scene = load(folder, text);
    Box bounds = bounds_of(scene);
    EXPECT_NEAR(bounds.hi.x - bounds.lo.x, 1, 1e-6f);
    EXPECT_NE(scene.offset, glm::dvec3(0));
}

TEST(Stl, DamagedFilesAreReadOrRefused) {
    TempFolder folder;
    const std::uint32_t seed = 7;
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    const std::string whole = binary(3, facet(1) + facet(2, 0x8001) + facet(3));
    for (auto& bytes : {kText, whole})
        for (int i = 0; i < 200; ++i) {
            std::string damaged = bytes;
            for (int k = 0; k < 1 + i / 20; ++k)
                damaged[random() % damaged.size()] = static_cast<char>(random());
            if (i % 3 == 0) damaged.resize(random() % damaged.size());
            std::string path = folder.write("a.stl", damaged);
            std::string message = refusal([&] { (void)load_scene(path); });
            if (!message.empty()) {
                TL_EXPECT_CONTAINS(message, "a.stl");
            }
        }
    auto open = [](auto& path) { (void)load_scene(path); };
    EXPECT_EQ(test::read_truncated(folder, "cut.stl", whole, 1, open), 0);
}

}  // namespace
}  // namespace tl::stl_loading_tests
