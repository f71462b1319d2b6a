#include <algorithm>
#include <cmath>

#include "renderer/images/image_io.h"
#include "renderer/scene/loaders/loader.h"
#include "tests/unit/temp_folder.h"

namespace tl::obj_loading_tests {
namespace {

using test::refusal;
using test::TempFolder;

constexpr const char* kTriangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";

Scene load(const TempFolder& folder, std::string_view text) {
    return load_scene(folder.write("a.obj", text));
}

std::string refused(const TempFolder& folder, const std::string& text) {
    return refusal([&] { (void)load(folder, text); });
}

const Material& material_of(const Scene& scene, std::size_t mesh, std::size_t triangle) {
    return scene
        .materials[static_cast<std::size_t>(scene.meshes[mesh].material_of_triangle[triangle])];
}

void write_texture(const TempFolder& folder, const std::string& name) {
    std::filesystem::create_directories(std::filesystem::path(folder.path(name)).parent_path());
    write_png(folder.path("made.png"), {{2, 1}, {255, 0, 0, 255, 0, 0, 255, 255}});
    std::filesystem::rename(folder.path("made.png"), folder.path(name));
}

/// Loads a triangle with one mtllib line and one material.
Scene load_material(const TempFolder& folder, const std::string& mtl) {
    folder.write("a.mtl", "newmtl m\n" + mtl);
    return load(folder, "mtllib a.mtl\n" + std::string(kTriangle) + "usemtl m\nf 1 2 3\n");
}

double surface_area(const Mesh& mesh, vec3& direction) {
    double area = 0;
    direction = vec3(0);
    for (auto& t : mesh.triangles) {
        vec3 a = mesh.positions[t.x];
        vec3 n = glm::cross(mesh.positions[t.y] - a, mesh.positions[t.z] - a);
        area += 0.5 * glm::length(n);
        direction += 0.5f * n;
    }
    return area;
}

TEST(Obj, SharesVerticesAndKeepsOrder) {
    TempFolder folder;
    Scene scene = load(folder, "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n");
    ASSERT_EQ(scene.meshes.size(), 1u);
    auto& mesh = scene.meshes[0];
    EXPECT_EQ(mesh.positions.size(), 4u);
    EXPECT_EQ(mesh.triangles, (std::vector<glm::uvec3>{{0, 1, 2}, {0, 2, 3}}));
    EXPECT_EQ(mesh.normals, std::vector<vec3>(4, vec3(0, 0, 1)));
    EXPECT_TRUE(mesh.uvs.empty());
    EXPECT_EQ(mesh.material_of_triangle, (std::vector<std::int32_t>{0, 0}));
    EXPECT_TRUE(scene.warnings.empty());
}

TEST(Obj, TriangulatesPolygonsConcaveOnesToo) {
    TempFolder folder;
    // An L of area 3, counterclockwise seen from +z; a fan from its first corner would overlap.
    const std::string corners = "v 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\nv 0 0 0\nv 2 0 0\n";
    for (int first = 0; first < 6; ++first)
        for (int step : {1, -1}) {
            std::string face = "f";
            for (int k = 0; k < 6; ++k)
                face += " " + std::to_string((first + step * k + 6) % 6 + 1);
            SCOPED_TRACE(face);
            Scene scene = load(folder, corners + face + "\n");
            EXPECT_EQ(scene.triangle_count(), 4u);
            vec3 direction;
            EXPECT_NEAR(surface_area(scene.meshes[0], direction), 3, 1e-5);
            EXPECT_NEAR(direction.z, 3 * step, 1e-5);
        }
}

TEST(Obj, ReadsEveryFormOfCorner) {
    TempFolder folder;
    std::string vertices = std::string(kTriangle) + "vt 0 0\nvt 1 0\nvt 0 1\nvn 0 0 -1\n";
    struct Case {
        const char* face;
        std::vector<vec2> uvs;
        float normal_z;  // the file's normal is opposite to the face's normal
    };
    const std::vector<vec2> uvs{{0, 0}, {1, 0}, {0, 1}};
    for (auto& expected :
         {Case{"f 1 2 3", {}, 1}, Case{"  f\t1   2\t3  ", {}, 1}, Case{"f 1/1 2/2 3/3", uvs, 1},
          Case{"f 1//1 2//1 3//1", {}, -1}, Case{"f 1/1/1 2/2/1 3/3/1", uvs, -1},
          Case{"f -3/-3/-1 -2/-2/-1 -1/-1/-1", uvs, -1}}) {
        SCOPED_TRACE(expected.face);
        Scene scene = load(folder, vertices + expected.face + "\n");
        ASSERT_EQ(scene.triangle_count(), 1u);
        EXPECT_EQ(scene.meshes[0].uvs, expected.uvs);
        EXPECT_EQ(scene.meshes[0].normals, std::vector<vec3>(3, vec3(0, 0, expected.normal_z)));
    }
}

TEST(Obj, TakesByteOrderMarksCarriageReturnsAndContinuedLines) {
    TempFolder folder;
    EXPECT_EQ(
        load(folder, "\xEF\xBB\xBFv 0 0 0\r\nv 1 0 0\r\nv 0 1 0\r\nf 1 2 3\r\n").triangle_count(),
        1u);
    EXPECT_EQ(load(folder, "v 0 0 0\rv 1 0 0\rv 0 1 0\rf 1 2 3").triangle_count(), 1u);
    EXPECT_EQ(load(folder, std::string(kTriangle) + "f 1 \\\n 2 \\\r\n 3\n").triangle_count(), 1u);
    std::string message = refused(folder, std::string(kTriangle) + "f 1 \\\n 2 3\nf 1 2 9\n");
    TL_EXPECT_CONTAINS(message, "a.obj:6: ");  // lines are those of the file
    // A comment that ends in a backslash does not continue on the next line.
    EXPECT_EQ(load(folder, "# C:\\\n" + std::string(kTriangle) + "f 1 2 3\n").triangle_count(), 1u);
}

TEST(Obj, KeepsDegenerateTriangles) {
    TempFolder folder;
    EXPECT_EQ(load(folder, std::string(kTriangle) + "f 1 1 2\nf 1 2 3\n").triangle_count(), 2u);
}

TEST(Obj, SplitsNormalsAtCreasesAndHonoursSmoothingGroups) {
    TempFolder folder;
    // Two squares that share an edge on the x axis, at a right angle.
    std::string fold = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 1 0 1\nv 0 0 1\n";
    EXPECT_EQ(load(folder, fold + "f 1 2 3 4\nf 1 6 5 2\n").meshes[0].positions.size(), 8u);
    auto smooth = load(folder, fold + "s 1\nf 1 2 3 4\nf 1 6 5 2\n").meshes[0];
    EXPECT_EQ(smooth.positions.size(), 6u);
    float half = std::sqrt(0.5f);
    EXPECT_NEAR(smooth.normals[0].y, half, 1e-5);
    EXPECT_NEAR(smooth.normals[0].z, half, 1e-5);
    // Groups of faces split the mesh, but not the smooth surface.
    auto cut = load(folder, fold + "s 1\ng a\nf 1 2 3 4\ng b\nf 1 6 5 2\n");
    ASSERT_EQ(cut.meshes.size(), 2u);
    EXPECT_EQ(cut.meshes[0].name, "a");
    EXPECT_NEAR(cut.meshes[1].normals[0].y, half, 1e-5);
    EXPECT_EQ(load(folder, fold + "s off\nf 1 2 3 4\nf 1 6 5 2\n").meshes[0].positions.size(), 8u);
}

TEST(Obj, NormalsOfNoLengthAreMade) {
    TempFolder folder;
    Scene scene = load(folder, std::string(kTriangle) + "vn nan 0 0\nvn 0 0 0\nf 1//1 2//2 3//2\n");
    for (auto& normal : scene.meshes[0].normals) EXPECT_EQ(normal, vec3(0, 0, 1));
    ASSERT_EQ(scene.warnings.size(), 1u);
    TL_EXPECT_CONTAINS(scene.warnings[0], "a.obj:4: a normal is no finite vector");
}

TEST(Obj, RefusesWhatCannotBeDrawnNamingTheLine) {
    TempFolder folder;
    std::string t = kTriangle;
    const std::pair<std::string, const char*> cases[] = {
        {"v 0 0\n", "a.obj:1: vertex 1 has 2 of 3 numbers"},
        {"v 0 0 zero\n", "a.obj:1: vertex 1: 'zero' is not a number"},
        {t + "v nan 0 0\nf 1 2 3\nf 1 2 4\n",
         "a.obj:4: vertex 4, which a face or line names, is not finite"},
        {t + "v 0 -inf 0\nf 1 2 3 -1\n", "a.obj:4: vertex 4, which a face"},
        {t + "v 0 1e400 0\nl 4 1\n", "a.obj:4: vertex 4, which a face"},
        {t + "v 0 1e400 0\nl 1 4\n", "a.obj:4: vertex 4, which a face"},
        {t + "v 0 1e20 0\n", "a.obj:4: vertex 4: '1e20' is beyond"},
        {t + "f 1 2 4\n", "a.obj:4: vertex 4 is named, but the file has 3"},
        {t + "f 1 2 99999999999999999999\n", "a.obj:4: the corner '99999999999999999999'"},
        {t + "f 1 2 -4\n", "a.obj:4: vertex -4 in '-4' is before the first of the 3"},
        {t + "f 0 1 2\n", "a.obj:4: index 0 in '0'; indices start at 1"},
        {t + "vt 0 0\nf 1/2 2/1 3/1\n", "a.obj:5: texture coordinate 2 is named"},
        {t + "vn 0 0 1\nf 1//2 2//2 3//2\n", "a.obj:5: normal 2 is named, but the file has 1"},
        {t + "f 1/ 2/ 3/\n", "a.obj:4: the corner '1/'"},
        {t + "f 1/1/1/1 2 3\n", "a.obj:4: "},
        {t + "f a b c\n", "a.obj:4: the corner 'a'"},
        {t + "f 1 2\n", "a.obj: has no faces"},
        {"", "a.obj: has no faces, so there is nothing to draw (the file is empty)"},
        {"# nothing\n", "a.obj: has no faces"},
        {std::string("v 0 0 0\n\0\n", 10), "a.obj: byte 8 is zero"},
    };
    for (auto& [text, message] : cases) TL_EXPECT_CONTAINS(refused(folder, text), message);
}

TEST(Obj, FacesMayNameLaterVertices) {
    TempFolder folder;
    EXPECT_EQ(load(folder, "f 1 2 3\n" + std::string(kTriangle)).triangle_count(), 1u);
    std::string square = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";
    EXPECT_EQ(load(folder, "g a\nf 1 2 3 4\ng b\n" + square).triangle_count(), 2u);
}

TEST(Obj, TruncatedFilesAreReadOrRefused) {
    TempFolder folder;
    folder.write("m.mtl", "newmtl m\nKd 1 0 0\n");
    std::string text = "mtllib m.mtl\no thing\n";
    for (int i = 0; i < 20; ++i)
        text += "v " + std::to_string(i) + " 0.5 -1e-3\nvt 0.5 0.25\nvn 0 0 1\n";
    text += "usemtl m\ns 1\n";
    for (int i = 1; i < 18; ++i)
        text += "f " + std::to_string(i) + "/1/1 " + std::to_string(i + 1) + "/2/2 " +
                std::to_string(i + 2) + "/3/3 -1/-1/-1\n";
    text += "l 1 2 3\np 1\ng last\nf 1 2 3\n";
    int taken = test::read_truncated(folder, "cut.obj", text, 11,
                                     [](auto& path) { (void)load_scene(path); });
    EXPECT_GT(taken, 10);
    EXPECT_GE(load_scene(folder.write("whole.obj", text)).triangle_count(), 35u);
}

TEST(Obj, FreeFormSurfacesAndUnknownStatementsAreSkippedWithAWarningOfEachKind) {
    TempFolder folder;
    Scene scene = load(folder, std::string(kTriangle) +
                                   "vp 1 2\nvw 5 -1 x\nt a 999999999/9/9\n"
                                   "curv 1\nsurf 1\nshadow_obj x\nf 1 2 3\n");
    EXPECT_EQ(scene.triangle_count(), 1u);
    ASSERT_EQ(scene.warnings.size(), 2u);
    TL_EXPECT_CONTAINS(scene.warnings[0],
                       "a.obj: 1 free-form surface, 1 free-form curve not drawn");
    TL_EXPECT_CONTAINS(scene.warnings[1], "a.obj: ignores 3 statements: vw, t, shadow_obj");
    TL_EXPECT_CONTAINS(refused(folder, std::string(kTriangle) + "surf 1\ncurv 1\ncurv 2\n"),
                       "a.obj: has no faces but 1 free-form surface, 2 free-form curves, so there "
                       "is nothing to draw");
}

TEST(Mtl, MapsIlluminationModelsToKinds) {
    TempFolder folder;
    const std::pair<const char*, MaterialKind> cases[] = {
        {"Kd 1 0 0\n", MaterialKind::diffuse},
        {"Kd 0.5 0 0\nKs 0.5 0.5 0.5\nNs 20\nillum 2\n", MaterialKind::phong},
        {"illum 3\n", MaterialKind::mirror},
        {"illum 5\nKs 0.9 0.8 0.7\n", MaterialKind::mirror},
        {"illum 4\n", MaterialKind::dielectric},
        {"illum 6\n", MaterialKind::dielectric},
        {"illum 7\nNi 1.33\n", MaterialKind::dielectric},
        {"d 0.5\n", MaterialKind::dielectric},
        {"Tr 0.5\n", MaterialKind::dielectric},
        {"d 1\n", MaterialKind::diffuse}};
    for (auto& [text, kind] : cases) {
        Scene scene = load_material(folder, text);
        EXPECT_EQ(material_of(scene, 0, 0).kind, kind) << text;
        EXPECT_TRUE(scene.warnings.empty()) << scene.warnings[0];
    }
    EXPECT_EQ(material_of(load_material(folder, "illum 3\n"), 0, 0).specular, vec3(1));
    EXPECT_FLOAT_EQ(material_of(load_material(folder, "illum 7\nNi 1.33\n"), 0, 0).ior, 1.33f);
    EXPECT_FLOAT_EQ(material_of(load_material(folder, "illum 7\n"), 0, 0).ior, 1.5f);
    Material phong = material_of(
        load_material(folder, "Kd 0.1 0.2 0.3\nKs 0.4 0.5 7\nNs 20\nKe 3 2 -1\n"), 0, 0);
    EXPECT_EQ(phong.diffuse, vec3(0.1f, 0.2f, 0.3f));
    EXPECT_EQ(phong.specular, vec3(0.4f, 0.5f, 1));
    EXPECT_EQ(phong.emission, vec3(3, 2, 0));
    EXPECT_EQ(phong.exponent, 20);
}

TEST(Mtl, FacesTakeTheirMaterialsAndNamesMayHoldSpaces) {
    TempFolder folder;
    folder.write(
        "my colours.mtl",
        "newmtl red wall\nKd 1 0 0\r\n\nnewmtl red floor\nKd 0.5 0 0\nnewmtl blue\nKd 0 0 1\n");
    Scene scene = load(folder, "mtllib my colours.mtl\n" + std::string(kTriangle) +
                                   "f 1 2 3\nusemtl red wall\nf 1 2 3\nusemtl red floor \nf 1 2 3\n"
                                   "usemtl blue\nf 1 2 3\n");
    EXPECT_TRUE(scene.warnings.empty());
    ASSERT_EQ(scene.triangle_count(), 4u);
    EXPECT_EQ(material_of(scene, 0, 0).name, "default");
    EXPECT_EQ(material_of(scene, 0, 1).name, "red wall");
    EXPECT_EQ(material_of(scene, 0, 2).diffuse, vec3(0.5f, 0, 0));
    EXPECT_EQ(material_of(scene, 0, 3).diffuse, vec3(0, 0, 1));
}

TEST(Mtl, MissingLibrariesTexturesAndMaterialsAreOneWarningEach) {
    TempFolder folder;
    std::string faces = std::string(kTriangle) + "usemtl a\nf 1 2 3\nusemtl b\nf 1 2 3\n";
    Scene scene = load(folder, "mtllib none.mtl\nmtllib none.mtl\n" + faces);
    ASSERT_EQ(scene.warnings.size(), 1u);
    TL_EXPECT_CONTAINS(scene.warnings[0], "none.mtl");
    EXPECT_EQ(scene.triangle_count(), 2u);

    folder.write("a.mtl", "newmtl a\nmap_Kd gone.png\nnewmtl b\nmap_Kd gone.png\n");
    scene = load(folder, "mtllib a.mtl\n" + faces);
    ASSERT_EQ(scene.warnings.size(), 1u);
    TL_EXPECT_CONTAINS(scene.warnings[0], "gone.png");

    folder.write("a.mtl", "newmtl b\n");
    scene = load(folder, "mtllib a.mtl\n" + faces + "usemtl a\nf 1 2 3\n");
    ASSERT_EQ(scene.warnings.size(), 1u);
    TL_EXPECT_CONTAINS(scene.warnings[0], "material 'a'");

    folder.write("bad.png", "no image");
    folder.write("a.mtl", "newmtl a\nmap_Kd bad.png\nnewmtl b\nmap_Kd bad.png\n");
    scene = load(folder, "mtllib a.mtl\n" + faces);
    ASSERT_EQ(scene.warnings.size(), 1u);
    TL_EXPECT_CONTAINS(scene.warnings[0], "bad.png");
}

TEST(Mtl, FindsFilesHoweverTheyAreSpelled) {
    TempFolder folder;
    write_texture(folder, "textures/Oak Wood.png");
    write_texture(folder, "flat.png");
    for (auto* name : {"textures/Oak Wood.png", "textures\\Oak Wood.png", "./textures/Oak Wood.png",
                       "TEXTURES\\oak wood.PNG", "C:\\Users\\me\\flat.png", "/home/me/flat.png",
                       "..\\elsewhere\\FLAT.PNG", "-clamp on flat.png"}) {
        Scene scene = load_material(folder, "Kd 1 1 1\nmap_Kd " + std::string(name) + "\n");
        EXPECT_TRUE(scene.warnings.empty()) << name << ": " << scene.warnings[0];
        ASSERT_EQ(scene.textures.size(), 1u) << name;
        EXPECT_EQ(material_of(scene, 0, 0).diffuse_texture, 0);
        EXPECT_EQ(scene.textures[0].width, 2);
        EXPECT_EQ(scene.textures[0].rgba[0], 255);
    }
    std::string absolute = folder.path("flat.png");
    EXPECT_EQ(load_material(folder, "map_Kd " + absolute + "\n").textures.size(), 1u);
    folder.write("Sub/Lib.mtl", "newmtl m\nKd 0 1 0\n");
    Scene scene =
        load(folder, "mtllib .\\sub\\lib.MTL\n" + std::string(kTriangle) + "usemtl m\nf 1 2 3\n");
    EXPECT_TRUE(scene.warnings.empty());
    EXPECT_EQ(material_of(scene, 0, 0).diffuse, vec3(0, 1, 0));
}

TEST(Mtl, OneTextureServesManyMaterials) {
    TempFolder folder;
    write_texture(folder, "flat.png");
    folder.write("a.mtl", "newmtl a\nmap_Kd flat.png\nnewmtl b\nmap_Kd ./flat.png\n");
    std::string text = "mtllib a.mtl\n" + std::string(kTriangle) + "usemtl b\nf 1 2 3\n";
    Scene scene = load(folder, text + "usemtl a\nf 1 2 3\n");
    EXPECT_EQ(scene.textures.size(), 1u);
    EXPECT_EQ(scene.materials.size(), 3u);
    // Materials that no face uses are not read.
    EXPECT_EQ(load(folder, text).materials.size(), 2u);
}

TEST(Mtl, MapsOfAlphaAndNormalsAreRead) {
    TempFolder folder;
    write_texture(folder, "flat.png");
    write_png(folder.path("mask.png"), {{2, 1}, {255, 255, 255, 255, 0, 0, 0, 255}});
    write_png(folder.path("leaf.png"), {{2, 1}, {0, 255, 0, 255, 0, 255, 0, 0}});
    Scene scene = load_material(folder,
                                "illum 4\nmap_Kd -clamp on flat.png\nmap_d mask.png\n"
                                "norm -bm 0.5 flat.png\n");
    EXPECT_TRUE(scene.warnings.empty());
    const Material& card = material_of(scene, 0, 0);
    EXPECT_EQ(card.kind, MaterialKind::diffuse);
    ASSERT_EQ(scene.textures.size(), 3u);
    EXPECT_EQ(card.diffuse_texture, 0);
    EXPECT_EQ(scene.textures[0].wrap_u, TextureWrap::clamp);
    // The brightness of a mask is its alpha.
    ASSERT_EQ(card.alpha_texture, 1);
    EXPECT_EQ(scene.textures[1].rgba[3], 255);
    EXPECT_EQ(scene.textures[1].rgba[7], 0);
    ASSERT_EQ(card.normal_texture, 2);
    EXPECT_FALSE(scene.textures[2].is_srgb);
    EXPECT_EQ(card.normal_scale, 0.5f);

    scene = load_material(folder, "map_Kd leaf.png\nbump flat.png\n");
    EXPECT_EQ(material_of(scene, 0, 0).alpha_texture, 0);
    ASSERT_EQ(scene.warnings.size(), 1u);
    TL_EXPECT_CONTAINS(scene.warnings[0], "a.mtl: ignores bump in 1 material");
    scene = load_material(folder, "norm gone.png\n");
    ASSERT_EQ(scene.warnings.size(), 1u);
    TL_EXPECT_CONTAINS(scene.warnings[0], "gone.png");
}

TEST(Mtl, GarbageIsNoCrash) {
    TempFolder folder;
    std::string mtl =
        "newmtl m\nKd 1 0 0\nNs 1e99\nNi nan\nillum 99999999999\nd -5\nKe inf 1 1\n"
        "map_Kd\nmap_Kd -s\nbump -bm\nnewmtl\nKd\nTf 2 2 2\n";
    for (std::size_t length = 0; length <= mtl.size(); length += 3) {
        folder.write("a.mtl", mtl.substr(0, length));
        Scene scene =
            load(folder, "mtllib a.mtl\n" + std::string(kTriangle) + "usemtl m\nf 1 2 3\n");
        for (auto& material : scene.materials) {
            EXPECT_TRUE(std::isfinite(material.exponent) && std::isfinite(material.ior));
            EXPECT_TRUE(std::isfinite(glm::length(material.emission)));
        }
    }
}

TEST(Obj, BareFilesAreFramedAndLit) {
    TempFolder folder;
    Scene scene = load(folder, "v 10 10 10\nv 14 10 10\nv 10 12 11\nf 1 2 3\n");
    EXPECT_EQ(scene.name, "a");
    ASSERT_EQ(scene.lights.size(), 2u);
    EXPECT_GT(scene.lights[0].radiance.x, scene.lights[1].radiance.x);
    EXPECT_EQ(scene.camera.target, vec3(12, 11, 10.5f));
    // Every corner of the bounds is in view.
    vec3 forward = glm::normalize(scene.camera.target - scene.camera.eye);
    float half = glm::radians(scene.camera.vertical_fov) / 2;
    for (auto& p : scene.meshes[0].positions) {
        vec3 to = p - scene.camera.eye;
        float depth = glm::dot(to, forward);
        EXPECT_GT(depth, 0);
        EXPECT_LT(glm::length(to - depth * forward), depth * std::tan(half) * 5.0f / 3);
    }
    for (auto& light : scene.lights) EXPECT_GT(glm::dot(light.direction, forward), 0);
}

}  // namespace
}  // namespace tl::obj_loading_tests
