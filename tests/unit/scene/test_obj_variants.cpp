// OBJ and MTL files as other programs write them, and damaged ones.
#include <cmath>
#include <random>

#include "renderer/images/image_io.h"
#include "renderer/scene/loaders/loader.h"
#include "tests/sanitized.h"
#include "tests/unit/temp_folder.h"

namespace tl::obj_variants_tests {
namespace {

using test::refusal;
using test::TempFolder;

const std::string kTriangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";

Scene load(const TempFolder& folder, std::string_view text) {
    return load_scene(folder.write("a.obj", text));
}

/// Loads a triangle with texture coordinates, whose material `m` is the file's second.
Scene load_material(const TempFolder& folder, const std::string& mtl) {
    folder.write("a.mtl", "newmtl m\n" + mtl);
    return load(folder, "mtllib a.mtl\n" + kTriangle +
                            "vt 0 0\nvt 1 0\nvt 0 0.5\nusemtl m\nf 1/1 2/2 3/3\n");
}

std::string only_warning(const Scene& scene) {
    EXPECT_EQ(scene.warnings.size(), 1u);
    return scene.warnings.empty() ? "" : scene.warnings[0];
}

void write_picture(const TempFolder& folder, const std::string& name, std::uint8_t r,
                   std::uint8_t g, std::uint8_t b) {
    write_png(folder.path(name), {{2, 1}, {r, g, b, 255, r, g, b, 255}});
}

/// The text in UTF-16 with a byte order mark.
std::string utf16(std::string_view text, bool big_endian) {
    std::string bytes = big_endian ? "\xFE\xFF" : "\xFF\xFE";
    for (char c : text) bytes += big_endian ? std::string{'\0', c} : std::string{c, '\0'};
    return bytes;
}

TEST(ObjVariants, Utf16IsRead) {
    TempFolder folder;
    for (bool big_endian : {false, true}) {
        folder.write("a.mtl", utf16("newmtl m\r\nKd 1 0 0\r\n", big_endian));
        Scene scene =
            load(folder, utf16("mtllib a.mtl\r\n" + kTriangle + "usemtl m\nf 1 2 3\n", big_endian));
        EXPECT_EQ(scene.triangle_count(), 1u);
        ASSERT_EQ(scene.materials.size(), 2u);
        EXPECT_EQ(scene.materials[1].diffuse, vec3(1, 0, 0));
    }
    // Characters of two, three and four bytes in UTF-8; half a character; half a unit.
    std::string name("\xFF\xFEo\0 \0\xE9\0\x2D\x4E\x3D\xD8\x00\xDE\x3D\xD8\n\0", 18);
    Scene scene = load(folder, name + utf16(kTriangle + "f 1 2 3\n", false).substr(2) + "x");
    EXPECT_EQ(scene.meshes.at(0).name, "\xC3\xA9\xE4\xB8\xAD\xF0\x9F\x98\x80\xEF\xBF\xBD");
}

TEST(ObjVariants, FacesOfOneAndTwoCornersAreSkipped) {
    TempFolder folder;
    Scene scene = load(folder, kTriangle + "f 1\nf 1 2\nf 1 2 3\nf\n");
    EXPECT_EQ(scene.triangle_count(), 1u);
    TL_EXPECT_CONTAINS(only_warning(scene),
                       "a.obj:4: 3 faces of fewer than three corners are skipped, of which this");
}

TEST(ObjVariants, NumbersThatAreNoneOfMicrosoftsLibraryAreUnderstood) {
    TempFolder folder;
    Scene scene = load(folder, kTriangle +
                                   "vn -1.#IND00 0 0\nvn 0 1.#QNAN 0\nvn 0 0 1.#INF\n"
                                   "vn -nan(ind) 0 inf\nvn 0 0 -1\nvt 1.#QNAN 0\nvt nan\n"
                                   "f 1//1 2//2 3//3\nf 1//4 2//4 3//4\nf 1/1/5 2/1/5 3/2/5\n");
    ASSERT_EQ(scene.meshes.size(), 1u);
    for (std::size_t t = 0; t < 3; ++t)
        for (int k = 0; k < 3; ++k) {
            auto vertex = scene.meshes[0].triangles[t][k];
            EXPECT_EQ(scene.meshes[0].normals[vertex], vec3(0, 0, t < 2 ? 1 : -1));
            EXPECT_EQ(scene.meshes[0].uvs[vertex], vec2(0));
        }
    ASSERT_EQ(scene.warnings.size(), 2u);
    TL_EXPECT_CONTAINS(scene.warnings[0], "a.obj:4: 4 normals are no finite vectors");
    TL_EXPECT_CONTAINS(scene.warnings[1], "a.obj:9: 2 texture coordinates are not finite");
    TL_EXPECT_CONTAINS(refusal([&] { (void)load(folder, "v 0 0 1.#IND\n"); }),
                       "a.obj:1: none of the points has coordinates that are finite");
    TL_EXPECT_CONTAINS(refusal([&] { (void)load(folder, "v 0 0 31.#IND\n"); }), "not a number");
}

TEST(ObjVariants, PointsOfNoPlaceAreLeftOut) {
    TempFolder folder;
    std::string points = "v 0 0 1 1 0 0\nv nan nan nan 9 9 9\nv 1 0 1 0 1 0\nv 0 inf 0 9 9 9\n";
    for (auto* named : {"", "p 1 2\np 3 4\n"}) {
        Scene cloud = load(folder, points + named);
        ASSERT_EQ(cloud.spheres.size(), 2u);
        EXPECT_EQ(cloud.spheres[1].center, vec3(1, 0, 1));
        EXPECT_EQ(cloud.warnings.size(), 2u);  // the other one is of how points are shown
        TL_EXPECT_CONTAINS(cloud.warnings[0],
                           "a.obj:2: 2 points without finite coordinates are left out, of which");
    }
    // Vertices that no face uses are ignored, however far the others are from the origin.
    std::string far = "v 4512345 0 0\nv nan 0 0\nv 4512346 0 0\nv 4512345 1 0\nf 1 3 4\n";
    Scene scene = load(folder, far);
    ASSERT_EQ(scene.triangle_count(), 1u);
    EXPECT_EQ(scene.meshes[0].positions[1] - scene.meshes[0].positions[0], vec3(1, 0, 0));
    EXPECT_EQ(scene.warnings.size(), 1u);  // of the offset
}

TEST(ObjVariants, LibrariesAreFoundHoweverTheyAreListed) {
    TempFolder folder;
    folder.write("a b.mtl", "newmtl x\nKd 1 0 0\n");
    folder.write("c.mtl", "newmtl y\nKd 0 1 0\n");
    folder.write("plain", "newmtl x\nKd 1 0 0\nnewmtl y\nKd 0 1 0\n");
    std::string faces = kTriangle + "usemtl x\nf 1 2 3\nusemtl y\nf 1 2 3\n";
    for (auto* line : {"\"a b.mtl\" c.mtl", "a b.mtl c.mtl", "c.mtl a b.mtl", "c.mtl \"a b.mtl\"",
                       "\"a b.mtl\"\t\"c.mtl\"", "\"a b.mtl\nmtllib c.mtl", "plain",
                       "C:\\models\\a b.mtl /tmp/c.mtl", "\"D:\\A B.MTL\" ..\\C.mtl"}) {
        Scene scene = load(folder, "mtllib " + std::string(line) + "\n" + faces);
        EXPECT_TRUE(scene.warnings.empty()) << line << ": " << scene.warnings[0];
        ASSERT_EQ(scene.materials.size(), 3u) << line;
    }
    Scene scene = load(folder, "mtllib gone 1.mtl c.mtl\n" + faces);
    TL_EXPECT_CONTAINS(only_warning(scene), "material library 'gone 1.mtl' not found");
    EXPECT_EQ(scene.materials.size(), 2u);
}

TEST(ObjVariants, ManyObjectsBecomeOneMeshAtLast) {
    TempFolder folder;
    std::string text = kTriangle;
    for (int i = 0; i < 100'010; ++i) text += "o\ng \no x\nf 1 2 3\n";
    Scene scene = load(folder, text);
    EXPECT_EQ(scene.meshes.size(), 100'000u);
    EXPECT_EQ(scene.triangle_count(), 100'010u);
    TL_EXPECT_CONTAINS(only_warning(scene), "10 objects and groups from here on are one mesh");
}

TEST(MtlVariants, WhatIsNotUsedIsOneWarningAFile) {
    TempFolder folder;
    write_picture(folder, "t.png", 9, 9, 9);
    folder.write("a.mtl",
                 "newmtl a\nmap_Ks t.png\nrefl -type sphere t.png\nKa 1 1 1\nillum 2\nPs 0\n"
                 "newmtl b\nmap_Ks t.png\nmap_Kd -mm 0.1 2 -blendu on -t 0 0 0 t.png\nillum 10\n"
                 "newmtl c\nKd spectral x.rfl\nd -halo 1\nmap_Kd -cc off -mm 0 1 t.png\n"
                 "newmtl unused\ndisp t.png\n");
    Scene scene = load(folder, "mtllib a.mtl\n" + kTriangle +
                                   "usemtl a\nf 1 2 3\nusemtl b\nf 1 2 3\nusemtl c\nf 1 2 3\n");
    std::string warning = only_warning(scene);
    TL_EXPECT_CONTAINS(warning,
                       "a.mtl: ignores map_Ks, refl, -mm, illum 10, Kd spectral, d -halo in 3 "
                       "materials");
    EXPECT_EQ(scene.materials.size(), 4u);
    EXPECT_TRUE(load_material(folder, "Ka 1 1 1\nKd 1 1 1\nNs 10\nillum 2\n").warnings.empty());
}

TEST(MtlVariants, MistakesAreWarnings) {
    TempFolder folder;
    Scene scene = load_material(folder, "Kd red 0 0\nNs\nKs 0.2\nnewmtl m\nKd 1 1 1\n");
    ASSERT_EQ(scene.warnings.size(), 2u);
    TL_EXPECT_CONTAINS(scene.warnings[0],
                       "a.mtl:2: 'red' is none, so that its statement has no effect; so have 1 "
                       "more");
    TL_EXPECT_CONTAINS(scene.warnings[1], "a.mtl: material 'm' is there before");
    EXPECT_EQ(scene.materials.at(1).specular, vec3(0.2f));  // one number is all three
    folder.write("a.mtl", "Kd 1 0 0\nnewmtl m\n");
    scene = load(folder, "mtllib a.mtl\n" + kTriangle + "usemtl m\nf 1 2 3\n");
    TL_EXPECT_CONTAINS(only_warning(scene), "ignores 1 statements before the first newmtl");
}

TEST(MtlVariants, MissingColoursDependOnWhatElseThereIs) {
    TempFolder folder;
    write_picture(folder, "t.png", 9, 9, 9);
    auto diffuse = [&](const std::string& mtl) {
        return load_material(folder, mtl).materials.at(1).diffuse;
    };
    EXPECT_EQ(diffuse("Ns 10\n"), vec3(0.8f));
    EXPECT_EQ(diffuse("map_Kd t.png\n"), vec3(1));
    EXPECT_EQ(diffuse("Ke 5 5 5\n"), vec3(0));
    EXPECT_EQ(diffuse("Kd 0 0 0\nmap_Kd t.png\n"), vec3(0));
}

TEST(MtlVariants, TexturesOfLightAreUsed) {
    TempFolder folder;
    write_picture(folder, "t.png", 200, 100, 50);
    Scene scene = load_material(folder, "Ke 2 2 2\nmap_Ke t.png\n");
    EXPECT_TRUE(scene.warnings.empty());
    EXPECT_EQ(scene.materials.at(1).emission_texture, 0);
    EXPECT_EQ(scene.materials.at(1).emission, vec3(2));
    for (auto* black : {"", "Ke 0 0 0\n"})
        EXPECT_EQ(
            load_material(folder, black + std::string("map_Ke t.png\n")).materials.at(1).emission,
            vec3(1));
}

TEST(MtlVariants, TextureOptionsPlaceCoordinates) {
    TempFolder folder;
    write_picture(folder, "t.png", 9, 9, 9);
    Scene scene = load_material(folder, "map_Kd -s 4 2 1 -o 0.5 -0.25 -clamp on t.png\n");
    EXPECT_TRUE(scene.warnings.empty());
    EXPECT_EQ(scene.meshes[0].uvs,
              (std::vector<vec2>{{0.5f, -0.25f}, {4.5f, -0.25f}, {0.5f, 0.75f}}));
    EXPECT_EQ(scene.textures.at(0).wrap_u, TextureWrap::clamp);
    EXPECT_EQ(load_material(folder, "map_Kd -s 3 t.png\n").meshes[0].uvs[1], vec2(3, 0));
    EXPECT_EQ(load_material(folder, "map_Kd -s inf 1 1 \"t.png\"\n").meshes[0].uvs[1], vec2(1, 0));
    scene = load_material(folder, "map_Kd -s 2 2 t.png\nmap_Ke t.png\n");
    TL_EXPECT_CONTAINS(only_warning(scene), "ignores -s and -o of a second texture in 1 material");

    // A vertex of two materials with different texture transforms becomes two vertices.
    folder.write("a.mtl", "newmtl m\nmap_Kd -s 4 4 t.png\nnewmtl n\nmap_Kd t.png\n");
    scene = load(folder, "mtllib a.mtl\n" + kTriangle +
                             "vt 0.5 0.5\nusemtl m\nf 1/1 2/1 3/1\nusemtl n\nf 1/1 2/1 3/1\n"
                             "f 2/1 3/1 1/1\n");
    ASSERT_EQ(scene.meshes[0].positions.size(), 6u);
    EXPECT_EQ(scene.meshes[0].uvs[0], vec2(2));
    EXPECT_EQ(scene.meshes[0].uvs[3], vec2(0.5f));
}

TEST(MtlVariants, TextureOptionsMayFollowTheName) {
    TempFolder folder;
    for (auto* name : {"t.png", "my wood - old.png", "t -s.png", "a -bm 1 b.png"})
        write_picture(folder, name, 9, 9, 9);
    write_picture(folder, "normals.png", 128, 120, 250);
    for (auto* statement :
         {"t.png -s 3 2 1", "t.png -s 3 2", "-s 3 2 1 t.png", "\"t.png\" -s 3 2 1 -o 0 0 0",
          "t.png\t-S 3 2 1 ", "-clamp off t.png -bm 1 -s 3 2 1 -blendu on -mm 0 1 -cc off",
          "my wood - old.png -s 3 2", "\"my wood - old.png\" -s 3 2", "t -s.png -s 3 2",
          "a -bm 1 b.png -s 3 2", "-o 0 0 0 a -bm 1 b.png -s 3 2"}) {
        SCOPED_TRACE(statement);
        Scene scene = load_material(folder, std::string("map_Kd ") + statement + "\n");
        EXPECT_TRUE(scene.warnings.empty()) << scene.warnings[0];
        EXPECT_EQ(scene.textures.size(), 1u);
        EXPECT_EQ(scene.meshes.at(0).uvs[2], vec2(0, 1));
        EXPECT_EQ(scene.meshes.at(0).uvs[1], vec2(3, 0));
    }
    Scene scene = load_material(folder, "bump normals.png -bm 0.5\nmap_Kd t.png -clamp on\n");
    EXPECT_TRUE(scene.warnings.empty());
    EXPECT_EQ(scene.materials.at(1).normal_scale, 0.5f);
    EXPECT_EQ(scene.textures.at(0).wrap_v, TextureWrap::clamp);
}

TEST(MtlVariants, TextureOptionsThatAreNotUsedAreOneWarning) {
    TempFolder folder;
    for (auto* name : {"t.png", "-my t.png", "old.png -x copy.png"})
        write_picture(folder, name, 9, 9, 9);
    auto warning_of = [&](const std::string& statements) {
        Scene scene = load_material(folder, statements);
        EXPECT_FALSE(scene.textures.empty()) << statements;
        return only_warning(scene);
    };
    TL_EXPECT_CONTAINS(
        warning_of("map_Kd t.png -imfchan r -texres 512 -boost 2\nmap_d -imfchan l t.png\n"
                   "map_Ke -t 1 1 1 t.png -imfchan m\n"),
        "ignores -imfchan, -texres, -boost, -t in 1 material");
    TL_EXPECT_CONTAINS(warning_of("map_Kd t.png -fancy 1 on\n"), "ignores -fancy in 1 material");
    TL_EXPECT_CONTAINS(warning_of("map_Kd -fancy 0.5 t.png\n"), "ignores -fancy in 1 material");
    TL_EXPECT_CONTAINS(warning_of("map_Kd -bm t.png\n"), "ignores -bm in 1 material");
    TL_EXPECT_CONTAINS(warning_of("map_Kd t.png -clamp\n"), "ignores -clamp in 1 material");
    // Words that may be options are part of a name that a file has.
    EXPECT_TRUE(load_material(folder, "map_Kd old.png -x copy.png\n").warnings.empty());
    EXPECT_EQ(load_material(folder, "map_Kd -my t.png\n").textures.size(), 1u);
    Scene missing = load_material(folder, "map_Kd no such.png -bm 1 -s 2 2\n");
    TL_EXPECT_CONTAINS(only_warning(missing), "texture 'no such.png' not found");
}

TEST(MtlVariants, BumpStatementsMayNameNormalMaps) {
    TempFolder folder;
    write_picture(folder, "normals.png", 128, 120, 250);
    write_picture(folder, "heights.png", 128, 128, 128);
    Scene scene = load_material(folder, "map_Bump -bm 0.5 normals.png\n");
    EXPECT_TRUE(scene.warnings.empty());
    EXPECT_EQ(scene.materials.at(1).normal_texture, 0);
    EXPECT_EQ(scene.materials.at(1).normal_scale, 0.5f);
    EXPECT_FALSE(scene.textures.at(0).is_srgb);
    scene = load_material(folder, "map_Bump -bm 0.5 heights.png\n");
    TL_EXPECT_CONTAINS(only_warning(scene), "ignores bump in 1 material");
    EXPECT_EQ(scene.materials.at(1).normal_texture, -1);
    EXPECT_TRUE(scene.textures.empty());
    scene = load_material(folder, "norm normals.png\nbump -bm 9 heights.png\n");
    TL_EXPECT_CONTAINS(only_warning(scene), "ignores bump in 1 material");
    EXPECT_EQ(scene.materials.at(1).normal_scale, 1.0f);
}

TEST(MtlVariants, PhysicalSurfacesHaveLayers) {
    TempFolder folder;
    Scene scene = load_material(folder, "Kd 0.9 0.6 0.2\nPr 0.3\nPm 1\nPc 0.5\nPcr 0.1\nillum 3\n");
    EXPECT_TRUE(scene.warnings.empty());
    auto& layers = scene.materials.at(1).layers;
    ASSERT_TRUE(layers);
    EXPECT_EQ(layers->base, vec3(0.9f, 0.6f, 0.2f));
    EXPECT_EQ(layers->metallic, 1);
    EXPECT_EQ(layers->roughness, 0.3f);
    EXPECT_EQ(layers->coat, 0.5f);
    EXPECT_EQ(layers->coat_roughness, 0.1f);
    // Glass stays glass.
    scene = load_material(folder, "Pr 0.3\nd 0.5\n");
    EXPECT_EQ(scene.materials.at(1).kind, MaterialKind::dielectric);
    EXPECT_FALSE(scene.materials.at(1).layers);
}

TEST(ObjVariants, LongWordsMakeShortMessages) {
    TempFolder folder;
    std::string longest(100'000, 'x');
    for (auto& text : {"v 0 0 " + longest + "\n", kTriangle + "f 1 2 " + longest + "\n",
                       kTriangle + "f 1 2 3/4/5/6" + longest + "\n"})
        EXPECT_LT(refusal([&] { (void)load(folder, text); }).size(), 300u);
    Scene scene = load(folder, "mtllib " + longest + "\n" + longest + "\n" + kTriangle + "usemtl " +
                                   longest + "\nf 1 2 3\n");
    EXPECT_EQ(scene.warnings.size(), 2u);
    for (auto& warning : scene.warnings) EXPECT_LE(warning.size(), Warnings::kLongestLine);
}

/// Damages a text at one to three positions: changes a byte, inserts a piece or erases some bytes.
std::string mutated(std::string text, std::mt19937& random) {
    auto below = [&](std::size_t n) { return std::size_t{random()} % n; };
    constexpr std::string_view kPieces[] = {" ",   "\n",   "-",      "/",          "1e400",
                                            "nan", "\\\n", "\"",     "\r",         "2147483648",
                                            "-s ", "f ",   "usemtl", "newmtl m\n", "\xFF"};
    for (std::size_t i = 0, n = 1 + below(3); i < n && !text.empty(); ++i) {
        std::size_t at = below(text.size());
        if (below(3) == 0)
            text[at] = static_cast<char>(random());
        else if (below(2) == 0)
            text.insert(at, kPieces[below(std::size(kPieces))]);
        else
            text.erase(at, below(20));
    }
    return text;
}

TEST(ObjVariants, DamagedFilesAreReadOrRefused) {
    TempFolder folder;
    const std::string obj =
        "mtllib a.mtl \"b c.mtl\"\no thing\n" + kTriangle +
        "v 1 1 1 0.5 0.5 0.5\nvt 0 0\nvt 1 0.5\nvn 0 0 1\nvn 1.#IND 0 0\ng one two\nusemtl m\n"
        "s 1\nf 1/1/1 2/2/1 3/1/2\nf 1 2 4 3\nusemtl n\nf -1//-1 -2//-1 -3//-2 \\\n -4\nl 1 2\n"
        "p 1\ncurv 0 1 1 2\nf 1 2\n";
    const std::string mtl =
        "newmtl m\nKd 1 0 0\nKs 0.5\nNs 20\nd 1\nillum 2\nmap_Kd -s 2 2 -o 1 t.png\n"
        "newmtl n\nKe 1 1 1\nmap_Ke \"t.png\"\nPr 0.5\nmap_Bump -bm 0.5 t.png\nTf 1 1 1\nNi 1.5\n";
    write_picture(folder, "t.png", 128, 128, 255);
    std::mt19937 random(1);
    int n_read = 0, n_files = test::kSanitized ? 150 : 600;
    for (int i = 0; i < n_files; ++i) {
        std::string damaged = mutated(obj, random), library = mutated(mtl, random);
        SCOPED_TRACE(damaged + "\n---\n" + library);
        folder.write("a.mtl", library);
        std::string message = refusal([&] {
            Scene scene = load(folder, damaged);
            ++n_read;
            for (auto& mesh : scene.meshes)
                for (auto& normal : mesh.normals) ASSERT_NEAR(glm::length(normal), 1, 1e-3);
            for (auto& material : scene.materials)
                ASSERT_TRUE(std::isfinite(glm::length(material.emission)) &&
                            std::isfinite(material.exponent) && std::isfinite(material.ior));
        });
        if (!message.empty()) {
            TL_EXPECT_CONTAINS(message, "a.obj");
        }
    }
    EXPECT_GT(n_read, n_files / 5);
}

}  // namespace
}  // namespace tl::obj_variants_tests
