#include <cmath>

#include "core/base/text.h"
#include "renderer/images/image_io.h"
#include "renderer/scene/loaders/loader.h"
#include "tests/unit/scene/gltf_writer.h"
#include "tests/unit/scene/ply_writer.h"
#include "tests/unit/temp_folder.h"

namespace tl::gltf_loading_tests {
namespace {

using test::GltfWriter;
using test::refusal;
using test::TempFolder;

constexpr const char* kScene =
    "\"scene\": 0, \"scenes\": [{\"nodes\": [0]}], \"nodes\": [{\"mesh\": 0}], ";
constexpr const char* kTriangle =
    "\"meshes\": [{\"name\": \"m\", \"primitives\": [{\"attributes\": {\"POSITION\": 0}}]}]";

/// A writer that holds a triangle's positions as accessor 0.
GltfWriter triangle() {
    GltfWriter writer;
    (void)writer.add("VEC3", {0, 0, 0, 1, 0, 0, 0, 1, 0});
    return writer;
}

Scene load(const TempFolder& folder, const std::string& text) {
    return load_scene(folder.write("a.gltf", text));
}

std::string refused(const TempFolder& folder, const std::string& text) {
    return refusal([&] { (void)load(folder, text); });
}

/// Loads a file with one material.
Scene load_material(const TempFolder& folder, const std::string& material,
                    const std::string& more = "") {
    return load(folder, triangle().text(std::string(kScene) + "\"materials\": [{" + material +
                                        "}], \"meshes\": [{\"primitives\": [{\"attributes\": "
                                        "{\"POSITION\": 0}, \"material\": 0}]}]" +
                                        more));
}

void expect_same_mesh(const Mesh& a, const Mesh& b) {
    ASSERT_EQ(a.triangles.size(), b.triangles.size());
    for (std::size_t t = 0; t < a.triangles.size(); ++t)
        for (int k = 0; k < 3; ++k) {
            auto i = a.triangles[t][k], j = b.triangles[t][k];
            EXPECT_EQ(a.positions[i], b.positions[j]);
            EXPECT_LT(glm::length(a.normals[i] - b.normals[j]), 1e-6f);
            EXPECT_LT(glm::length(a.uvs[i] - b.uvs[j]), 1e-6f);
        }
}

TEST(Models, OneMeshIsTheSameThroughEveryFormat) {
    TempFolder folder;
    const std::vector<vec3> positions{{0, 0, 0}, {1, 0, 0.25f}, {1, 1, 0}, {0, 1, -0.5f}};
    const std::vector<vec3> normals{{0, 0, 1}, {0, 0.6f, 0.8f}, {0.6f, 0, 0.8f}, {1, 0, 0}};
    const std::vector<vec2> uvs{{0, 0}, {1, 0}, {0.75f, 0.5f}, {0, 1}};
    std::string obj;
    std::vector<float> p, n, t;
    for (std::size_t i = 0; i < 4; ++i) {
        for (auto* list : {&positions, &normals}) {
            obj += list == &positions ? "v" : "vn";
            for (int k = 0; k < 3; ++k) {
                obj += ' ';
                obj += std::to_string((*list)[i][k]);
                (list == &positions ? p : n).push_back((*list)[i][k]);
            }
            obj += "\n";
        }
        obj += "vt " + std::to_string(uvs[i].x) + " " + std::to_string(uvs[i].y) + "\n";
        t.insert(t.end(), {uvs[i].x, 1 - uvs[i].y});
    }
    obj += "f 1/1/1 2/2/2 3/3/3\nf 1/1/1 3/3/3 4/4/4\n";
    Mesh expected = load_scene(folder.write("a.obj", obj)).meshes[0];

    for (auto* format : test::kPlyFormats) {
        test::PlyWriter ply(format,
                            "element vertex 4\nproperty float x\nproperty float y\nproperty float "
                            "z\nproperty float nx\nproperty float ny\nproperty float nz\nproperty "
                            "float s\nproperty float t\nelement face 1\nproperty list uchar int "
                            "vertex_indices\n");
        for (std::size_t i = 0; i < 4; ++i)
            ply.row("ffffffff", {positions[i].x, positions[i].y, positions[i].z, normals[i].x,
                                 normals[i].y, normals[i].z, uvs[i].x, uvs[i].y});
        ply.row("Biiii", {4, 0, 1, 2, 3});
        expect_same_mesh(load_scene(folder.write("a.ply", ply.bytes())).meshes[0], expected);
    }

    GltfWriter writer;
    (void)writer.add("VEC3", p);
    (void)writer.add("VEC3", n);
    (void)writer.add("VEC2", t);
    (void)writer.add_indices(std::vector<std::uint16_t>{0, 1, 2, 0, 2, 3});
    std::string members = std::string(kScene) +
                          "\"meshes\": [{\"primitives\": [{\"attributes\": {\"POSITION\": 0, "
                          "\"NORMAL\": 1, \"TEXCOORD_0\": 2}, \"indices\": 3}]}]";
    folder.write("my data.bin", writer.data());
    for (auto& path :
         {folder.write("a.gltf", writer.text(members)),
          folder.write("b.gltf", writer.text_beside(members, "my%20data.bin")),
          folder.write("a.glb", writer.glb(members)), folder.write("text", writer.text(members)),
          folder.write("binary", writer.glb(members))}) {
        SCOPED_TRACE(path);
        Scene scene = load_scene(path);
        EXPECT_TRUE(scene.warnings.empty());
        expect_same_mesh(scene.meshes[0], expected);
    }
}

TEST(Gltf, ReadsListsStripsAndFansOfEveryIndexType) {
    TempFolder folder;
    const std::vector<float> square{0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0};
    for (auto& [mode, corners, expected] :
         {std::tuple{4, std::vector<std::uint8_t>{0, 1, 2, 1, 3, 2},
                     std::vector<glm::uvec3>{{0, 1, 2}, {1, 3, 2}}},
          {5, {0, 1, 2, 3}, {{0, 1, 2}, {1, 3, 2}}},
          {6, {0, 1, 3, 2}, {{0, 1, 3}, {0, 3, 2}}}})
        for (int type = 0; type < 3; ++type) {
            GltfWriter writer;
            (void)writer.add("VEC3", square);
            if (type == 0) (void)writer.add_indices(corners);
            if (type == 1)
                (void)writer.add_indices(
                    std::vector<std::uint16_t>(corners.begin(), corners.end()));
            if (type == 2)
                (void)writer.add_indices(
                    std::vector<std::uint32_t>(corners.begin(), corners.end()));
            Scene scene = load(
                folder,
                writer.text(concatenated(
                    {kScene, "\"meshes\": [{\"primitives\": [{\"mode\": ", std::to_string(mode),
                     ", \"attributes\": {\"POSITION\": 0}, \"indices\": 1}]}]"})));
            EXPECT_EQ(scene.meshes[0].triangles, expected) << mode << " " << type;
        }
    EXPECT_EQ(load(folder, triangle().text(std::string(kScene) + kTriangle)).meshes[0].triangles,
              (std::vector<glm::uvec3>{{0, 1, 2}}));
}

TEST(Gltf, NodesMoveTheirMeshes) {
    TempFolder folder;
    folder.write("a.toml", "[[mesh]]\nfile = \"a.gltf\"\n");  // where every use is a mesh
    folder.write(
        "a.gltf",
        triangle().text(
            "\"scenes\": [{\"nodes\": [0]}], \"nodes\": [{\"translation\": [10, 0, 0], \"scale\": "
            "[2, 2, 2], \"children\": [1, 2, 3]}, {\"mesh\": 0, \"rotation\": [0, 0, "
            "0.70710678, 0.70710678]}, {\"mesh\": 0, \"scale\": [1, 1, -1]}, {\"mesh\": 0, "
            "\"matrix\": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 5, 1]}, {\"mesh\": 0}], " +
            std::string(kTriangle)));
    Scene scene = load_scene(folder.path("a.toml"));
    ASSERT_EQ(scene.meshes.size(), 3u);  // the last node is not in the scene
    EXPECT_LT(glm::length(scene.meshes[0].positions[1] - vec3(10, 2, 0)), 1e-5f);
    EXPECT_EQ(scene.meshes[1].triangles[0], glm::uvec3(0, 2, 1));  // mirrored
    EXPECT_EQ(scene.meshes[2].positions[1], vec3(12, 0, 10));
    EXPECT_EQ(scene.meshes[2].name, "m");
}

TEST(Gltf, MapsMetallicRoughnessToKinds) {
    TempFolder folder;
    auto pbr = [](const std::string& text) { return "\"pbrMetallicRoughness\": {" + text + "}"; };
    const std::pair<std::string, MaterialKind> cases[] = {
        {pbr("\"metallicFactor\": 0"), MaterialKind::diffuse},
        {pbr("\"metallicFactor\": 0, \"roughnessFactor\": 0.3"), MaterialKind::phong},
        {pbr("\"roughnessFactor\": 0.1"), MaterialKind::mirror},
        {pbr("\"roughnessFactor\": 0.5"), MaterialKind::phong},
        {"\"extensions\": {\"KHR_materials_transmission\": {\"transmissionFactor\": 1}}",
         MaterialKind::dielectric},
        {"\"extensions\": {\"KHR_materials_transmission\": {\"transmissionFactor\": 0.2}}, " +
             pbr("\"metallicFactor\": 0"),
         MaterialKind::diffuse}};
    for (auto& [text, kind] : cases) {
        Scene scene = load_material(folder, text);
        ASSERT_EQ(scene.materials.size(), 2u);
        EXPECT_EQ(scene.materials[1].kind, kind) << text;
        EXPECT_EQ(scene.meshes[0].material_of_triangle[0], 1);
        EXPECT_TRUE(scene.warnings.empty());
    }
    Material metal = load_material(folder, pbr("\"baseColorFactor\": [1, 0.5, 0.25, 1], "
                                               "\"roughnessFactor\": 0.5"))
                         .materials[1];
    EXPECT_EQ(metal.diffuse, vec3(0.5f, 0.25f, 0.125f));
    EXPECT_EQ(metal.specular, vec3(0.5f, 0.25f, 0.125f));
    EXPECT_FLOAT_EQ(metal.exponent, 30);  // alpha = 1/4
    Material glass =
        load_material(folder, pbr("\"baseColorFactor\": [1, 0.5, 1, 1]") +
                                  ", \"extensions\": {\"KHR_materials_transmission\": "
                                  "{\"transmissionFactor\": 1}, \"KHR_materials_ior\": {\"ior\": "
                                  "1.25}, \"KHR_materials_volume\": {\"attenuationColor\": [0.5, "
                                  "1, 1], \"thicknessFactor\": 1, \"attenuationDistance\": 2}}")
            .materials[1];
    EXPECT_EQ(glass.ior, 1.25f);
    EXPECT_EQ(glass.transmission, vec3(1, 0.5f, 1));
    EXPECT_FLOAT_EQ(glass.absorption.x, std::log(2.0f) / 2);
    EXPECT_EQ(glass.absorption.y, 0);
    EXPECT_EQ(glass.roughness, 1);
    EXPECT_FALSE(glass.layers);
    Material sheet = load_material(folder, pbr("\"roughnessFactor\": 0.25") +
                                               ", \"extensions\": {\"KHR_materials_transmission\": "
                                               "{\"transmissionFactor\": 0.75}, "
                                               "\"KHR_materials_clearcoat\": {\"clearcoatFactor\": "
                                               "0.5, \"clearcoatRoughnessFactor\": 0.125}}")
                         .materials[1];
    ASSERT_TRUE(sheet.layers);
    EXPECT_EQ(sheet.layers->transmission, 0.75f);
    EXPECT_EQ(sheet.layers->roughness, 0.25f);
    EXPECT_EQ(sheet.layers->metallic, 1);
    EXPECT_EQ(sheet.layers->coat, 0.5f);
    EXPECT_EQ(sheet.layers->coat_roughness, 0.125f);
    EXPECT_FLOAT_EQ(sheet.layers->reflectance.x, 0.04f);
    Material lamp =
        load_material(folder,
                      "\"emissiveFactor\": [1, 0.5, 0], \"extensions\": "
                      "{\"KHR_materials_emissive_strength\": {\"emissiveStrength\": 8}}")
            .materials[1];
    EXPECT_EQ(lamp.emission, vec3(8, 4, 0));
}

TEST(Gltf, TexturesComeFromFilesAndDataUris) {
    TempFolder folder;
    write_png(folder.path("my tex.png"), {{2, 1}, {255, 0, 0, 255, 0, 0, 255, 255}});
    std::ifstream file(folder.path("my tex.png"), std::ios::binary);
    std::string png{std::istreambuf_iterator<char>(file), {}};
    const std::string material =
        "\"pbrMetallicRoughness\": {\"metallicFactor\": 0, \"baseColorTexture\": {\"index\": 0}}";
    auto images = [](const std::string& uri) {
        return ", \"textures\": [{\"source\": 0}], \"images\": [{\"uri\": \"" + uri + "\"}]";
    };
    for (auto& uri : {std::string("my%20tex.png"), "data:image/png;base64," + test::base64(png)}) {
        Scene scene = load_material(folder, material, images(uri));
        EXPECT_TRUE(scene.warnings.empty()) << scene.warnings[0];
        ASSERT_EQ(scene.textures.size(), 1u);
        EXPECT_EQ(scene.materials[1].diffuse_texture, 0);
        EXPECT_EQ(scene.textures[0].width, 2);
        EXPECT_EQ(scene.textures[0].rgba[6], 255);
    }
    for (auto& uri : {std::string("gone.png"), "data:image/png;base64," + test::base64("no png")}) {
        Scene scene = load_material(folder, material, images(uri));
        EXPECT_EQ(scene.warnings.size(), 1u);
        EXPECT_EQ(scene.materials[1].diffuse_texture, -1);
    }
}

TEST(Gltf, TexturesComeFromTheBufferOfABinaryFile) {
    TempFolder folder;
    write_png(folder.path("a.png"), {{2, 1}, {255, 0, 0, 255, 0, 0, 255, 255}});
    std::ifstream file(folder.path("a.png"), std::ios::binary);
    std::string png{std::istreambuf_iterator<char>(file), {}};
    auto members = [](int view) {
        return std::string(kScene) +
               "\"materials\": [{\"pbrMetallicRoughness\": {\"metallicFactor\": 0, "
               "\"baseColorTexture\": {\"index\": 0}}}], \"textures\": [{\"source\": 0}], "
               "\"images\": [{\"mimeType\": \"image/png\", \"bufferView\": " +
               std::to_string(view) +
               "}], \"meshes\": [{\"primitives\": [{\"attributes\": {\"POSITION\": 0}, "
               "\"material\": 0}]}]";
    };
    GltfWriter writer = triangle();
    int view = writer.add_bytes(png);
    for (auto& path : {folder.write("a.glb", writer.glb(members(view))),
                       folder.write("a.gltf", writer.text(members(view)))}) {
        Scene scene = load_scene(path);
        EXPECT_TRUE(scene.warnings.empty());
        ASSERT_EQ(scene.textures.size(), 1u);
        EXPECT_EQ(scene.materials[1].diffuse_texture, 0);
        EXPECT_EQ(scene.textures[0].width, 2);
        EXPECT_EQ(scene.textures[0].rgba,
                  (std::vector<std::uint8_t>{255, 0, 0, 255, 0, 0, 255, 255}));
    }
    // Positions are not image data.
    Scene scene = load_scene(folder.write("a.glb", writer.glb(members(0))));
    ASSERT_EQ(scene.warnings.size(), 1u);
    TL_EXPECT_CONTAINS(scene.warnings[0], "a.glb: image 0");
    EXPECT_EQ(scene.materials[1].diffuse_texture, -1);
}

TEST(Gltf, TexturesOfMetalAndRoughnessCountByTheirMeanWhereThereAreNoLayers) {
    TempFolder folder;
    // Green is roughness, blue is metal: means of 0.4 and 0.8.
    write_png(folder.path("mr.png"), {{2, 1}, {0, 51, 255, 255, 255, 153, 153, 255}});
    auto load_metal = [&](const std::string& factors) {
        return load_material(
            folder,
            "\"pbrMetallicRoughness\": {\"metallicRoughnessTexture\": {\"index\": 0}" + factors +
                "}",
            ", \"textures\": [{\"source\": 0}], \"images\": [{\"uri\": \"mr.png\"}]");
    };
    Scene metal = load_metal("");
    EXPECT_TRUE(metal.warnings.empty()) << metal.warnings[0];
    ASSERT_TRUE(metal.materials[1].layers);
    EXPECT_EQ(metal.materials[1].layers->texture, 0);
    EXPECT_EQ(metal.materials[1].layers->metallic, 1);
    EXPECT_EQ(metal.materials[1].kind, MaterialKind::phong);
    EXPECT_NEAR(metal.materials[1].diffuse.x, 0.4f, 1e-6f);
    EXPECT_NEAR(metal.materials[1].specular.x, 0.6f, 1e-6f);
    EXPECT_NEAR(metal.materials[1].exponent, 2 / std::pow(0.4f, 4.0f) - 2, 1e-3f);
    // They are multiplied by the factors.
    EXPECT_EQ(load_metal(", \"roughnessFactor\": 0.25").materials[1].kind, MaterialKind::mirror);
    EXPECT_EQ(load_metal(", \"metallicFactor\": 0.5").materials[1].kind, MaterialKind::phong);
    EXPECT_EQ(load_metal(", \"metallicFactor\": 0.5").materials[1].diffuse, vec3(1));
}

TEST(Gltf, AlphaCutsOutAndNormalMapsAreRead) {
    TempFolder folder;
    write_png(folder.path("leaf.png"), {{2, 1}, {0, 255, 0, 255, 0, 255, 0, 0}});
    const std::string files =
        ", \"textures\": [{\"source\": 0}, {\"source\": 0, \"sampler\": 0}], \"images\": "
        "[{\"uri\": \"leaf.png\"}], \"samplers\": [{\"wrapS\": 33071, \"wrapT\": 33648}]";
    auto leaf = [&](const std::string& mode) {
        return load_material(folder,
                             mode +
                                 "\"pbrMetallicRoughness\": {\"metallicFactor\": 0, "
                                 "\"baseColorFactor\": [1, 1, 1, 0.5], \"baseColorTexture\": "
                                 "{\"index\": 0}}, \"normalTexture\": {\"index\": 1, "
                                 "\"scale\": 2}",
                             files);
    };
    Scene scene = leaf("\"alphaMode\": \"MASK\", \"alphaCutoff\": 0.25, ");
    EXPECT_TRUE(scene.warnings.empty());
    const Material& masked = scene.materials[1];
    EXPECT_EQ(masked.alpha_texture, masked.diffuse_texture);
    EXPECT_EQ(masked.alpha_cutoff, 0.5f);  // of the texture, whose alpha counts half
    ASSERT_EQ(masked.normal_texture, 1);
    EXPECT_EQ(masked.normal_scale, 2);
    EXPECT_FALSE(scene.textures[1].is_srgb);
    EXPECT_EQ(scene.textures[1].wrap_u, TextureWrap::clamp);
    EXPECT_EQ(scene.textures[1].wrap_v, TextureWrap::mirror);
    EXPECT_EQ(leaf("").materials[1].alpha_texture, -1);
    scene = leaf("\"alphaMode\": \"BLEND\", ");
    EXPECT_EQ(scene.materials[1].alpha_texture, 0);
    ASSERT_EQ(scene.warnings.size(), 1u);
    TL_EXPECT_CONTAINS(scene.warnings[0], "cut out where that is below 0.5");
}

TEST(Gltf, TheFirstCameraAndPunctualLightsAreUsed) {
    TempFolder folder;
    std::string members =
        "\"scenes\": [{\"nodes\": [0, 1, 2, 3, 4]}], \"nodes\": [{\"mesh\": 0}, {\"camera\": 0, "
        "\"translation\": [0, 0, 7]}, {\"extensions\": {\"KHR_lights_punctual\": {\"light\": 0}}, "
        "\"translation\": [1, 2, 3]}, {\"extensions\": {\"KHR_lights_punctual\": {\"light\": 1}}}, "
        "{\"extensions\": {\"KHR_lights_punctual\": {\"light\": 2}}, \"rotation\": [-0.70710678, "
        "0, 0, 0.70710678]}], \"cameras\": [{\"type\": \"perspective\", \"perspective\": "
        "{\"yfov\": 0.5, \"znear\": 0.1}}], \"extensions\": {\"KHR_lights_punctual\": {\"lights\": "
        "[{\"type\": \"point\", \"intensity\": 4, \"color\": [1, 0.5, 0]}, {\"type\": "
        "\"directional\", \"intensity\": 2}, {\"type\": \"spot\", \"spot\": {\"innerConeAngle\": "
        "0.25, \"outerConeAngle\": 0.5}}]}}, " +
        std::string(kTriangle);
    Scene scene = load(folder, triangle().text(members));
    EXPECT_TRUE(scene.warnings.empty());
    EXPECT_EQ(scene.camera.eye, vec3(0, 0, 7));
    EXPECT_LT(glm::length(scene.camera.target), 1e-5f);  // as far ahead as the triangle
    EXPECT_NEAR(scene.camera.vertical_fov, 28.6479f, 1e-3f);
    ASSERT_EQ(scene.lights.size(), 3u);
    EXPECT_EQ(scene.lights[0].kind, LightKind::point);
    EXPECT_EQ(scene.lights[0].position, vec3(1, 2, 3));
    EXPECT_EQ(scene.lights[0].radiance, vec3(4, 2, 0));
    EXPECT_EQ(scene.lights[1].kind, LightKind::directional);
    EXPECT_EQ(scene.lights[1].direction, vec3(0, 0, -1));
    EXPECT_EQ(scene.lights[2].kind, LightKind::spot);
    EXPECT_LT(glm::length(scene.lights[2].direction - vec3(0, -1, 0)), 1e-6f);
    EXPECT_NEAR(scene.lights[2].inner_angle, 14.3239f, 1e-3f);
    EXPECT_NEAR(scene.lights[2].outer_angle, 28.6479f, 1e-3f);
    // A scene file takes the mesh alone; a file without lights or camera is lit and framed.
    folder.write("a.gltf", triangle().text(members));
    EXPECT_EQ(load_scene(folder.write("s.toml", "[[mesh]]\nfile = \"a.gltf\"\n")).lights.size(),
              2u);
    EXPECT_EQ(load(folder, triangle().text(std::string(kScene) + kTriangle)).lights.size(), 2u);
}

TEST(Gltf, RefusesBadFilesNamingThePart) {
    TempFolder folder;
    std::string good = triangle().text(std::string(kScene) + kTriangle);
    auto changed = [&](const std::string& from, const std::string& to) {
        std::string text = good;
        return refused(folder, text.replace(text.find(from), from.size(), to));
    };
    EXPECT_EQ(refused(folder, good), "");
    TL_EXPECT_CONTAINS(changed("\"asset\"", "asset"), "a.gltf: ");
    TL_EXPECT_CONTAINS(changed("\"2.0\"", "\"1.0\""),
                       "a.gltf: is glTF 1.0, this program reads 2.0");
    TL_EXPECT_CONTAINS(changed("\"mesh\": 0", "\"mesh\": 7"), "a.gltf: there is no mesh 7");
    TL_EXPECT_CONTAINS(changed("\"nodes\": [0]", "\"nodes\": [3]"), "a.gltf: there is no node 3");
    TL_EXPECT_CONTAINS(changed("{\"mesh\": 0}", "{\"children\": [0]}"),
                       "a.gltf: node 0 is reached twice");
    TL_EXPECT_CONTAINS(changed("\"mesh\": 0", "\"name\": \"x\""), "has no triangles");
    TL_EXPECT_CONTAINS(changed("\"POSITION\": 0", "\"POSITION\": 4"), "there is no accessor 4");
    TL_EXPECT_CONTAINS(changed("\"POSITION\"", "\"OTHER\""), "mesh 'm' has no positions");
    TL_EXPECT_CONTAINS(changed("\"count\": 3", "\"count\": 4"),
                       "accessor 0 ends beyond its buffer view's 36 bytes");
    TL_EXPECT_CONTAINS(changed("\"byteLength\": 36}", "\"byteLength\": 48}"),
                       "buffer view 0 ends beyond its buffer's 36 bytes");
    TL_EXPECT_CONTAINS(changed("\"byteLength\": 36}", "\"byteLength\": 36, \"byteOffset\": 37}"),
                       "buffer view 0 begins beyond its buffer's 36 bytes");
    TL_EXPECT_CONTAINS(changed("\"VEC3\"", "\"VEC2\""), "accessor 0 has not 3 numbers a row");
    TL_EXPECT_CONTAINS(changed("\"scene\": 0", "\"extensionsRequired\": [\"EXT_x\"], \"scene\": 0"),
                       "needs extensions that are not read: EXT_x");
    GltfWriter writer = triangle();
    (void)writer.add_indices(std::vector<std::uint8_t>{0, 1, 3});
    TL_EXPECT_CONTAINS(
        refused(folder, writer.text(std::string(kScene) +
                                    "\"meshes\": [{\"name\": \"m\", \"primitives\": "
                                    "[{\"attributes\": {\"POSITION\": 0}, \"indices\": 1}]}]")),
        "mesh 'm' names vertex 3; it has 0 to 2");
    GltfWriter nan;
    (void)nan.add("VEC3", {0, 0, 0, 1, 0, NAN, 0, 1, 0});
    TL_EXPECT_CONTAINS(refused(folder, nan.text(std::string(kScene) + kTriangle)),
                       "mesh 'm' has a position that is not finite");
    TL_EXPECT_CONTAINS(
        refused(folder, triangle().text_beside(std::string(kScene) + kTriangle, "gone.bin")),
        "gone.bin");
}

TEST(Gltf, TruncatedFilesAreRefused) {
    TempFolder folder;
    std::string members = std::string(kScene) + kTriangle;
    auto open = [](auto& path) { (void)load_scene(path); };
    EXPECT_EQ(test::read_truncated(folder, "cut.gltf", triangle().text(members), 3, open), 0);
    EXPECT_EQ(test::read_truncated(folder, "cut.glb", triangle().glb(members), 3, open), 0);
}

}  // namespace
}  // namespace tl::gltf_loading_tests
