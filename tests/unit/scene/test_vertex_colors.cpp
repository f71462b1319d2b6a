// Colours of vertices, as the loaders read them and the exporter writes them.
#include <gtest/gtest.h>

#include "core/base/text.h"
#include "renderer/images/srgb.h"
#include "renderer/scene/instances.h"
#include "renderer/scene/loaders/assimp_import.h"
#include "renderer/scene/loaders/loader.h"
#include "renderer/scene/loaders/vertex_colors.h"
#include "tests/unit/scene/gltf_export_checks.h"
#include "tests/unit/scene/gltf_writer.h"
#include "tests/unit/scene/ply_writer.h"
#include "tests/unit/temp_folder.h"

namespace tl::vertex_colors_tests {
namespace {

using test::TempFolder;
using Colors = std::vector<vec3>;

/// Parts of 255 are rounded at most three times on their way, by 6e-8 of themselves each; the curve
/// of sRGB makes up to 2.3 times as much of that, and is rounded too.
constexpr float kDecoded = 5e-7f;

/// The colours at the corners of a mesh's triangles.
Colors corner_colors(const Mesh& mesh) {
    Colors colors;
    for (auto triangle : mesh.triangles)
        for (int k = 0; k < 3; ++k) colors.push_back(mesh.colors.at(triangle[k]));
    return colors;
}

void expect_near(const Colors& a, const Colors& b, float tolerance) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i)
        for (int k = 0; k < 3; ++k) EXPECT_NEAR(a[i][k], b[i][k], tolerance) << i;
}

const Material& material_of(const Scene& scene) {
    return scene.materials.at(
        static_cast<std::size_t>(scene.meshes.at(0).material_of_triangle.at(0)));
}

TEST(VertexColors, AreDecodedAsOtherProgramsShowThem) {
    Colors parts{{0, 0.5f, 1}, {-1, NAN, 1.5f}};
    decode_vertex_colors(parts);
    expect_near(parts, {{0, 0.2140411f, 1}, {0, 0, 1}}, kDecoded);
    Colors bytes{{0, 128, 255}, {51, 1, 0.25f}};  // one of them is above 2
    decode_vertex_colors(bytes);
    expect_near(bytes,
                {{0, linear_from_srgb(128 / 255.0f), 1},
                 {linear_from_srgb(0.2f), linear_from_srgb(1 / 255.0f), 0.25f / 255 / 12.92f}},
                kDecoded);
}

TEST(VertexColors, OfObjFollowTheirPositions) {
    TempFolder folder;
    // The third vertex has a weight alone; the colours of the others make the plain faces white.
    Scene scene = load_scene(folder.write(
        "a.obj", "v 0 0 0 1 0 0\nv 1 0 0 0 0.5 0\nv 0 1 0 1\nv 0 0 9\nf 1 2 3\nf 3 2 1\n"));
    EXPECT_TRUE(scene.warnings.empty());
    vec3 red(1, 0, 0), green(0, linear_from_srgb(0.5f), 0), white(1);
    expect_near(corner_colors(scene.meshes.at(0)), {red, green, white, white, green, red}, 0);
    EXPECT_EQ(material_of(scene).diffuse, vec3(1));

    folder.write("a.mtl", "newmtl m\nKd 0.5 0.5 0.5\n");
    Scene named =
        load_scene(folder.write("b.obj",
                                "mtllib a.mtl\nv 0 0 0 1 0 0\nv 1 0 0 1 0 0\nv 0 1 0 1 0 0\n"
                                "usemtl m\nf 1 2 3\n"));
    EXPECT_EQ(material_of(named).diffuse, vec3(0.5f));
    expect_near(corner_colors(named.meshes.at(0)), {red, red, red}, 0);
    // Colours of a scene file's material.
    Scene given = load_scene(
        folder.write("c.toml",
                     "[[material]]\nname = \"m\"\ndiffuse = [0.25, 0.5, 1]\n[[mesh]]\nfile = "
                     "\"a.obj\"\nmaterial = \"m\"\n"));
    EXPECT_EQ(material_of(given).diffuse, vec3(0.25f, 0.5f, 1));
    EXPECT_FALSE(given.meshes.at(0).colors.empty());
}

