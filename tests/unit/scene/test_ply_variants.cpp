// PLY files as programs write them: concave faces, strips, textures, sloppy headers and numbers.
#include <algorithm>
#include <cmath>
#include <random>

#include "renderer/images/image_io.h"
#include "renderer/scene/loaders/loader.h"
#include "tests/unit/scene/ply_writer.h"
#include "tests/unit/temp_folder.h"

namespace tl::ply_variants_tests {
namespace {

using test::kPlyFormats;
using test::PlyWriter;
using test::refusal;
using test::TempFolder;

using Triangles = std::vector<glm::uvec3>;

std::string vertices(int count) {
    return "element vertex " + std::to_string(count) +
           "\nproperty float x\nproperty float y\nproperty float z\n";
}
constexpr const char* kFaces = "property list uchar int vertex_indices\n";
constexpr const char* kTexturedFaces =
    "property list uchar int vertex_indices\nproperty list uchar float texcoord\n";

/// A text file of a square of two triangles: vertices at (0, 0), (1, 0), (1, 1) and (0, 1).
std::string square(const std::string& comments = "", const std::string& end = "\n") {
    std::string text;
    for (auto& line :
         {std::string("ply"), std::string("format ascii 1.0"), comments,
          std::string("element vertex 4"), std::string("property float x"),
          std::string("property float y"), std::string("property float z"),
          std::string("property float u"), std::string("property float v"),
          std::string("element face 2"), std::string("property list uchar int vertex_indices"),
          std::string("end_header"), std::string("0 0 0 0 0"), std::string("1 0 0 1 0"),
          std::string("1 1 0 1 1"), std::string("0 1 0 0 1"), std::string("3 0 1 2"),
          std::string("3 0 2 3")})
        if (!line.empty()) text += line + end;
    return text;
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
    return text.replace(text.find(from), from.size(), to);
}

Scene load(const TempFolder& folder, const std::string& bytes) {
    return load_scene(folder.write("a.ply", bytes));
}

TEST(Ply, ConcaveFacesAreFilled) {
    TempFolder folder;
    std::vector<vec2> corners{{2, 1}, {1, 1}, {1, 2}, {0, 2}, {0, 0}, {2, 0}};  // an L of area 3
    for (int first = 0; first < 6; ++first) {
        auto* format = kPlyFormats[first % 3];
        PlyWriter writer(format, vertices(6) + "element face 1\n" + kFaces);
        for (auto& corner : corners) writer.row("fff", {corner.x, corner.y, 0});
        writer.row("Biiiiii", {6, 0, 1, 2, 3, 4, 5});
        Mesh mesh = load(folder, writer.bytes()).meshes[0];
        EXPECT_EQ(mesh.triangles.size(), 4u);
        double area = 0;
        for (auto& t : mesh.triangles) {
            vec3 a = mesh.positions[t.x], b = mesh.positions[t.y], c = mesh.positions[t.z];
            float doubled = glm::cross(b - a, c - a).z;
            EXPECT_GT(doubled, 0);
            area += doubled / 2;
        }
        EXPECT_EQ(area, 3);
        std::rotate(corners.begin(), corners.begin() + 1, corners.end());
    }
}

TEST(Ply, LargeFacesAreFansOrRefused) {
    TempFolder folder;
    for (bool concave : {false, true}) {
        constexpr int kCorners = 20000;
        PlyWriter writer(
            "binary_little_endian",
            vertices(kCorners) + "element face 1\nproperty list uint uint vertex_index\n");
        std::string types = "I";
        std::vector<double> face{kCorners};
        for (int i = 0; i < kCorners; ++i) {
            double angle = 2 * M_PI * i / kCorners, radius = concave && i % 2 ? 1e5 : 1e6;
            writer.row("fff", {radius * std::cos(angle), radius * std::sin(angle), 0});
            face.push_back(i);
            types += 'I';
        }
        writer.row(types, face);
        std::string message = refusal([&] {
            EXPECT_EQ(load(folder, writer.bytes()).triangle_count(), std::size_t(kCorners) - 2);
        });
        if (concave)
            TL_EXPECT_CONTAINS(message, "a concave face has 20000 corners; at most 16384 are cut");
        else
            EXPECT_EQ(message, "");
    }
}

TEST(Ply, FacesOfFewBytesDoNotAskForMuchMemory) {
    TempFolder folder;
    // A byte of a polygon or strip is a triangle more, which takes a hundred.
    constexpr int kCorners = 255, kFaces = 4000;
    for (bool is_strip : {false, true}) {
        PlyWriter writer("binary_little_endian",
                         vertices(kCorners) + "element " + (is_strip ? "tristrips " : "face ") +
                             std::to_string(kFaces) +
                             "\nproperty list uchar uchar vertex_indices\n");
        for (int i = 0; i < kCorners; ++i)
            writer.row("fff", {std::cos(0.02 * i), std::sin(0.02 * i), 0});
        std::vector<double> row(kCorners + 1, kCorners);
        for (int i = 0; i < kCorners; ++i) row[static_cast<std::size_t>(i) + 1] = i;
        for (int f = 0; f < kFaces; ++f) writer.row(std::string(kCorners + 1, 'B'), row);
        TL_EXPECT_CONTAINS(refusal([&] { (void)load(folder, writer.bytes()); }),
                           " triangles up to here, more than a file of this size should have");
    }
}

TEST(Ply, TriangleStripsTurnEveryOtherTriangleAndRestart) {
    TempFolder folder;
    for (auto* format : kPlyFormats) {
        SCOPED_TRACE(format);
        PlyWriter writer(format, vertices(6) +
                                     "element tristrips 2\n"
                                     "property list int int vertex_indices\n");
        for (int i = 0; i < 6; ++i) writer.row("fff", {i / 2 * 1.0, i % 2 * -1.0, 0});
        writer.row("iiiiiiiiii", {9, 0, 1, 2, 3, 3, 4, -1, 5, 4});
        writer.row("iiiiiiii", {7, -1, -1, 2, 1, 3, -1, 0});
        Scene scene = load(folder, writer.bytes());
        EXPECT_EQ(scene.meshes[0].triangles, (Triangles{{0, 1, 2}, {2, 1, 3}, {2, 1, 3}}));
        EXPECT_TRUE(scene.warnings.empty());
        // Faces and strips may be in one file.
        writer = PlyWriter(format, vertices(3) +
                                       "element tristrips 1\nproperty list int int vertex_index\n"
                                       "element face 1\n" +
                                       kFaces);
        writer.row("fff", {0, 0, 0}).row("fff", {1, 0, 0}).row("fff", {0, 1, 0});
        writer.row("iiii", {3, 0, 1, 2}).row("Biii", {3, 1, 2, 0});
        EXPECT_EQ(load(folder, writer.bytes()).meshes[0].triangles,
                  (Triangles{{0, 1, 2}, {1, 2, 0}}));
        PlyWriter bad(format,
                      vertices(3) + "element tristrips 1\nproperty list int int vertex_index\n");
        bad.row("fff", {0, 0, 0}).row("fff", {1, 0, 0}).row("fff", {0, 1, 0});
        bad.row("iiiii", {4, 0, 1, 2, -2});
        TL_EXPECT_CONTAINS(refusal([&] { (void)load(folder, bad.bytes()); }),
                           "names vertex -2; the file has 0 to 2");
    }
}

TEST(Ply, FacesMayComeBeforeTheirVertices) {
    TempFolder folder;
    for (auto* format : kPlyFormats) {
        PlyWriter writer(format, std::string("element face 1\n") + kFaces + "element mark 1\n" +
                                     "property int a\n" + vertices(4) + "element tristrips 1\n" +
                                     "property list int int vertex_index\n");
        writer.row("Biiii", {4, 0, 1, 2, 3}).row("i", {7});
        writer.row("fff", {0, 0, 0}).row("fff", {1, 0, 0}).row("fff", {1, 1, 0});
        writer.row("fff", {0, 1, 0}).row("iiii", {3, 0, 1, 3});
        EXPECT_EQ(load(folder, writer.bytes()).meshes[0].triangles,
                  (Triangles{{0, 1, 2}, {0, 2, 3}, {0, 1, 3}}));
    }
}

TEST(Ply, CornersMayHaveTextureCoordinatesOfTheirOwn) {
    TempFolder folder;
    for (auto* format : kPlyFormats) {
        SCOPED_TRACE(format);
        // Two triangles with one edge in common; at vertex 2 both agree, at vertex 0 they do not.
        PlyWriter writer(format, vertices(4) + "element face 3\n" + kTexturedFaces);
        for (auto [x, y] : {std::pair{0, 0}, {1, 0}, {1, 1}, {0, 1}})
            writer.row("fff", {double(x), double(y), 0});
        writer.row("BiiiBffffff", {3, 0, 1, 2, 6, 0, 0, 1, 0, 1, 1});
        writer.row("BiiiBffffff", {3, 0, 2, 3, 6, 0.5, 0.5, 1, 1, 0, 1});
        writer.row("BiiiB", {3, 0, 1, 3, 0});
        Scene scene = load(folder, writer.bytes());
        auto& mesh = scene.meshes[0];
        EXPECT_EQ(mesh.triangles, (Triangles{{0, 1, 2}, {4, 2, 3}, {0, 5, 6}}));
        EXPECT_EQ(mesh.positions[4], mesh.positions[0]);
        EXPECT_EQ(mesh.uvs, (std::vector<vec2>{
                                {0, 0}, {1, 0}, {1, 1}, {0, 1}, {0.5f, 0.5f}, {0, 0}, {0, 0}}));
        // The seam is no crease: normals are those of the surface without it.
        EXPECT_EQ(mesh.normals, std::vector<vec3>(7, vec3(0, 0, 1)));
        EXPECT_TRUE(scene.warnings.empty());
    }
    // Polygons hand theirs on to triangles, and lists of another length are one warning.
    PlyWriter writer("ascii", vertices(4) + "element face 3\n" + kTexturedFaces);
    for (auto [x, y] : {std::pair{0, 0}, {1, 0}, {1, 1}, {0, 1}})
        writer.row("fff", {double(x), double(y), 0});
    writer.row("BiiiiBffffffff", {4, 0, 1, 2, 3, 8, 0, 0, 1, 0, 1, 1, 0, 1});
    writer.row("BiiiBff", {3, 0, 1, 2, 2, 1, 1}).row("BiiiBf", {3, 0, 1, 2, 1, NAN});
    Scene scene = load(folder, writer.bytes());
    EXPECT_EQ(scene.meshes[0].uvs[2], vec2(1, 1));
    EXPECT_EQ(scene.meshes[0].uvs[3], vec2(0, 1));
    ASSERT_EQ(scene.warnings.size(), 1u);
    TL_EXPECT_CONTAINS(scene.warnings[0], "2 faces have texture coordinates that are not two");
}

TEST(Ply, SeamsOfTexturesStaySmooth) {
    TempFolder folder;
    // Two squares that share an edge at 20 degrees, with different texture coordinates on either
    // side.
    PlyWriter writer("ascii", vertices(6) + "element face 2\n" + kTexturedFaces);
    for (double x : {-1.0, 0.0, 1.0})
        for (double y : {0.0, 1.0}) writer.row("fff", {x, y, x > 0 ? 0.36 : 0});
    writer.row("BiiiiBffffffff", {4, 0, 2, 3, 1, 8, 0, 0, 1, 0, 1, 1, 0, 1});
    writer.row("BiiiiBffffffff", {4, 2, 4, 5, 3, 8, 0, 0, 1, 0, 1, 1, 0, 1});
    Mesh mesh = load(folder, writer.bytes()).meshes[0];
    ASSERT_EQ(mesh.positions.size(), 8u);
    for (std::size_t i = 0; i < 8; ++i)
        for (std::size_t j = 0; j < 8; ++j)
            EXPECT_TRUE(mesh.positions[i] != mesh.positions[j] ||
                        mesh.normals[i] == mesh.normals[j]);
    EXPECT_LT(mesh.normals[2].x, -0.1f);
}

/// The hub of a fan has a different texture coordinate in each of its faces; finding the copies of
/// a vertex takes linear time.
TEST(Ply, VerticesOfManyTextureCoordinatesTakeLinearTime) {
    TempFolder folder;
    constexpr int kFacesAround = 100'000;
    PlyWriter writer(
        "binary_little_endian",
        vertices(3) + "element face " + std::to_string(kFacesAround) + "\n" + kTexturedFaces);
    writer.row("fff", {0, 0, 0}).row("fff", {1, 0, 0}).row("fff", {0, 1, 0});
    for (int i = 0; i < kFacesAround; ++i)
        writer.row("BiiiBffffff", {3, 0, 1, 2, 6, double(i), 0, 0, 0, 0, 0});
    Mesh mesh = load(folder, writer.bytes()).meshes[0];
    EXPECT_EQ(mesh.positions.size(), 2u + kFacesAround);
    EXPECT_EQ(mesh.uvs[mesh.triangles.back().x].x, float(kFacesAround - 1));
}

TEST(Ply, CommentsNameTextures) {
    TempFolder folder;
    for (auto* name : {"wood.png", "old wood.png"})
        write_png(folder.path(name), {{2, 1}, {255, 0, 0, 255, 0, 0, 255, 255}});
    for (auto [comment, file] : {std::pair{"comment TextureFile wood.png", "wood"},
                                 {"comment TextureFile old wood.png  ", "old wood"},
                                 {"comment\ttexturefile C:\\scans\\Wood.PNG", "wood"}}) {
        SCOPED_TRACE(comment);
        Scene scene = load(folder, square(comment));
        EXPECT_TRUE(scene.warnings.empty());
        ASSERT_EQ(scene.materials.size(), 2u);
        EXPECT_EQ(scene.materials[1].name, file);
        EXPECT_EQ(scene.materials[1].diffuse, vec3(1));
        EXPECT_EQ(scene.materials[1].diffuse_texture, 0);
        EXPECT_EQ(scene.meshes[0].material_of_triangle, (std::vector<std::int32_t>{1, 1}));
    }
    auto expect_plain = [&](const std::string& text, const char* warning) {
        Scene scene = load(folder, text);
        EXPECT_EQ(scene.meshes[0].material_of_triangle, (std::vector<std::int32_t>{0, 0}));
        EXPECT_EQ(scene.materials.size(), 1u);
        ASSERT_EQ(scene.warnings.size(), 1u);
        TL_EXPECT_CONTAINS(scene.warnings[0], warning);
    };
    expect_plain(square("comment TextureFile gone.png"), "a.ply: texture 'gone.png' not found; ");
    folder.write("bad.png", "no picture");
    expect_plain(square("comment TextureFile bad.png"), "bad.png");
    expect_plain(replaced(square("comment TextureFile wood.png"), "float u", "float w"),
                 "a.ply: has no texture coordinates, so its texture 'wood.png' is not used");
    // A scene file's own material overrides it.
    folder.write("a.ply", square("comment TextureFile gone.png"));
    Scene scene = load_scene(folder.write("s.toml",
                                          "[[material]]\nname = \"red\"\n[[mesh]]\nfile = "
                                          "\"a.ply\"\nmaterial = \"red\"\n"));
    EXPECT_TRUE(scene.warnings.empty());
}

TEST(Ply, FacesMayChooseAmongTextures) {
    TempFolder folder;
    for (auto* name : {"0.png", "1.png"}) write_png(folder.path(name), {{1, 1}, {255, 0, 0, 255}});
    std::string text =
        "ply\nformat ascii 1.0\ncomment TextureFile 0.png\ncomment TextureFile 1.png\n" +
        vertices(3) + "element face 5\n" + kTexturedFaces +
        "property int texnumber\nend_header\n0 0 0\n1 0 0\n0 1 0\n";
    for (int number : {1, 0, 1, -1, 7})
        text += "3 0 1 2 6 0 0 1 0 0 1 " + std::to_string(number) + "\n";
    Scene scene = load(folder, text);
    std::vector<std::string> names;
    for (auto material : scene.meshes[0].material_of_triangle)
        names.push_back(scene.materials[std::size_t(material)].name);
    EXPECT_EQ(names, (std::vector<std::string>{"1", "0", "1", "default", "default"}));
    ASSERT_EQ(scene.warnings.size(), 1u);
    TL_EXPECT_CONTAINS(scene.warnings[0], "1 triangles have a texture that the file does not name");
}

TEST(Ply, SloppyHeadersAreRead) {
    TempFolder folder;
    std::string text = square();
    for (auto& sloppy :
         {replaced(text, "ply\n", "ply \t\n"), replaced(text, "ply\n", "PLY\n"),
          replaced(text, "ascii 1.0\n", "ascii 1.0 \t \n"), replaced(text, "ascii 1.0", "ASCII"),
          replaced(text, "format ascii", "Format\tascii"), replaced(text, "float x", "FLOAT   x"),
          replaced(text, "element vertex 4", "\telement\tvertex\t4\t"),
          replaced(text, "list uchar int", "LIST UChar Int32"),
          replaced(text, "end_header", "END_HEADER "),
          replaced(text, "end_header\n", "end_header\r\n"), square("", "\r\n"), square("", "\r"),
          square("obj_info num_cols 512\nobj_info\ncomment\n\ncomment \xE9"),
          square("comment " + std::string(100'000, 'x')),
          replaced(
              replaced(text, "element vertex", "element tag 1\nproperty int a\nelement vertex"),
              "0 0 0 0 0", "5\n0 0 0 0 0")}) {
        SCOPED_TRACE(sloppy.substr(0, 300));
        Scene scene = load(folder, sloppy);
        EXPECT_EQ(scene.meshes[0].triangles, (Triangles{{0, 1, 2}, {0, 2, 3}}));
        EXPECT_EQ(scene.meshes[0].positions[2], vec3(1, 1, 0));
        EXPECT_TRUE(scene.warnings.empty());
    }
    EXPECT_EQ(
        load_scene(folder.write("mesh", replaced(text, "ply\n", "ply \r\n"))).triangle_count(), 2u);
    Scene scene = load(folder, square("made by hand\nand with care"));
    EXPECT_EQ(scene.triangle_count(), 2u);
    ASSERT_EQ(scene.warnings.size(), 1u);
    TL_EXPECT_CONTAINS(scene.warnings[0], "a.ply:3: is no statement of a header");
    std::string header = text.substr(0, text.find("end_header"));
    TL_EXPECT_CONTAINS(refusal([&] { (void)load(folder, header + "end_header"); }),
                       "a.ply:3: the header promises 4 rows of 'vertex'");
    std::string many = "ply\nformat ascii 1.0\n";
    for (int i = 0; i < 300; ++i) many += "element e" + std::to_string(i) + " 0\n";
    TL_EXPECT_CONTAINS(refusal([&] { (void)load(folder, many); }), "a.ply:259: more than 256 elem");
}

TEST(Ply, FacesOfFewerThanThreeCornersAreSkipped) {
    TempFolder folder;
    for (auto* format : kPlyFormats) {
        PlyWriter writer(format, vertices(3) + "element face 4\n" + kFaces);
        writer.row("fff", {0, 0, 0}).row("fff", {1, 0, 0}).row("fff", {0, 1, 0});
        writer.row("Bii", {2, 0, 1}).row("B", {0}).row("Biii", {3, 0, 1, 2}).row("Bi", {1, 2});
        Scene scene = load(folder, writer.bytes());
        EXPECT_EQ(scene.meshes[0].triangles, (Triangles{{0, 1, 2}}));
        EXPECT_EQ(scene.meshes[0].material_of_triangle.size(), 1u);
        ASSERT_EQ(scene.warnings.size(), 1u);
        TL_EXPECT_CONTAINS(scene.warnings[0], "a.ply: 3 faces of fewer than 3 corners are skipped");
    }
}

TEST(Ply, NormalsThatAreNoNumbersAreMade) {
    TempFolder folder;
    std::string normals = "property float nx\nproperty float ny\nproperty float nz\n";
    std::string colours = "property float confidence\nproperty uchar alpha\n";
    for (const std::string word :
         {"nan", "-NaN", "nan(ind)", "-nan(ind)", "inf", "-inf", "1.#IND", "-1.#IND", "1.#QNAN",
          "-1.#QNAN0", "1.#INF", "1.#INF00", "-1.#IND000", "1e400"}) {
        SCOPED_TRACE(word);
        std::string text = "ply\nformat ascii 1.0\n" + vertices(3) + normals + colours +
                           "element face 1\n" + kFaces + "end_header\n0 0 0 0 3 4 " + word +
                           " 1.#QNAN\n1 0 0 " + word + " 0 1 1 0\n0 1 0 0 0 2 1 " + word +
                           "\n3 0 1 2\n";
        Scene scene = load(folder, text);
        auto& normal = scene.meshes[0].normals;
        EXPECT_LT(glm::length(normal[0] - vec3(0, 0.6f, 0.8f)), 1e-6f);
        EXPECT_EQ(normal[1], vec3(0, 0, 1));
        EXPECT_EQ(normal[2], vec3(0, 0, 1));
        ASSERT_EQ(scene.warnings.size(), 1u);
        TL_EXPECT_CONTAINS(scene.warnings[0], "a.ply: 1 normals are not finite; they are made");
        // A position cannot be made.
        TL_EXPECT_CONTAINS(
            refusal([&] { (void)load(folder, replaced(text, "\n0 0 0", "\n0 " + word + " 0")); }),
            "a.ply:15: vertex 0: its y is not finite");
    }
    for (auto* format : kPlyFormats) {
        // If no normal is usable, creases are found as if there were none.
        PlyWriter writer(format, vertices(4) + normals + "element face 2\n" + kFaces);
        for (vec3 p : {vec3(0, 0, 0), {1, 0, 0}, {0, 1, 0}, {0, 0, 1}})
            writer.row("ffffff", {p.x, p.y, p.z, NAN, 0, INFINITY});
        writer.row("Biii", {3, 0, 1, 2}).row("Biii", {3, 0, 1, 3});
        Scene scene = load(folder, writer.bytes());
        EXPECT_EQ(scene.meshes[0].positions.size(), 6u);
        ASSERT_EQ(scene.warnings.size(), 1u);
        TL_EXPECT_CONTAINS(scene.warnings[0], "a.ply: 4 normals are not finite");
    }
}

TEST(Ply, PointsOfNoPlaceAreLeftOutOfClouds) {
    TempFolder folder;
    std::string header = "ply\nformat ascii 1.0\n" + vertices(4) +
                         "property uchar red\nproperty uchar green\nproperty uchar blue\n";
    std::string rows = "0 0 1 255 0 0\nnan nan nan 9 9 9\n1 0 1 0 255 0\n0 inf 0 9 9 9\n";
    Scene cloud = load(folder, header + "end_header\n" + rows);
    ASSERT_EQ(cloud.spheres.size(), 2u);
    EXPECT_EQ(cloud.spheres[1].center, vec3(1, 0, 1));
    EXPECT_EQ(cloud.spheres[1].color, vec3(0, 1, 0));
    TL_EXPECT_CONTAINS(cloud.warnings[0], "2 points without finite coordinates are left out");
    TL_EXPECT_CONTAINS(refusal([&] {
                           (void)load(folder, "ply\nformat ascii 1.0\n" + vertices(1) +
                                                  "end_header\nnan nan nan\n");
                       }),
                       "a.ply:3: none of the points has coordinates that are finite");
    // Vertices that a face may refer to are not left out.
    TL_EXPECT_CONTAINS(refusal([&] {
                           (void)load(folder, header + "element face 1\n" + kFaces +
                                                  "end_header\n" + rows + "3 0 2 2\n");
                       }),
                       "vertex 1: its x is not finite");
}

TEST(Ply, MutatedFilesAreReadOrRefused) {
    TempFolder folder;
    auto seed = std::random_device{}();
    SCOPED_TRACE("seed " + std::to_string(seed));
    std::mt19937 random(seed);
    constexpr const char* kPieces[] = {"4294967295",
                                       "18446744073709551615",
                                       "-1",
                                       "0",
                                       "list ",
                                       "char",
                                       "double",
                                       "\n",
                                       "\r",
                                       " ",
                                       "element face 3\n",
                                       "property uchar x\n",
                                       "end_header\n"};
    for (int i = 0; i < 300; ++i) {
        PlyWriter writer(kPlyFormats[i % 3],
                         "comment TextureFile a.png\n" + vertices(4) + "element face 2\n" +
                             kTexturedFaces +
                             "element tristrips 1\nproperty list int int vertex_indices\n");
        for (int k = 0; k < 4; ++k) writer.row("fff", {double(k / 2), double(k % 2), 0});
        writer.row("BiiiBffffff", {3, 0, 1, 2, 6, 0, 0, 1, 0, 1, 1});
        writer.row("BiiiiB", {4, 0, 2, 3, 1, 0}).row("iiiiii", {5, 0, 1, 2, -1, 3});
        std::string bytes = writer.bytes();
        for (std::uint32_t n = random() % 3 + 1; n-- > 0;) {
            std::size_t at = random() % bytes.size();
            std::string piece = kPieces[random() % std::size(kPieces)];
            if (random() % 2) piece = std::string(1, static_cast<char>(random()));
            bytes.replace(at, random() % 12, piece);
        }
        std::string message = refusal([&] { (void)load(folder, bytes); });
        if (message.empty()) continue;
        TL_EXPECT_CONTAINS(message, "a.ply:");
        EXPECT_EQ(message.find('\n'), std::string::npos);
    }
}

}  // namespace
}  // namespace tl::ply_variants_tests
