// Materials and textures in exported .glb files, and as the loader reads them back.
#include <cmath>

#include "renderer/scene/surface_layers.h"
#include "tests/unit/scene/gltf_export_checks.h"

namespace tl::gltf_export_materials_tests {
namespace {

using test::exported;
using test::json_of;
using test::quad;
using test::scene_of;
using test::TempFolder;

TEST(GltfExportMaterials, AreThoseOfTheFormat) {
    TempFolder folder;
    Scene scene = scene_of(quad(0, 1, 2));
    scene.meshes.push_back(quad(1, 3, 4));
    scene.materials.resize(5);
    auto& phong = scene.materials[1];
    phong.kind = MaterialKind::phong;
    phong.specular = vec3(0.04f, 0.02f, 0.04f);
    phong.exponent = 2 / (0.25f * 0.25f) - 2;  // alpha 0.25, roughness 0.5
    auto& mirror = scene.materials[2];
    mirror.kind = MaterialKind::mirror;
    mirror.specular = {0.9f, 0.6f, 0.2f};
    mirror.roughness = 0.3f;
    auto& glass = scene.materials[3];
    glass.kind = MaterialKind::dielectric;
    glass.ior = 1.33f;
    glass.transmission = {0.5f, 1, 1};
    glass.absorption = {0, 0.5f, 2};
    glass.specular = vec3(1);
    glass.priority = 3;
    scene.materials[4].emission = {8, 4, 2};
    auto report = export_gltf(scene, folder.path("x.glb"));
    ASSERT_EQ(report.warnings.size(), 1u);
    TL_EXPECT_CONTAINS(report.warnings[0], "priorities");

    auto json = json_of(folder.path("x.glb"));
    auto& made = json["materials"];
    ASSERT_EQ(made.size(), 4u);
    auto number = [](const nlohmann::json& value) { return value.get<double>(); };
    auto pbr = [&](std::size_t i) { return made[i]["pbrMetallicRoughness"]; };
    auto extension = [&](std::size_t i, const char* name) { return made[i]["extensions"][name]; };
    EXPECT_EQ(number(pbr(0)["metallicFactor"]), 0);
    EXPECT_NEAR(number(pbr(0)["roughnessFactor"]), 0.5, 1e-6);
    EXPECT_NEAR(number(extension(0, "KHR_materials_ior")["ior"]), 1.5, 1e-6);
    EXPECT_NEAR(number(extension(0, "KHR_materials_specular")["specularColorFactor"][1]), 0.5,
                1e-6);
    EXPECT_EQ(number(pbr(1)["metallicFactor"]), 1);
    EXPECT_NEAR(number(pbr(1)["roughnessFactor"]), 0.3, 1e-6);
    EXPECT_NEAR(number(pbr(1)["baseColorFactor"][2]), 0.2, 1e-6);
    EXPECT_EQ(number(extension(2, "KHR_materials_transmission")["transmissionFactor"]), 1);
    EXPECT_NEAR(number(extension(2, "KHR_materials_ior")["ior"]), 1.33, 1e-6);
    EXPECT_EQ(number(pbr(2)["baseColorFactor"][0]), 0.5);
    auto volume = extension(2, "KHR_materials_volume");
    EXPECT_GT(number(volume["thicknessFactor"]), 0);
    for (std::size_t k = 0; k < 3; ++k)
        EXPECT_NEAR(-std::log(number(volume["attenuationColor"][k])) /
                        number(volume["attenuationDistance"]),
                    double(glass.absorption[static_cast<int>(k)]), 1e-6);
    EXPECT_EQ(number(made[3]["emissiveFactor"][1]), 0.5);
    EXPECT_EQ(number(extension(3, "KHR_materials_emissive_strength")["emissiveStrength"]), 8);
    EXPECT_FALSE(made[3].contains("doubleSided"));
    EXPECT_EQ(made[0]["doubleSided"], true);
    Scene again = load_scene(folder.path("x.glb"));
    EXPECT_TRUE(again.warnings.empty());
    EXPECT_EQ(again.materials.back().emission, vec3(8, 4, 2));
}

TEST(GltfExportMaterials, LayersAreReadAsTheyWere) {
    TempFolder folder;
    Scene scene = scene_of(quad(0, 1, 2));
    SurfaceLayers layers{.base = {0.75f, 0.5f, 0.25f},
                         .metallic = 0.25f,
                         .roughness = 0.375f,
                         .reflectance = {0.06f, 0.04f, 0.03f},
                         .transmission = 0.125f,
                         .coat = 0.5f,
                         .coat_roughness = 0.0625f};
    scene.materials.resize(3);
    for (std::size_t i : {1u, 2u}) set_layers(scene.materials[i], layers, 1.5f, 0.25f, 0.375f);
    scene.materials[2].layers->reflectance = vec3(0);
    EXPECT_TRUE(export_gltf(scene, folder.path("x.glb")).warnings.empty());
    Scene again = load_scene(folder.path("x.glb"));
    EXPECT_TRUE(again.warnings.empty());
    for (std::size_t i : {1u, 2u}) {
        ASSERT_TRUE(again.materials[i].layers);
        const SurfaceLayers &a = *scene.materials[i].layers, &b = *again.materials[i].layers;
        EXPECT_EQ(a.base, b.base);
        EXPECT_EQ(a.metallic, b.metallic);
        EXPECT_EQ(a.roughness, b.roughness);
        for (int c = 0; c < 3; ++c) EXPECT_NEAR(a.reflectance[c], b.reflectance[c], 1e-6f);
        EXPECT_EQ(a.transmission, b.transmission);
        EXPECT_EQ(a.coat, b.coat);
        EXPECT_EQ(a.coat_roughness, b.coat_roughness);
    }
}

TEST(GltfExportMaterials, TexturesAreEmbedded) {
    TempFolder folder;
    auto texture = [](int width, int height, bool is_srgb) {
        Texture t;
        t.name = "/a/wood.png";
        t.width = width;
        t.height = height;
        t.is_srgb = is_srgb;
        for (int i = 0; i < 4 * width * height; ++i)
            t.rgba.push_back(static_cast<std::uint8_t>(i * 37 % 256));
        t.wrap_v = TextureWrap::mirror;
        return t;
    };
    Scene scene = scene_of(quad(0, 1, 2));
    scene.textures = {texture(2, 3, true), texture(4, 3, true), texture(2, 2, false)};
    for (std::size_t i = 3; i < 16; i += 4) scene.textures[2].rgba[i] = 255;
    scene.materials.resize(3);
    scene.materials[1].diffuse_texture = 0;
    scene.materials[1].normal_texture = 2;
    scene.materials[1].normal_scale = 0.5f;
    scene.materials[2].diffuse_texture = 0;
    scene.materials[2].alpha_texture = 1;
    scene.materials[2].alpha_cutoff = 0.75f;
    GltfExportReport report;
    Scene again = exported(folder, scene, &report);
    EXPECT_EQ(report.n_images, 3);
    EXPECT_TRUE(again.warnings.empty());
    ASSERT_EQ(again.meshes.size(), 2u);
    EXPECT_EQ(again.meshes[0].uvs.size(), 3u);  // though the scene's mesh has none
    auto& plain =
        again.materials[static_cast<std::size_t>(again.meshes[0].material_of_triangle[0])];
    auto& cut = again.materials[static_cast<std::size_t>(again.meshes[1].material_of_triangle[0])];
    auto texture_at = [&](int index) { return again.textures.at(static_cast<std::size_t>(index)); };
    EXPECT_EQ(texture_at(plain.diffuse_texture).rgba, scene.textures[0].rgba);
    EXPECT_EQ(texture_at(plain.diffuse_texture).wrap_v, TextureWrap::mirror);
    EXPECT_EQ(plain.alpha_texture, -1);
    EXPECT_EQ(texture_at(plain.normal_texture).rgba, scene.textures[2].rgba);
    EXPECT_EQ(plain.normal_scale, 0.5f);
    EXPECT_EQ(cut.alpha_cutoff, 0.75f);
    Texture both = texture_at(cut.alpha_texture);
    EXPECT_EQ(both.width, 4);
    for (std::size_t i = 0; i < 12; ++i) {
        EXPECT_EQ(both.rgba[4 * i + 3], scene.textures[1].rgba[4 * i + 3]);
        EXPECT_EQ(both.rgba[4 * i], scene.textures[0].rgba[4 * (i / 4 * 2 + i % 4 / 2)]);
    }
}

TEST(GltfExportMaterials, TexturesKeepSixteenBits) {
    TempFolder folder;
    Scene scene = scene_of(quad(0, 1, 1));
    Texture texture;
    texture.name = "deep.png";
    texture.width = 3;
    texture.height = 2;
    texture.is_srgb = false;
    for (int i = 0; i < 24; ++i) {
        texture.rgba.push_back(i % 4 == 3 ? 255 : static_cast<std::uint8_t>(i * 10));
        texture.lower.push_back(i % 4 == 3 ? 255 : static_cast<std::uint8_t>(i * 7 + 1));
    }
    scene.textures = {texture};
    scene.materials.resize(2);
    scene.materials[1].normal_texture = 0;
    Scene again = exported(folder, scene);
    ASSERT_EQ(again.textures.size(), 1u);
    EXPECT_EQ(again.textures[0].rgba, texture.rgba);
    EXPECT_EQ(again.textures[0].lower, texture.lower);
}

}  // namespace
}  // namespace tl::gltf_export_materials_tests