TEST(VertexColors, OfObjMayBePartsOf255BesideVerticesWithoutOne) {
    TempFolder folder;
    Scene scene = load_scene(folder.write(
        "a.obj", "v 0 0 0\nv 1 0 0 0 102 0\nv 0 1 0 255 0 0\nv 0 0 9\nf 1 2 3\nf 3 2 4\n"));
    vec3 red(1, 0, 0), green(0, linear_from_srgb(0.4f), 0), white(1);
    expect_near(corner_colors(scene.meshes.at(0)), {white, green, red, red, green, white},
                kDecoded);
}

TEST(VertexColors, OfZbrushFollowTheVerticesOfTheirBlock) {
    TempFolder folder;
    vec3 red(1, 0, 0), green(0, linear_from_srgb(0.4f), 0), blue(0, 0, linear_from_srgb(0.2f)),
        white(1);
    std::string triangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\n", faces = "f 1 2 3\nf 4 5 6\n";
    auto colors_of = [&](const std::string& text, const char* warning) {
        Scene scene = load_scene(folder.write("a.obj", text));
        EXPECT_EQ(scene.warnings.size(), *warning ? 1u : 0u);
        for (auto& line : scene.warnings) TL_EXPECT_CONTAINS(line, warning);
        EXPECT_EQ(material_of(scene).diffuse, vec3(1));
        return corner_colors(scene.meshes.at(0));
    };
    // Two blocks, the first of two lines, the masks of which say nothing; hexadecimal in any case.
    expect_near(colors_of(triangle + "#MRGB ffFF000000006600\n#MRGB 80000033\n" + triangle +
                              "#MRGB ff000033 ff006600\tffff0000\r\n" + faces,
                          ""),
                {red, green, blue, blue, green, red}, kDecoded);
    // A block is of the vertices right before it; others are white, or as their lines say.
    expect_near(
        colors_of("v 0 0 0 0 102 0\nv 1 0 0\nv 0 1 0\n#MRGB ffff0000\n" + triangle + faces, ""),
        {green, white, red, white, white, white}, kDecoded);
    for (auto* damaged : {"#MRGB ffff0000ff00660\n", "#MRGB ffff0000-f006600ff000033\n",
                          "#MRGB ffff0000 ff 006600\n"})
        expect_near(colors_of(triangle + triangle + damaged + faces,
                              "a.obj:7: an #MRGB line has what is no colour of eight"),
                    {white, white, white, white, white, red}, kDecoded);
    expect_near(colors_of(triangle + "#MRGB ffff0000ffff0000ff006600ff000033\n" + triangle + faces,
                          "a.obj:4: an #MRGB line has more colours than there are vertices"),
                {red, red, green, white, white, white}, kDecoded);
    // Not ZBrush's.
    Scene plain = load_scene(folder.write(
        "a.obj", triangle + "#MRGBA ffff0000\n# MRGB ffff0000\n#mrgb ffff0000\nf 1 2 3\n"));
    EXPECT_TRUE(plain.meshes.at(0).colors.empty());
}

TEST(VertexColors, OfPlyAreIntegersOrFloats) {
    TempFolder folder;
    Colors expected{{1, 0, 0}, {0, linear_from_srgb(0.4f), 0}, {0, 0, linear_from_srgb(0.2f)}};
    for (auto* format : test::kPlyFormats)
        for (std::string type : {"uchar", "ushort", "int", "float"}) {
            std::string header = "element vertex 3\n";
            for (auto* name : {"x", "y", "z"})
                header += std::string("property float ") + name + "\n";
            for (auto* name : {"red", "green", "blue", "alpha"})
                header += "property " + type + " " + name + "\n";
            test::PlyWriter writer(
                format, header + "element face 1\nproperty list uchar int vertex_indices\n");
            // Integers of 32 bits hold parts of 255 too.
            double full = type == "float" ? 1 : type == "ushort" ? 65535 : 255;
            char letter = type == "float"    ? 'f'
                          : type == "int"    ? 'i'
                          : type == "ushort" ? 'H'
                                             : 'B';
            std::string types = "fff" + std::string(4, letter);
            writer.row(types, {0, 0, 0, full, 0, 0, 0});
            writer.row(types, {1, 0, 0, 0, 0.4 * full, 0, full});
            writer.row(types, {0, 1, 0, 0, 0, 0.2 * full, full});
            writer.row("Biii", {3, 0, 1, 2});
            Scene scene = load_scene(folder.write("a.ply", writer.bytes()));
            EXPECT_TRUE(scene.warnings.empty());
            expect_near(corner_colors(scene.meshes.at(0)), expected,
                        type == "float" ? 0 : kDecoded);
            EXPECT_EQ(material_of(scene).diffuse, vec3(1));
        }
}

