// Edits of scenes: undone, written to scene files and read again.
#include <gtest/gtest.h>

#include <algorithm>

#include "app/jobs/scene_saving.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "renderer/film/film.h"
#include "renderer/scene/live/live_scene.h"
#include "renderer/scene/loaders/loader.h"
#include "renderer/scene/surface_layers.h"
#include "tests/long_test.h"
#include "tests/solvers/narrow_device.h"
#include "tests/source_path.h"
#include "tests/unit/temp_folder.h"

namespace tl::scene_edits_tests {
namespace {

constexpr Extent kPicture{40, 30};

class SceneEditing : public testing::Test {
  protected:
    /// A cube with a textured and a plain part, as a model that names its materials.
    std::string model() {
        folder_.write("thing.mtl", "newmtl red\nKd 0.8 0.1 0.1\nnewmtl blue\nKd 0.1 0.1 0.8\n");
        return folder_.write("thing.obj",
                             "mtllib thing.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\n"
                             "v 1 0 1\nv 1 1 1\no one\nusemtl red\nf 1 2 3 4\no two\nusemtl blue\n"
                             "f 5 6 7\n");
    }
    std::string file(const std::string& text) { return folder_.write("scene.toml", text); }

    static std::vector<vec3> picture_of(const SceneDocument& document) {
        Session session(find_device("cpu"));
        session.set_scene(document.scene());
        return picture_of(session);
    }
    static std::vector<vec3> picture_of(Session& session) {
        session.resize(kPicture);
        session.restart();
        for (int i = 0; i < 2; ++i) session.render_frame();
        return radiance_of(session.stream(), session.film().view()).rgb;
    }
    /// Saves the document, opens the file, and expects the same picture, and the same bytes when it
    /// is saved again.
    SceneDocument expect_same_when_opened(const SceneDocument& document, const std::string& name) {
        auto path = folder_.path(name + ".toml"), again = folder_.path(name + "-2.toml");
        Session session(find_device("cpu"));
        session.set_scene(document.scene());
        auto save = [](Session& from, const SceneDocument& what, const std::string& to) {
            save_scene(what, from.camera, settings_to_save(from, what.base_settings), to);
        };
        save(session, document, path);
        auto opened = load_document(path, "", true);
        Session second(find_device("cpu"));
        second.set_scene(opened.scene());
        save(second, opened, again);
        EXPECT_EQ(read_file(again), read_file(path)) << name;
        EXPECT_EQ(picture_of(second), picture_of(session)) << read_file(path);
        EXPECT_EQ(opened.scene()->warnings.lines(), document.scene()->warnings.lines());
        return opened;
    }
    static void change(SceneDocument& document, auto change) {
        auto edits = document.edited.edits();
        change(edits);
        (void)document.edited.apply(edits);
    }
    void expect_error(const std::string& text, const std::string& what) {
        auto path = file(text);
        try {
            (void)load_document(path);
            ADD_FAILURE() << "opened: " << text;
        } catch (const UserError& error) {
            EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << error.what();
        }
    }

