#include <cmath>

#include "renderer/scene/loaders/loader.h"
#include "tests/unit/scene/ply_writer.h"
#include "tests/unit/temp_folder.h"

namespace tl::ply_loading_tests {
namespace {

using test::kPlyFormats;
using test::PlyWriter;
using test::refusal;
using test::TempFolder;

constexpr const char* kPositions =
    "element vertex 3\nproperty float x\nproperty float y\nproperty float z\n";
constexpr const char* kFace = "element face 1\nproperty list uchar int vertex_indices\n";

Scene load(const TempFolder& folder, const std::string& bytes) {
    return load_scene(folder.write("a.ply", bytes));
}

std::string refused(const TempFolder& folder, const std::string& bytes) {
    return refusal([&] { (void)load(folder, bytes); });
}

/// A triangle whose only face names the vertices given.
PlyWriter triangle(const char* format, const std::vector<double>& face = {3, 0, 1, 2}) {
    PlyWriter writer(format, std::string(kPositions) + kFace);
    writer.row("fff", {0, 0, 0}).row("fff", {1, 0, 0}).row("fff", {0, 1, 0});
    return writer.row("Biiiiiii", face);
}

TEST(Ply, ReadsPositionsAndFacesInEveryEncoding) {
    TempFolder folder;
    for (auto* format : kPlyFormats) {
        SCOPED_TRACE(format);
        Scene scene = load(folder, triangle(format).bytes());
        ASSERT_EQ(scene.meshes.size(), 1u);
        auto& mesh = scene.meshes[0];
        EXPECT_EQ(mesh.name, "a");
        EXPECT_EQ(mesh.positions, (std::vector<vec3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}));
        EXPECT_EQ(mesh.triangles, (std::vector<glm::uvec3>{{0, 1, 2}}));
        EXPECT_EQ(mesh.normals, std::vector<vec3>(3, vec3(0, 0, 1)));
        EXPECT_TRUE(mesh.uvs.empty());
        EXPECT_EQ(mesh.material_of_triangle, std::vector<std::int32_t>{0});
        EXPECT_TRUE(scene.warnings.empty());
        EXPECT_EQ(scene.lights.size(), 2u);
    }
}

TEST(Ply, ReadsEveryTypeOfNumber) {
    TempFolder folder;
    struct Type {
        const char* names[2];
        char code;
        double greatest;  // that the coordinate is given
    };
    const Type types[] = {{{"char", "int8"}, 'b', 127},
                          {{"uchar", "uint8"}, 'B', 255},
                          {{"short", "int16"}, 'h', 32767},
                          {{"ushort", "uint16"}, 'H', 65535},
                          {{"int", "int32"}, 'i', 2147483648.0 - 128},
                          {{"uint", "uint32"}, 'I', 4294967296.0 - 256},
                          {{"float", "float32"}, 'f', 1.25e-3},
                          {{"double", "float64"}, 'd', 1.25e14}};
    for (auto* format : kPlyFormats)
        for (auto& [names, code, greatest] : types)
            for (std::string name : names) {
                SCOPED_TRACE(std::string(format) + " " + name);
                // The lists are of that type where it can index.
                bool whole = code != 'f' && code != 'd';
                std::string index_type = whole ? name : "int";
                std::string list_codes(4, whole ? code : 'i');
                PlyWriter writer(format, "element vertex 3\nproperty " + name + " x\nproperty " +
                                             name + " y\nproperty " + name +
                                             " z\nelement face 1\nproperty list " + index_type +
                                             " " + index_type + " vertex_index\n");
                std::string codes(3, code);
                writer.row(codes, {0, 0, 0}).row(codes, {greatest, 0, 0}).row(codes, {0, 1, 0});
                Scene scene = load(folder, writer.row(list_codes, {3, 2, 0, 1}).bytes());
                EXPECT_EQ(scene.meshes[0].positions[1].x, static_cast<float>(greatest));
                EXPECT_EQ(scene.meshes[0].triangles[0], glm::uvec3(2, 0, 1));
            }
}

TEST(Ply, PolygonsBecomeFans) {
    TempFolder folder;
    for (auto* format : kPlyFormats) {
        PlyWriter writer(format,
                         "element vertex 5\nproperty float x\nproperty float y\nproperty float z\n"
                         "element face 2\nproperty list uchar int vertex_indices\n");
        for (int i = 0; i < 5; ++i) {
            double angle = 1.2566370614 * i;
            writer.row("fff", {std::cos(angle), std::sin(angle), 0});
        }
        writer.row("Biiiii", {5, 0, 1, 2, 3, 4}).row("Biii", {3, 2, 3, 4});
        EXPECT_EQ(load(folder, writer.bytes()).meshes[0].triangles,
                  (std::vector<glm::uvec3>{{0, 1, 2}, {0, 2, 3}, {0, 3, 4}, {2, 3, 4}}));
    }
}

TEST(Ply, ReadsNormalsAndTextureCoordinatesByAnyOfTheirNames) {
    TempFolder folder;
    for (auto* format : kPlyFormats)
        for (auto [u, v] : {std::pair{"s", "t"}, {"u", "v"}, {"texture_u", "texture_v"}}) {
            PlyWriter writer(format,
                             "comment from a test\nobj_info one\nelement vertex 3\n"
                             "property double x\nproperty double y\nproperty double z\n"
                             "property float nx\nproperty float ny\nproperty float nz\n"
                             "property float " +
                                 std::string(u) + "\nproperty float " + v + "\n" + kFace);
            writer.row("dddfffff", {0, 0, 0, 0, 3, 4, 0.25, 0.5})
                .row("dddfffff", {1, 0, 0, 0, 0, -2, 1, 0})
                .row("dddfffff", {0, 1, 0, 0, 0, 0, 0, 1});
            Mesh mesh = load(folder, writer.row("Biii", {3, 0, 1, 2}).bytes()).meshes[0];
            EXPECT_EQ(mesh.uvs, (std::vector<vec2>{{0.25f, 0.5f}, {1, 0}, {0, 1}}));
            EXPECT_LT(glm::length(mesh.normals[0] - vec3(0, 0.6f, 0.8f)), 1e-6f);
            EXPECT_EQ(mesh.normals[1], vec3(0, 0, -1));
            EXPECT_EQ(mesh.normals[2], vec3(0, 0, 1));  // zero length: the face's normal
        }
}

TEST(Ply, SkipsElementsAndPropertiesThatItDoesNotKnow) {
    TempFolder folder;
    for (auto* format : kPlyFormats) {
        SCOPED_TRACE(format);
        PlyWriter writer(format,
                         "element camera 1\nproperty double view\nproperty list short float lens\n"
                         "element nothing 7\n"
                         "element vertex 3\nproperty list uchar ushort neighbours\n"
                         "property float confidence\nproperty float z\nproperty float y\n"
                         "property uchar red\nproperty float x\n"
                         "element edge 1\nproperty int vertex1\n"
                         "element face 1\nproperty uchar flags\nproperty list uchar float shades\n"
                         "property list uint ushort vertex_index\nproperty double area\n"
                         "element last 1\nproperty list uchar double more\n");
        writer.row("dhff", {1, 2, 3, 4});
        writer.row("BHHfffBf", {2, 8, 9, 0.5, 0, 0, 255, 0});
        writer.row("BfffBf", {0, 0.5, 0, 0, 255, 7});
        writer.row("BHfffBf", {1, 8, 0.5, 3, 5, 255, 0});
        writer.row("i", {77});
        writer.row("BBffIHHHd", {9, 2, 0.1, 0.2, 3, 0, 1, 2, 0.5}).row("Bd", {1, 3});
        Scene scene = load(folder, writer.bytes());
        EXPECT_EQ(scene.meshes[0].positions, (std::vector<vec3>{{0, 0, 0}, {7, 0, 0}, {0, 5, 3}}));
        EXPECT_EQ(scene.meshes[0].triangles[0], glm::uvec3(0, 1, 2));
        EXPECT_TRUE(scene.warnings.empty());
    }
}

TEST(Ply, TakesEveryLineEndAndBlankLines) {
    TempFolder folder;
    std::string text = triangle("ascii").bytes();
    for (std::string end : {"\n", "\r\n", "\r"}) {
        std::string spelled;
        for (char c : text)
            spelled += c == '\n' ? end + (spelled.size() > 200 ? end : "") : std::string(1, c);
        EXPECT_EQ(load(folder, spelled).triangle_count(), 1u);
        spelled.erase(spelled.find_last_not_of("\r\n") + 1);
        EXPECT_EQ(load(folder, spelled).triangle_count(), 1u) << "without an end of the last line";
    }
    // The first byte of a binary body may be any, also a line end's.
    for (char first : {'\n', '\r'}) {
        std::string body = triangle("binary_little_endian").bytes();
        auto at = body.find("end_header\n") + 11;
        body[at] = first;
        EXPECT_GT(load(folder, body).meshes[0].positions[0].x, 0);
        body.erase(at - 1, 1);
        std::string header;
        for (std::size_t i = 0; i + 1 < at; ++i)
            header += body[i] == '\n' ? std::string("\r\n") : std::string(1, body[i]);
        Scene scene = load(folder, header + "\r\n" + body.substr(at - 1));
        EXPECT_GT(scene.meshes[0].positions[0].x, 0);
    }
}

TEST(Ply, WarnsOnceOfRowsThatHaveMore) {
    TempFolder folder;
    std::string text = triangle("ascii").bytes();
    for (auto* line : {"1 0 0\n", "0 1 0\n"}) text.insert(text.find(line) + 5, " 255");
    Scene scene = load(folder, text);
    EXPECT_EQ(scene.triangle_count(), 1u);
    ASSERT_EQ(scene.warnings.size(), 1u);
    TL_EXPECT_CONTAINS(scene.warnings[0], "a.ply:11: the row has more numbers");
}

TEST(Ply, RefusesBadHeadersNamingTheLine) {
    TempFolder folder;
    const std::string start = "ply\nformat ascii 1.0\n", vertices = kPositions, face = kFace;
    const std::pair<std::string, const char*> cases[] = {
        {"", "a.ply:1: is no PLY file"},
        {"solid\n", "a.ply:1: is no PLY file"},
        {"ply", "a.ply:1: is no PLY file"},
        {"ply\n", "a.ply:2: the header has no end_header; the file may be cut off"},
        {"ply\n" + std::string(10000, 'x') + "\n", "a.ply:2: the header has no end_header"},
        {"ply\nformat binary 1.0\n", "a.ply:2: unknown format 'binary'; known: ascii, binary_l"},
        {"ply\nformat ascii 2.0\n", "a.ply:2: unknown version '2.0' of the format"},
        {"ply\n" + vertices + face + "end_header\n", "a.ply:8: the header says no format"},
        {start + "element vertex -3\n", "a.ply:3: 'element vertex' has the count '-3'"},
        {start + "element vertex\n", "a.ply:3: 'element vertex' has the count ''"},
        {start + vertices + vertices, "a.ply:7: a second element 'vertex'"},
        {start + "property float x\n", "a.ply:3: a property before the first element"},
        {start + "element vertex 3\nproperty half x\n", "a.ply:4: unknown type 'half'; known: ch"},
        {start + "element vertex 3\nproperty float\n", "a.ply:4: a property without a name"},
        {start + "element face 1\nproperty list float int vertex_indices\n",
         "a.ply:4: the length of a list is not a whole number"},
        {start + vertices + "elements face 3\n", "a.ply:7: 'elements' is no statement of a header"},
        {start + face + "end_header\n3 0 1 2\n", "a.ply: has no vertices"},
        {start + "element vertex 0\nproperty float x\n" + face + "end_header\n3 0 1 2\n",
         "a.ply: has no vertices"},
        {start + "element vertex 1\nproperty float x\nproperty float z\n" + face +
             "end_header\n0 0\n3 0 0 0\n",
         "a.ply:3: vertices have no property 'y'"},
        {start + vertices + "element face 1\nproperty int a\nend_header\n0 0 0\n0 0 0\n0 0 0\n1\n",
         "a.ply:7: faces want one list 'vertex_indices' or 'vertex_index'"},
        {start + vertices +
             "element tristrips 1\nproperty int a\nend_header\n0 0 0\n0 0 0\n0 0 0\n1\n",
         "a.ply:7: strips want one list 'vertex_indices' or 'vertex_index'"},
        {start + "element vertex 3\n" + face + "end_header\n3 0 1 2\n",
         "a.ply:3: vertices have no properties"},
        {start + vertices + face + "end_header\n0 0 0\n0 0 0\n0 0 0\n2 0 1\n",
         "a.ply: its faces make no triangles, since they have fewer than 3 corners"},
    };
    for (auto& [text, message] : cases) TL_EXPECT_CONTAINS(refused(folder, text), message);
}

TEST(Ply, RefusesBadRowsNamingLineOrByte) {
    TempFolder folder;
    for (std::string format : kPlyFormats) {
        SCOPED_TRACE(format);
        auto* name = format.c_str();
        auto place = [&](const std::string& bytes) {
            return format == "ascii"
                       ? std::string("a.ply:13: ")
                       : "a.ply: byte " + std::to_string(bytes.find("end_header\n") + 47) + ": ";
        };
        const std::pair<std::vector<double>, const char*> faces[] = {
            {{3, 0, 1, 3}, "a face or edge names vertex 3; the file has 0 to 2"},
            {{3, 0, -1, 2}, "a face or edge names vertex -1; the file has 0 to 2"},
            {{4, 0, 1, 2},
             format == "ascii" ? "the row has fewer numbers than the header says"
                               : "the file ends in this row; it may be cut off"}};
        for (auto& [face, message] : faces) {
            std::string bytes = triangle(name, face).bytes();
            TL_EXPECT_CONTAINS(refused(folder, bytes), place(bytes) + message);
        }
        for (auto [value, message] : {std::pair{NAN, "is not finite"},
                                      {-INFINITY, "is not finite"},
                                      {2e15f, "is beyond the largest coordinate, 1e15"}}) {
            PlyWriter writer(name, std::string(kPositions) + kFace);
            writer.row("fff", {0, 0, 0}).row("fff", {1, double(value), 0}).row("fff", {0, 1, 0});
            std::string text = refused(folder, writer.row("Biii", {3, 0, 1, 2}).bytes());
            TL_EXPECT_CONTAINS(text, std::string("vertex 1: its y ") + message);
            TL_EXPECT_CONTAINS(text, format == "ascii" ? "a.ply:11: " : "a.ply: byte ");
        }
    }
    std::string text = triangle("ascii").bytes();
    auto changed = [&](const std::string& from, const std::string& to) {
        std::string copy = text;
        return refused(folder, copy.replace(copy.find(from), from.size(), to));
    };
    TL_EXPECT_CONTAINS(changed("3 0 1 2", "3 0 1.5 2"),
                       "a.ply:13: a face or edge names vertex 1.5");
    TL_EXPECT_CONTAINS(changed("3 0 1 2", "3 0 one 2"), "a.ply:13: 'one' is not a number");
    TL_EXPECT_CONTAINS(changed("3 0 1 2", "-1 0 1 2"), "has the length -1");
    TL_EXPECT_CONTAINS(changed("1 0 0\n", "1 0\n"), "a.ply:11: the row has fewer numbers");
    TL_EXPECT_CONTAINS(changed("1 0 0\n", "1 + 0\n"), "a.ply:11: '+' is not a number");
}

TEST(Ply, CountsThatTheFileCannotHoldAskForNoMemory) {
    TempFolder folder;
    for (auto* format : kPlyFormats)
        for (auto* count : {"4000", "900000000", "18446744073709551615"}) {
            std::string bytes = triangle(format).bytes();
            bytes.replace(bytes.find("vertex 3") + 7, 1, count);
            TL_EXPECT_CONTAINS(
                refused(folder, bytes),
                std::string("a.ply:3: the header promises ") + count + " rows of 'vertex', but");
            // Rows without numbers must also be skipped quickly.
            bytes = triangle(format).bytes();
            bytes.insert(bytes.find("element face"), std::string("element e ") + count + "\n");
            EXPECT_EQ(load(folder, bytes).triangle_count(), 1u);
        }
}

TEST(Ply, TruncatedFilesAreRefused) {
    TempFolder folder;
    for (std::string format : kPlyFormats) {
        std::string bytes = triangle(format.c_str()).bytes();
        int taken = test::read_truncated(folder, "cut.ply", bytes, 1,
                                         [](auto& path) { (void)load_scene(path); });
        EXPECT_EQ(taken, format == "ascii" ? 1 : 0);  // all but the last line's end
    }
}

TEST(Ply, OpensByContentAndFromSceneFiles) {
    TempFolder folder;
    EXPECT_EQ(load_scene(folder.write("mesh", triangle("ascii").bytes())).triangle_count(), 1u);
    folder.write("parts/a.ply", triangle("binary_big_endian").bytes());
    Scene scene = load_scene(folder.write("s.toml",
                                          "[[material]]\nname = \"red\"\n[[mesh]]\nfile = "
                                          "\"parts/a.ply\"\nmaterial = \"red\"\nscale = 2\n"));
    EXPECT_EQ(scene.meshes[0].positions[1], vec3(2, 0, 0));
    EXPECT_EQ(scene.meshes[0].material_of_triangle[0], 1);
    folder.write("a.abc", "solid");
    TL_EXPECT_CONTAINS(
        refusal([&] { (void)load_scene(folder.write("t.toml", "[[mesh]]\nfile = \"a.abc\"\n")); }),
        "t.toml:2: 'a.abc' is not a mesh that can be read; known: .obj, .ply");
}

}  // namespace
}  // namespace tl::ply_loading_tests