TEST(VertexColors, OfPlyFacesFillThem) {
    TempFolder folder;
    vec3 red(1, 0, 0), green(0, linear_from_srgb(0.4f), 0), white(1);
    std::string vertices = "element vertex 6\n", colors, floats;
    for (auto* name : {"x", "y", "z"}) vertices += std::string("property float ") + name + "\n";
    for (auto* name : {"red", "green", "blue"}) {
        colors += std::string("property uchar ") + name + "\n";
        floats += std::string("property float ") + name + "\n";
    }
    std::string faces = "element face 3\nproperty list uchar int vertex_indices\n";
    std::string strip = "element tristrips 1\nproperty list int int vertex_indices\n";
    auto add_vertices = [](test::PlyWriter& writer) {
        for (double x : {0.0, 1.0, 2.0})
            for (double y : {0.0, 1.0}) writer.row("fff", {x, y, 0});
    };
    for (auto* format : test::kPlyFormats)
        for (bool in_bytes : {true, false})
            for (bool strip_first : {true, false}) {
                test::PlyWriter writer(format, vertices + (strip_first ? strip : "") + faces +
                                                   (in_bytes ? colors : floats) +
                                                   (strip_first ? "" : strip));
                add_vertices(writer);
                // A red square and a triangle, a green triangle, and a strip, which has none.
                std::string three(3, in_bytes ? 'B' : 'f');
                if (strip_first) writer.row("iiii", {3, 0, 1, 2});
                writer.row("Biiii" + three, {4, 0, 2, 3, 1, 255, 0, 0});
                writer.row("Biii" + three, {3, 2, 4, 3, 255, 0, 0});
                writer.row("Biii" + three, {3, 4, 5, 3, 0, 102, 0});
                if (!strip_first) writer.row("iiii", {3, 0, 1, 2});
                Scene scene = load_scene(folder.write("a.ply", writer.bytes()));
                EXPECT_TRUE(scene.warnings.empty());
                auto& mesh = scene.meshes.at(0);
                Colors expected(9, red);
                expected.insert(expected.end(), 3, green);
                expected.insert(strip_first ? expected.begin() : expected.end(), 3, white);
                expect_near(corner_colors(mesh), expected, kDecoded);
                // Vertices are copied where colours differ between faces: 3 and 4, and 0, 1 and 2
                // of the strip.
                EXPECT_EQ(mesh.positions.size(), 11u);
                EXPECT_EQ(mesh.normals.size(), 11u);
                EXPECT_EQ(material_of(scene).diffuse, vec3(1));
            }
    // Colours of vertices go before those of faces, and copies keep texture coordinates.
    for (bool are_both : {true, false}) {
        test::PlyWriter writer("ascii", vertices + "property float s\nproperty float t\n" +
                                            (are_both ? colors : "") + faces + colors);
        for (double x : {0.0, 1.0, 2.0})
            for (double y : {0.0, 1.0}) {
                std::vector<double> values{x, y, 0, x, y};
                if (are_both) values.insert(values.end(), {0, 102, 0});
                writer.row(are_both ? "fffffBBB" : "fffff", values);
            }
        for (double k : {0.0, 1.0, 2.0}) writer.row("BiiiBBB", {3, k, k + 1, k + 2, 255 * k, 0, 0});
        Mesh mesh = load_scene(folder.write("a.ply", writer.bytes())).meshes.at(0);
        ASSERT_EQ(mesh.uvs.size(), mesh.positions.size());
        for (std::size_t v = 0; v < mesh.uvs.size(); ++v)
            EXPECT_EQ(mesh.uvs[v], vec2(mesh.positions[v].x, mesh.positions[v].y));
        EXPECT_EQ(corner_colors(mesh).at(0), are_both ? green : vec3(0));
    }
}