    test::TempFolder folder_;
};

TEST_F(SceneEditing, ScenesThatAreSavedOpenToTheSamePicture) {
    TL_LONG_TEST();
    for (auto* name : {"cornell-box", "teapot", "glossy", "furnace", "textures"})
        expect_same_when_opened(load_document(source_path("scenes/") + std::string(name) + ".toml"),
                                name);
    expect_same_when_opened(load_document("generate:blob,triangles=320"), "blob");
    expect_same_when_opened(load_document(model()), "model");
}

TEST_F(SceneEditing, ChangedMaterialsLightsAndPlacesOpenToTheSamePicture) {
    auto document = load_document(source_path("scenes/cornell-box.toml"));
    auto plain = picture_of(document);
    change(document, [&](SceneEdits& edits) {
        auto& scene = *document.scene();
        for (std::uint32_t i = 0; i < scene.materials.size(); ++i) {
            Material m = scene.materials[i];
            m.diffuse = vec3(0.1f, 0.7f, 1.0f / 3);
            m.emission = vec3(0.01f * float(i));
            if (i % 3 == 1) m = with_kind(scene.materials[i], m, MaterialKind::mirror);
            if (i % 3 == 2)
                m = with_layers(scene.materials[i], m,
                                {.metallic = 0.3f,
                                 .roughness = 0.2f,
                                 .reflectance = vec3(reflectance_of_index(1.7f))},
                                1.7f);
            edits.materials[i] = m;
        }
        Light light = scene.lights.at(0);
        light.radiance *= 1.7f;
        light.position.x += 0.05f;
        edits.lights[0] = light;
        edits.objects[{ObjectKind::mesh, 0}] = {vec3(0.9f), vec3(10, 20, 30), {0.01, 0.02, 0.1}};
        if (!scene.spheres.empty())
            edits.objects[{ObjectKind::sphere, 0}] = {vec3(1.2f), vec3(0), {0.02, 0, 0}};
        edits.background = vec3(0.2f, 0.1f, 0);
    });
    EXPECT_NE(picture_of(document), plain);
    document.bookmarks = {{2, "the \"door\"", document.scene()->camera}, {7, "", {}}};
    auto opened = expect_same_when_opened(document, "changed");
    auto &now = opened.edited.edits(), &before = document.edited.edits();
    for (auto& [index, material] : before.materials)
        EXPECT_EQ(now.materials.at(index), material) << material.name;
    EXPECT_EQ(now.lights, before.lights);
    EXPECT_EQ(now.objects, before.objects);
    EXPECT_EQ(now.background, before.background);
    EXPECT_EQ(opened.bookmarks, document.bookmarks);
}

TEST_F(SceneEditing, AModelTakesOtherMaterialsAndAnEnvironment) {
    auto document = load_document(model());
    auto map = folder_.path("sky.hdr");
    write_image(map, ImageF{{4, 2}, std::vector<vec3>(8, vec3(0.5f, 1, 2))});
    change(document, [&](SceneEdits& edits) {
        auto& materials = document.scene()->materials;
        auto red = std::ranges::find(materials, "red", &Material::name);
        Material m = *red;
        m.diffuse = vec3(0, 0.5f, 0);
        edits.materials[static_cast<std::uint32_t>(red - materials.begin())] = m;
        edits.environment = EnvironmentChoice{map, 30, vec3(0.5f)};
        edits.objects[{ObjectKind::mesh, 1}].translate = {0, 0.2, 0};
    });
    auto opened = expect_same_when_opened(document, "model");
    EXPECT_NE(read_file(folder_.path("model.toml")).find("file = \"sky.hdr\""), std::string::npos);
    EXPECT_NE(read_file(folder_.path("model.toml")).find("scene = \"thing.obj\""),
              std::string::npos);
    EXPECT_EQ(opened.scene()->materials.size(), document.scene()->materials.size());
}

TEST_F(SceneEditing, AnEnvironmentThatDoesNotFitIsRefusedAndChangesNothing) {
    Scene scene;
    scene.materials.emplace_back();
    scene.spheres.emplace_back();
    scene.environment = {{64, 32}, std::vector<vec3>(64 * 32, vec3(1))};
    auto edited = std::make_shared<Scene>(scene);
    test::NarrowDevice device(find_device("cpu"), std::uint64_t{1} << 40);
    auto stream = device.create_stream();
    LiveScene live(*stream, edited);
    auto* before = live.view().environment;
    ASSERT_NE(before, nullptr);
    edited->environment = {{2048, 1024}, std::vector<vec3>(2048 * 1024, vec3(1))};
    // The map takes 16 bytes for a pixel on the device, and twice that on its way.
    device.set_bytes_free(std::uint64_t{2048 * 1024} * 47);
    EXPECT_THROW(live.refresh_shading(*stream, true), UserError);
    EXPECT_EQ(live.view().environment, before);
    device.set_bytes_free(std::uint64_t{2048 * 1024} * 49);
    EXPECT_NO_THROW(live.refresh_shading(*stream, true));
    // If no map is copied, there is nothing to refuse.
    device.set_bytes_free(0);
    EXPECT_NO_THROW(live.refresh_shading(*stream, false));
}

TEST_F(SceneEditing, ALiveSceneFollowsAndIsAsItWasAfterwards) {
    auto document = load_document(source_path("scenes/cornell-box.toml"));
    for (auto* renderer : {"whitted", "path"}) {
        Session session(find_device("cpu"));
        session.set_scene(document.scene());
        session.set_renderer(renderer);
        auto before = picture_of(session);
        auto follow = [&](const SceneEdits& edits) {
            session.follow_scene(document.edited.apply(edits));
            return picture_of(session);
        };
        SceneEdits material, glow, lamp, place;
        material.materials[1] = document.scene()->materials[1];
        material.materials[1].diffuse = vec3(0.1f, 0.9f, 0.1f);
        glow.materials[1] = material.materials[1];
        glow.materials[1].emission = vec3(1);
        lamp.lights[0] = document.scene()->lights[0];
        lamp.lights[0].radiance *= 0.3f;
        place.objects[{ObjectKind::mesh, 0}] = {vec3(0.7f), vec3(0, 30, 0), {0, 0.1, 0}};
        for (auto& edits : {material, glow, lamp, place}) {
            auto changed = follow(edits);
            EXPECT_NE(changed, before);
            // Updated data equals data that is copied from scratch.
            Session anew(find_device("cpu"));
            anew.set_scene(document.scene());
            anew.set_renderer(renderer);
            EXPECT_EQ(changed, picture_of(anew));
        }
        EXPECT_EQ(follow({}), before);
    }
}

TEST_F(SceneEditing, OnlyPlacesAreAChangeOfGeometry) {
    auto document = load_document(source_path("scenes/cornell-box.toml"));
    SceneEdits edits;
    edits.materials[1] = document.scene()->materials[1];
    edits.materials[1].diffuse = vec3(0.5f);
    EXPECT_FALSE(document.edited.apply(edits).geometry);
    edits.lights[0] = document.scene()->lights[0];
    edits.lights[0].radiance *= 2.0f;
    EXPECT_FALSE(document.edited.apply(edits).geometry);
    edits.objects[{ObjectKind::mesh, 0}].translate.x = 1;
    EXPECT_TRUE(document.edited.apply(edits).geometry);
    EXPECT_FALSE(document.edited.apply(edits).any);
}

TEST_F(SceneEditing, NamesThatTomlCannotHoldAreSavedAsNumbers) {
    folder_.write("thing.mtl", "newmtl b\xe4um\nKd 1 0 0\n");
    auto path = folder_.write("thing.obj",
                              "mtllib thing.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nusemtl b\xe4um\n"
                              "f 1 2 3\n");
    auto document = load_document(path);
    auto index =
        static_cast<std::uint32_t>(document.scene()->meshes.at(0).material_of_triangle.at(0));
    change(document, [&](SceneEdits& edits) {
        edits.materials[index] = document.scene()->materials[index];
        edits.materials[index].diffuse = vec3(0, 1, 0);
    });
    (void)expect_same_when_opened(document, "latin");
}

TEST_F(SceneEditing, AnEnvironmentOfTheCommandLineReplacesDefaultLights) {
    (void)model();
    auto path = file("scene = \"thing.obj\"\n");
    EXPECT_FALSE(load_document(path).scene()->lights.empty());
    auto map = folder_.path("sky.hdr");
    write_image(map, ImageF{{4, 2}, std::vector<vec3>(8, vec3(1))});
    auto lit = load_document(path, map);
    EXPECT_TRUE(lit.scene()->lights.empty());
}

TEST_F(SceneEditing, WhatIsAsBeforeIsNoChange) {
    auto document = load_document(model());
    SceneEdits edits;
    edits.materials[0] = document.scene()->materials[0];
    edits.objects[{ObjectKind::mesh, 0}] = {};
    edits.environment = EnvironmentChoice{};
    EXPECT_FALSE(document.edited.apply(edits).any);
    EXPECT_EQ(document.edited.edits(), SceneEdits{});
}

TEST_F(SceneEditing, OverridesChangeASceneThatIsWrittenByHand) {
    (void)model();
    auto path = file(
        "[[mesh]]\nfile = \"thing.obj\"\n[[light]]\nkind = \"point\"\nposition = [0, 5, 0]\n"
        "intensity = 9\n[[override]]\nmaterial = \"red\"\nkind = \"layered\"\nmetallic = 1\n"
        "[[override]]\nlight = 0\nintensity = [1, 2, 3]\n"
        "[[bookmark]]\nnumber = 3\nname = \"top\"\neye = [0, 9, 1]\ntarget = [0, 0, 0]\n");
    auto document = load_document(path);
    auto& scene = *document.scene();
    auto red = std::ranges::find(scene.materials, "red", &Material::name);
    ASSERT_TRUE(red->layers);
    EXPECT_EQ(red->layers->metallic, 1);
    EXPECT_EQ(red->layers->base, vec3(0.8f, 0.1f, 0.1f));
    EXPECT_EQ(scene.lights[0].radiance, vec3(1, 2, 3));
    ASSERT_EQ(document.bookmarks.size(), 1u);
    EXPECT_EQ(document.bookmarks[0].name, "top");
    EXPECT_EQ(document.edited.edits(), SceneEdits{});  // they are the scene's own
    EXPECT_TRUE(scene.warnings.lines().empty());
}

TEST_F(SceneEditing, ErrorsNameTheLine) {
    (void)model();
    std::string named = "scene = \"thing.obj\"\n";
    expect_error(named + "[[override]]\nmaterial = \"green\"\n",
                 "scene.toml:3: there is no material 'green'");
    expect_error(named + "[[override]]\nlight = 7\n", "scene.toml:3: there is no light 7");
    expect_error(named + "[[override]]\nmesh = 0\nscale = 0\n", "a scale of 0");
    expect_error(named + "[[override]]\nmesh = 0\nlight = 0\n", "names one of");
    expect_error(named + "[[sphere]]\nradius = 1\n", "scene.toml:2: a file that names a 'scene'");
    expect_error("scene = \"none.obj\"\n", "scene.toml:1: no file");
    expect_error("scene = \"scene.toml\"\n", "scene.toml:1: ");
    expect_error(named + "[[bookmark]]\nnumber = 1.5\neye = [0, 0, 1]\ntarget = [0, 0, 0]\n",
                 "whole number");
    expect_error(named +
                     "[[bookmark]]\nnumber = 1\neye = [0, 0, 1]\ntarget = [0, 0, 0]\n"
                     "[[bookmark]]\nnumber = 1\neye = [0, 0, 1]\ntarget = [0, 0, 0]\n",
                 "a second bookmark 1");
    expect_error(named + "environment = \"none.hdr\"\n", "scene.toml:2: no file");
    expect_error("[[sphere]]\n[[override]]\nsphere = 0\nscale = [1, 2, 1]\n", "one scale");
    expect_error(named + "[[override]]\nmesh = 0\n[[override]]\nmesh = 0\nscale = 2\n",
                 "scene.toml:5: a second [[override]] of the same mesh");
    expect_error(named + "[[override]]\nmaterial = \"red\"\n[[override]]\nmaterial = \"red\"\n",
                 "a second [[override]] of the same material");
}

TEST_F(SceneEditing, TheBaseIsNotReplacedByAFileThatRefersToIt) {
    auto path = file("[[sphere]]\n");
    auto document = load_document(path);
    EXPECT_THROW(save_scene(document, {}, {}, path), UserError);
    EXPECT_EQ(read_file(path), "[[sphere]]\n");
    EXPECT_THROW(save_scene(document, {}, {}, folder_.path("scene.glb")), UserError);
    auto warnings = save_scene(document, {}, {}, folder_.path("other.toml"));
    EXPECT_TRUE(warnings.empty());
    std::filesystem::create_directory(folder_.path("below"));
    auto below = folder_.path("below/other.toml");
    warnings = save_scene(document, {}, {}, below);
    ASSERT_EQ(warnings.size(), 1u);
    EXPECT_TRUE(warnings[0].starts_with(below + " opens only with --allow-outside")) << warnings[0];
}

}  // namespace
}  // namespace tl::scene_edits_tests
