// Presets of materials: their values, in scene files, and saved as edits.
#include <gtest/gtest.h>

#include <set>

#include "app/jobs/scene_saving.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "renderer/scene/loaders/loader.h"
#include "renderer/scene/material_presets.h"
#include "renderer/scene/reflectance.h"
#include "renderer/scene/surface_layers.h"
#include "tests/unit/temp_folder.h"

namespace tl::material_presets_tests {
namespace {

TEST(MaterialPresets, HaveIdsOfTheirOwnAndReflectNoMoreThanTheyGet) {
    std::set<std::string> ids;
    for (auto& preset : material_presets()) {
        EXPECT_TRUE(ids.insert(preset.id).second) << preset.id;
        EXPECT_TRUE(std::string(preset.help).ends_with(".")) << preset.id;
        EXPECT_EQ(find_preset(preset.id), &preset);
        EXPECT_LE(reflected_fraction_of(preset.material, {}), 1) << preset.id;
    }
    for (auto* id : {"gold", "copper", "silver", "aluminium", "glass", "water", "plastic", "rubber",
                     "skin", "ceramic", "emissive"})
        EXPECT_TRUE(ids.contains(id)) << id;
    EXPECT_EQ(find_preset("unobtainium"), nullptr);
}

TEST(MaterialPresets, HaveTheMeasuredValues) {
    auto& gold = find_preset("gold")->material;
    ASSERT_TRUE(gold.layers);
    EXPECT_EQ(gold.layers->metallic, 1);
    EXPECT_GT(gold.layers->base.x, gold.layers->base.y);
    EXPECT_GT(gold.layers->base.y, gold.layers->base.z);
    auto& water = find_preset("water")->material;
    EXPECT_EQ(water.kind, MaterialKind::dielectric);
    EXPECT_FLOAT_EQ(water.ior, 1.333f);
    EXPECT_GT(water.absorption.x, water.absorption.z) << "red first";
    EXPECT_NEAR(find_preset("plastic")->material.layers->reflectance.x, 0.0389f, 1e-3f);
}

TEST(MaterialPresets, LeaveNothingOfAnotherPreset) {
    Material before;
    before.name = "wall";
    before.diffuse = {0.2f, 0.3f, 0.4f};
    for (auto& first : material_presets())
        for (auto& second : material_presets()) {
            auto direct = with_preset(before, before, second);
            EXPECT_EQ(with_preset(before, with_preset(before, before, first), second), direct)
                << first.id << ", then " << second.id;
            EXPECT_EQ(direct.name, "wall");
        }
}

class PresetFiles : public testing::Test {
  protected:
    SceneDocument open(const std::string& text) {
        return load_document(folder_.write("scene.toml", text), "", true);
    }
    void expect_error(const std::string& text, const std::string& what) {
        try {
            (void)open(text);
            ADD_FAILURE() << "opened: " << text;
        } catch (const UserError& error) {
            EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << error.what();
        }
    }
    const std::string thing_ =
        "[[material]]\nname = \"a\"\ndiffuse = [0.2, 0.3, 0.4]\n"
        "[[sphere]]\nmaterial = \"a\"\n";

    test::TempFolder folder_;
};

TEST_F(PresetFiles, OtherKeysChangeThePreset) {
    auto document = open(
        "[[material]]\nname = \"a\"\npreset = \"gold\"\nroughness = 0.5\n"
        "[[material]]\nname = \"b\"\npreset = \"glass\"\ntransmission = 0.5\nemission = 2\n"
        "[[sphere]]\nmaterial = \"a\"\n");
    auto& materials = document.scene()->materials;
    ASSERT_EQ(materials.size(), 3u);
    EXPECT_EQ(materials[1].name, "a");
    EXPECT_EQ(materials[1].layers->base, find_preset("gold")->material.layers->base);
    EXPECT_EQ(materials[1].layers->roughness, 0.5f);
    EXPECT_EQ(materials[2].kind, MaterialKind::dielectric);
    EXPECT_EQ(materials[2].transmission, vec3(0.5f));
    EXPECT_EQ(materials[2].emission, vec3(2));
    EXPECT_TRUE(document.scene()->warnings.lines().empty());
}

TEST_F(PresetFiles, OverridesTakePresets) {
    auto document =
        open(thing_ + "[[override]]\nmaterial = \"a\"\npreset = \"water\"\nroughness = 0.1\n");
    auto& material = document.scene()->materials[1];
    EXPECT_FLOAT_EQ(material.ior, 1.333f);
    EXPECT_EQ(material.roughness, 0.1f);
}

TEST_F(PresetFiles, ErrorsNameTheLineAndTheKnownPresets) {
    expect_error("[[material]]\nname = \"a\"\npreset = \"golld\"\n",
                 "scene.toml:3: unknown preset 'golld'; known: gold, copper");
    expect_error("[[material]]\nname = \"a\"\npreset = \"golld\"\n", "did you mean 'gold'?");
    expect_error("[[material]]\nname = \"a\"\npreset = \"gold\"\nkind = \"mirror\"\n",
                 "leave out one of both");
}

TEST_F(PresetFiles, EditsAreSavedAsPlainValuesAndReadAgain) {
    for (auto& preset : material_presets()) {
        auto document = open(thing_);
        SceneEdits edits;
        auto& before = document.scene()->materials[1];
        edits.materials[1] = with_preset(before, before, preset);
        (void)document.edited.apply(edits);
        auto path = folder_.path("saved.toml");
        (void)save_scene(document, document.scene()->camera, {}, path);
        EXPECT_EQ(read_file(path).find("preset"), std::string::npos);
        auto again = load_document(path, "", true);
        EXPECT_EQ(again.scene()->materials[1], document.scene()->materials[1]) << preset.id << "\n"
                                                                               << read_file(path);
    }
}

}  // namespace
}  // namespace tl::material_presets_tests