TEST(VertexColors, OfPointCloudLibraryAreInTheBitsOfANumber) {
    TempFolder folder;
    constexpr std::uint32_t kPacked[] = {0xFF0000, 0x006600, 0x000033, 0xFFFFFFFF};
    Colors expected{{1, 0, 0}, {0, linear_from_srgb(0.4f), 0}, {0, 0, linear_from_srgb(0.2f)}};
    std::string xyz = "element vertex 4\n";
    for (auto* name : {"x", "y", "z"}) xyz += std::string("property float ") + name + "\n";
    for (std::string format : test::kPlyFormats)
        for (std::string property : {"float rgb", "uint rgba", "uint32 rgb", "int rgba"}) {
            SCOPED_TRACE(format + " " + property);
            test::PlyWriter writer(format, xyz + "property " + property + "\n");
            bool is_text = format == "ascii", is_float = property == "float rgb";
            for (std::uint32_t packed : kPacked) {
                // In binary files, floats are written as integers of the same bits: 0xFFFFFFFF is a
                // NaN, which text cannot hold.
                double value = is_text && is_float  ? double(std::bit_cast<float>(packed))
                               : property[0] == 'i' ? double(std::int32_t(packed))
                                                    : double(packed);
                writer.row(property[0] == 'i' ? "fffi"
                           : is_text          ? "ffff"
                                              : "fffI",
                           {0, 0, double(packed % 7), value});
            }
            Scene scene = load_scene(folder.write("a.ply", writer.bytes()));
            ASSERT_EQ(scene.spheres.size(), 4u);
            Colors colors;
            for (auto& sphere : scene.spheres) colors.push_back(sphere.color);
            Colors all = expected;
            all.emplace_back(is_text && is_float ? 0 : 1);
            expect_near(colors, all, kDecoded);
        }
    // Not packed: numbers of other types, and where there are plain ones.
    Scene plain = load_scene(folder.write(
        "a.ply",
        test::PlyWriter("ascii", xyz + "property double rgb\nproperty list uchar int rgba\n")
            .row("fffdB", {0, 0, 0, 1, 0})
            .row("fffdB", {0, 0, 1, 1, 0})
            .row("fffdB", {0, 1, 0, 1, 0})
            .row("fffdB", {1, 0, 0, 1, 0})
            .bytes()));
    EXPECT_EQ(plain.spheres.at(0).color, vec3(1));
}

TEST(VertexColors, OfGltfAreLinear) {
    TempFolder folder;
    Colors expected{{1, 0.2f, 0}, {0, 1, 0.4f}, {0.6f, 0, 1}};
    for (int channels : {3, 4})
        for (int kind = 0; kind < 3; ++kind) {
            test::GltfWriter writer;
            int positions = writer.add("VEC3", std::vector<float>{0, 0, 0, 1, 0, 0, 0, 1, 0});
            std::vector<float> values;
            for (vec3 color : expected) {
                for (int k = 0; k < 3; ++k) values.push_back(color[k]);
                if (channels == 4) values.push_back(0.5f);
            }
            std::string type = channels == 3 ? "VEC3" : "VEC4";
            std::vector<std::uint8_t> bytes;
            std::vector<std::uint16_t> words;
            for (float value : values) {
                bytes.push_back(static_cast<std::uint8_t>(std::lround(255 * value)));
                words.push_back(static_cast<std::uint16_t>(std::lround(65535 * value)));
            }
            int colors = kind == 0   ? writer.add(type, values)
                         : kind == 1 ? writer.add_normalized(type, bytes)
                                     : writer.add_normalized(type, words);
            Scene scene = load_scene(folder.write(
                "a.gltf",
                writer.text("\"scene\": 0, \"scenes\": [{\"nodes\": [0]}], \"nodes\": [{\"mesh\": "
                            "0}], \"meshes\": [{\"primitives\": [{\"attributes\": {\"POSITION\": " +
                            std::to_string(positions) + ", \"COLOR_0\": " + std::to_string(colors) +
                            "}}]}]")));
            EXPECT_TRUE(scene.warnings.empty());
            expect_near(corner_colors(scene.meshes.at(0)), expected, 0);
        }
}

TEST(VertexColors, OfColladaComeThroughAssimp) {
    if (!has_assimp()) GTEST_SKIP() << "built without assimp";
    TempFolder folder;
    auto source = [](const std::string& id, const std::string& names, const std::string& values) {
        std::string params;
        for (char name : names)
            params += concatenated({"<param name='", {&name, 1}, "' type='float'/>"});
        return "<source id='" + id + "'><float_array id='" + id + "-array' count='9'>" + values +
               "</float_array><technique_common><accessor source='#" + id +
               "-array' count='3' stride='3'>" + params + "</accessor></technique_common></source>";
    };
    Scene scene = load_scene(folder.write(
        "a.dae",
        "<?xml version='1.0'?>\n"
        "<COLLADA xmlns='http://www.collada.org/2005/11/COLLADASchema' version='1.4.1'>"
        "<library_geometries><geometry id='g'><mesh>" +
            source("p", "XYZ", "0 0 0 1 0 0 0 1 0") + source("c", "RGB", "1 0 0 0 0.5 0 0 0 1") +
            "<vertices id='v'><input semantic='POSITION' source='#p'/></vertices>"
            "<triangles count='1'><input semantic='VERTEX' source='#v' offset='0'/>"
            "<input semantic='COLOR' source='#c' offset='1'/><p>0 0 1 1 2 2</p></triangles>"
            "</mesh></geometry></library_geometries>"
            "<library_visual_scenes><visual_scene id='s'><node><instance_geometry url='#g'/></node>"
            "</visual_scene></library_visual_scenes>"
            "<scene><instance_visual_scene url='#s'/></scene></COLLADA>\n"));
    expect_near(corner_colors(scene.meshes.at(0)),
                {{1, 0, 0}, {0, linear_from_srgb(0.5f), 0}, {0, 0, 1}}, 0);
}

TEST(VertexColors, SurviveExport) {
    TempFolder folder;
    Mesh mesh = test::quad(0, 0, 1);
    mesh.colors = {{1, 0, 0.125f}, {0, 1, 0}, {0.1f, 0.2f, 0.3f}, {1, 1, 1}};
    Scene scene = test::scene_of(mesh);
    scene.materials.emplace_back().name = "second";
    scene.spheres = {{.center = {1, 2, 3}, .radius = 0.5f, .material = 1, .color = {0.5f, 0, 1}},
                     {.center = {4, 5, 6}, .radius = 0.5f, .material = 1, .color = {0, 0.25f, 1}},
                     {.center = {7, 8, 9}, .radius = 2, .material = 0}};
    Scene back = test::exported(folder, scene);
    ASSERT_EQ(back.meshes.size(), 2u);  // one for each material
    Colors colors = corner_colors(back.meshes[0]), second = corner_colors(back.meshes[1]);
    colors.insert(colors.end(), second.begin(), second.end());
    expect_near(colors, corner_colors(mesh), 0);
    ASSERT_EQ(back.spheres.size(), 3u);
    EXPECT_EQ(back.spheres[0].center, vec3(7, 8, 9));
    EXPECT_EQ(back.spheres[0].color, vec3(1));
    for (std::size_t i : {0u, 1u}) {
        EXPECT_EQ(back.spheres[i + 1].center, scene.spheres[i].center);
        EXPECT_EQ(back.spheres[i + 1].radius, 0.5f);
        EXPECT_EQ(back.spheres[i + 1].color, scene.spheres[i].color);
        auto material = static_cast<std::size_t>(back.spheres[i + 1].material);
        EXPECT_EQ(back.materials[material].name, "second");
    }
}

TEST(VertexColors, OfMergedMeshesAreWhiteWhereAMeshHasNone) {
    Scene scene;
    scene.meshes = {test::quad(0), test::quad(1), test::quad(2)};
    scene.meshes[1].colors.assign(4, vec3(0.5f));
    merge_meshes(scene, 0);
    Colors expected(12, vec3(1));
    std::fill_n(expected.begin() + 4, 4, vec3(0.5f));
    EXPECT_EQ(scene.meshes.at(0).colors, expected);
}

}  // namespace
}  // namespace tl::vertex_colors_tests
