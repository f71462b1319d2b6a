// Parts of scenes that are added, hidden, deleted and renamed: undone, saved and read again.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "app/jobs/scene_saving.h"
#include "core/base/error.h"
#include "core/base/files.h"
#include "core/device/registry.h"
#include "renderer/film/film.h"
#include "renderer/scene/loaders/loader.h"
#include "renderer/scene/shapes.h"
#include "tests/source_path.h"
#include "tests/unit/temp_folder.h"

namespace tl::scene_parts_tests {
namespace {

constexpr Extent kPicture{40, 30};

class SceneParts : public testing::Test {
  protected:
    std::string model() {
        return folder_.write("thing.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nf 1 2 3\n");
    }
    static SceneDocument box() { return load_document(source_path("scenes/cornell-box.toml")); }
    static std::vector<vec3> picture_of(const SceneDocument& document,
                                        const std::string& renderer = "path") {
        Session session(find_device("cpu"));
        session.set_scene(document.scene());
        session.set_renderer(renderer);
        session.resize(kPicture);
        for (int i = 0; i < 2; ++i) session.render_frame();
        return radiance_of(session.stream(), session.film().view()).rgb;
    }
    static void change(SceneDocument& document, auto change) {
        auto edits = document.edited.edits();
        change(edits);
        (void)document.edited.apply(edits);
    }
    /// Saves the document and opens the file; expects the same picture and the same edits.
    SceneDocument saved_and_opened(const SceneDocument& document) {
        auto path = folder_.path("saved.toml"), again = folder_.path("again.toml");
        (void)save_scene(document, document.scene()->camera, {}, path);
        auto opened = load_document(path, "", true);
        EXPECT_EQ(picture_of(opened), picture_of(document)) << read_file(path);
        EXPECT_EQ(opened.edited.edits(), document.edited.edits()) << read_file(path);
        (void)save_scene(opened, opened.scene()->camera, {}, again);
        EXPECT_EQ(read_file(again), read_file(path));
        return opened;
    }
    void expect_error(const std::string& text, const std::string& what) {
        auto path = folder_.write("scene.toml", text);
        try {
            (void)load_document(path);
            ADD_FAILURE() << "opened: " << text;
        } catch (const UserError& error) {
            EXPECT_NE(std::string(error.what()).find(what), std::string::npos) << error.what();
        }
    }
    /// One of each kind of addition.
    static void add_all(SceneEdits& edits, const EditedScene& edited, const std::string& file) {
        auto number = [&](ItemKind kind) { return static_cast<std::uint32_t>(edited.count(kind)); };
        std::uint32_t material = number(ItemKind::material);
        edits.added.push_back({.kind = ItemKind::material, .name = "a \"new\" one"});
        Material& glowing = edits.materials[material];
        glowing.name = "a \"new\" one";
        glowing.emission = vec3(2, 1, 0.5f);
        float x = -0.2f;
        for (auto& shape : shapes())
            edits.added.push_back(
                {.name = shape.title,
                 .shape = shape.id,
                 .place = {vec3(0.08f), vec3(10, 20, 0), glm::dvec3(double(x += 0.1f), 0.2, 0.1)},
                 .material = material});
        edits.added.push_back({.kind = ItemKind::sphere,
                               .name = "Ball",
                               .place = {vec3(0.05f), vec3(0), {0.1, 0.4, 0.2}},
                               .material = material});
        edits.added.push_back({.name = "Thing", .file = file, .place = {vec3(0.1f), vec3(0), {}}});
        vec3 place(0.1f, 0.3f, 0.1f), down = glm::normalize(vec3(0.3f, -1, 0.2f)), glow(0.3f);
        for (auto& light :
             {Light{.kind = LightKind::point, .position = place, .radiance = glow},
              Light{.kind = LightKind::directional, .direction = down, .radiance = glow},
              Light{.kind = LightKind::rectangle,
              .position = place,
              .edge_u = vec3(0.1f, 0, 0),
              .edge_v = vec3(0, 0, 0.1f),
              .radiance = glow},
              Light{
                  .kind = LightKind::spot, .position = place, .direction = down, .radiance = glow},
              Light{
                  .kind = LightKind::sphere, .position = place, .radius = 0.03f, .radiance = glow}})
            edits.added.push_back({.kind = ItemKind::light, .name = "Lamp", .light = light});
        edits.added.push_back({.kind = ItemKind::sphere, .name = "Copy", .copied = 0u});
        edits.objects[{ObjectKind::sphere, number(ItemKind::sphere) + 1}].translate = {0, 0.2, 0};
    }

    test::TempFolder folder_;
};

double volume_of(const Mesh& mesh) {
    double volume = 0;
    for (auto& t : mesh.triangles) {
        glm::dvec3 a(mesh.positions[t.x]), b(mesh.positions[t.y]), c(mesh.positions[t.z]);
        volume += glm::dot(a, glm::cross(b, c)) / 6;
    }
    return volume;
}

TEST(Shapes, AreClosedWithTheirOutsideOutAndNormalsThatAgree) {
    constexpr double kVolumes[] = {1, 0, 0.7854, 0.2618, 2 * 9.8696 * 0.375 * 0.125 * 0.125};
    for (std::size_t i = 0; i < shapes().size(); ++i) {
        auto mesh = shapes()[i].make();
        EXPECT_NEAR(volume_of(mesh), kVolumes[i], 0.01 * kVolumes[i]) << shapes()[i].id;
        Box box;
        for (auto& p : mesh.positions) box.extend(p);
        EXPECT_FLOAT_EQ(std::max({box.hi.x - box.lo.x, box.hi.y - box.lo.y, box.hi.z - box.lo.z}),
                        1);
        for (auto& t : mesh.triangles) {
            auto &a = mesh.positions[t.x], &b = mesh.positions[t.y], &c = mesh.positions[t.z];
            vec3 face = glm::cross(b - a, c - a);
            for (auto k : {t.x, t.y, t.z})
                EXPECT_GT(glm::dot(face, mesh.normals[k]), 0) << shapes()[i].id;
        }
        EXPECT_EQ(mesh.uvs.size(), mesh.positions.size());
    }
    EXPECT_THROW((void)find_shape("cubus"), UserError);
}

TEST_F(SceneParts, AdditionsAreSeenUndoneAndReadAgain) {
    auto document = box();
    auto before = picture_of(document);
    auto file = model();
    change(document, [&](SceneEdits& edits) { add_all(edits, document.edited, file); });
    auto after = picture_of(document);
    EXPECT_NE(after, before);
    auto edits = document.edited.edits();
    (void)document.edited.apply({});
    EXPECT_EQ(picture_of(document), before);
    (void)document.edited.apply(edits);
    EXPECT_EQ(picture_of(document), after);
    (void)saved_and_opened(document);
}

TEST_F(SceneParts, WhatIsHiddenOrDeletedIsLeftOutAndKeepsItsNumber) {
    auto document = box();
    auto& edited = document.edited;
    auto all = picture_of(document);
    std::uint32_t n_spheres = static_cast<std::uint32_t>(document.scene()->spheres.size());
    change(document, [&](SceneEdits& edits) {
        edits.added.push_back({.kind = ItemKind::sphere, .copied = 0u});
        edits.objects[{ObjectKind::sphere, n_spheres}].translate = {0.1, 0.1, 0};
    });
    auto with_copy = picture_of(document);
    change(document, [](SceneEdits& edits) {
        edits.marks.hidden = {{ItemKind::sphere, 0}, {ItemKind::mesh, 1}};
        edits.marks.deleted = {{ItemKind::light, 0}};
    });
    EXPECT_EQ(document.scene()->spheres.size(), n_spheres);
    EXPECT_TRUE(document.scene()->lights.empty());
    EXPECT_TRUE(document.scene()->meshes[1].triangles.empty());
    EXPECT_EQ(edited.count(ItemKind::sphere), n_spheres + 1);
    EXPECT_EQ(edited.number_of(ItemKind::sphere, n_spheres - 1), n_spheres);
    EXPECT_FALSE(edited.mesh(1).triangles.empty());
    EXPECT_TRUE(edited.bounds_of({ItemKind::sphere, 0}).empty());
    EXPECT_NE(picture_of(document), with_copy);
    // A part that is not shown can be edited.
    change(document, [](SceneEdits& edits) {
        edits.objects[{ObjectKind::mesh, 1}].translate = {0, 0.01, 0};
        edits.marks.names[{ItemKind::sphere, 0}] = "Käse '☃'";
    });
    auto opened = saved_and_opened(document);
    EXPECT_EQ(opened.edited.name({ItemKind::sphere, 0}), "Käse '☃'");
    change(opened, [](SceneEdits& edits) { edits = {}; });
    EXPECT_EQ(picture_of(opened), all);
}

TEST_F(SceneParts, AnEmptySceneIsShownByEveryRenderer) {
    auto document = box();
    change(document, [&](SceneEdits& edits) {
        for (auto kind : {ItemKind::mesh, ItemKind::sphere, ItemKind::light})
            for (std::uint32_t i = 0; i < document.edited.count(kind); ++i)
                edits.marks.deleted.insert({kind, i});
    });
    EXPECT_TRUE(document.scene()->has_no_geometry());
    for (auto& id : ids_on(DeviceKind::cpu, renderers()))
        for (vec3 radiance : picture_of(document, id)) EXPECT_EQ(radiance, radiance) << id;
    (void)saved_and_opened(document);
}

TEST_F(SceneParts, AMeshIsHiddenWithItsInstances) {
    auto document = load_document("generate:crowd,count=20,walk=false");
    auto& edited = document.edited;
    std::size_t n = document.scene()->instances.size();
    ASSERT_GT(n, 2u);
    change(document, [](SceneEdits& edits) { edits.marks.hidden.insert({ItemKind::instance, 1}); });
    EXPECT_EQ(document.scene()->instances.size(), n - 1);
    EXPECT_EQ(edited.number_of(ItemKind::instance, 1), 2u);
    std::uint32_t mesh = edited.instance(0).mesh;
    change(document, [&](SceneEdits& edits) { edits.marks.hidden.insert({ItemKind::mesh, mesh}); });
    EXPECT_FALSE(edited.shows({ItemKind::instance, 0}));
    EXPECT_LT(document.scene()->instances.size(), n - 1);
    (void)picture_of(document);
    change(document, [](SceneEdits& edits) { edits.marks = {}; });
    EXPECT_EQ(document.scene()->instances.size(), n);
}

TEST_F(SceneParts, CloudsAndGaussiansAreHiddenAsAWhole) {
    auto document = load_document("generate:splats,points=2000");
    ASSERT_EQ(document.edited.clouds().size(), 3u) << "three rings";
    std::size_t n = document.scene()->splats.size();
    change(document, [](SceneEdits& edits) { edits.marks.hidden.insert({ItemKind::cloud, 1}); });
    EXPECT_EQ(document.scene()->splats.size(), n - document.edited.clouds()[1].count);
    EXPECT_EQ(document.edited.cloud_of(true, document.edited.clouds()[0].count), 2u);
    auto tree = load_document("generate:gaussian-tree,gaussians=1000");
    change(tree, [](SceneEdits& edits) { edits.marks.deleted.insert({ItemKind::gaussians, 0}); });
    EXPECT_EQ(tree.scene()->gaussian_count(), 0u);
    (void)picture_of(tree);
}

TEST_F(SceneParts, CloudsAndGaussiansAreCopiedAndMovedAsAWhole) {
    std::string points;
    for (int i = 0; i < 1200; ++i)
        points += std::to_string(i % 40) + " " + std::to_string(i / 40) + " 0\n";
    for (auto& [name, kind] :
         {std::pair<std::string, ItemKind>{"generate:splats,points=2000", ItemKind::cloud},
          {folder_.write("points.xyz", points), ItemKind::cloud},
          {"generate:gaussian-tree,gaussians=1000", ItemKind::gaussians}}) {
        auto document = load_document(name, "", true);
        auto& edited = document.edited;
        auto before = picture_of(document);
        edited.note_contents();
        auto n = static_cast<std::uint32_t>(edited.count(kind));
        ASSERT_GT(n, 0u) << name;
        change(document, [&](SceneEdits& edits) {
            edits.added.push_back({.kind = kind, .name = "copy", .copied = n - 1});
            edits.added.push_back({.kind = kind, .name = "copy of it", .copied = n});
        });
        Box original = edited.bounds_of({kind, n - 1});
        EXPECT_EQ(edited.bounds_of({kind, n + 1}).lo, original.lo) << name;
        float size = original.hi.x - original.lo.x;
        change(document, [&](SceneEdits& edits) {
            auto& place = edits.objects[object_of({kind, n})];
            place.translate.x = double(size) / 2;
            place.scale = vec3(0.5f);
            edits.objects[object_of({kind, n + 1})].rotate.y = 90;
        });
        Box moved = edited.bounds_of({kind, n});
        EXPECT_NEAR(moved.center().x, original.center().x + size / 2, 0.02f * size) << name;
        EXPECT_NEAR(moved.hi.x - moved.lo.x, size / 2, 0.02f * size) << name;
        EXPECT_EQ(edited.bounds_of({kind, n - 1}).lo, original.lo) << name;
        EXPECT_NE(picture_of(document), before) << name;
        auto opened = saved_and_opened(document);
        EXPECT_EQ(opened.edited.name({kind, n}), "copy");
        auto edits = edited.edits();
        change(document, [](SceneEdits& none) { none = {}; });
        EXPECT_EQ(picture_of(document), before) << name;
        edits.marks.deleted = {{kind, n}, {kind, n + 1}};
        (void)edited.apply(edits);
        edited.drop_deleted_additions(edits);
        EXPECT_EQ(edits, SceneEdits{}) << name;
    }
}

TEST_F(SceneParts, AnAdditionIsMadeAgainWithoutItsFile) {
    auto document = box();
    auto file = model();
    auto mesh = static_cast<std::uint32_t>(document.edited.count(ItemKind::mesh));
    auto before = picture_of(document);
    change(document, [&](SceneEdits& edits) { add_all(edits, document.edited, file); });
    std::uint32_t last = static_cast<std::uint32_t>(document.edited.count(ItemKind::mesh)) - 1;
    change(document, [&](SceneEdits& edits) {
        edits.marks.names[{ItemKind::mesh, last}] = "renamed";
        edits.marks.hidden.insert({ItemKind::mesh, mesh});
    });
    change(document, [&](SceneEdits& edits) {
        edits.objects[{ObjectKind::mesh, last}].translate = {0.1, 0.2, 0};
    });
    auto after = picture_of(document);
    auto edits = document.edited.edits();
    std::filesystem::remove(file);
    for (int i = 0; i < 2; ++i) {
        (void)document.edited.apply({});
        EXPECT_EQ(picture_of(document), before);
        EXPECT_EQ(document.scene()->meshes.size(), mesh);
        (void)document.edited.apply(edits);
        EXPECT_EQ(picture_of(document), after);
        EXPECT_EQ(document.edited.name({ItemKind::mesh, last}), "renamed");
        EXPECT_EQ(document.edited.name_before({ItemKind::mesh, last}), "Thing");
        EXPECT_EQ(document.edited.edits(), edits);
    }
    auto unnamed = edits;
    unnamed.marks = {};
    unnamed.objects.erase({ObjectKind::mesh, last});
    (void)document.edited.apply({});
    (void)document.edited.apply(unnamed);
    EXPECT_EQ(document.edited.mesh(last).positions[0], vec3(0)) << "where it was before it moved";
}

TEST_F(SceneParts, ACopyOfAGlowingObjectIsALightThatThePathTracerSamples) {
    auto path = folder_.write("glow.toml",
                              "[camera]\neye = [0, 2, 6]\ntarget = [0, 0, 0]\n"
                              "[[material]]\nname = \"glow\"\nemission = 5\n"
                              "[[mesh]]\nshape = \"plane\"\nscale = 10\n"
                              "[[mesh]]\nshape = \"plane\"\nname = \"lamp\"\nmaterial = \"glow\"\n"
                              "rotate = [180, 0, 0]\ntranslate = [-1, 2, 0]\n");
    auto document = load_document(path);
    auto light_of = [](const SceneDocument& of) {
        vec3 sum(0);
        for (auto& radiance : picture_of(of)) sum += radiance;
        return sum.x;
    };
    float one = light_of(document);
    change(document, [](SceneEdits& edits) {
        edits.added.push_back({.kind = ItemKind::mesh, .name = "lamp.001", .copied = 1u});
        edits.objects[{ObjectKind::mesh, 2}].translate = {2, 0, 0};
    });
    EXPECT_GT(light_of(document), 1.5f * one);
    EXPECT_LT(light_of(document), 2.5f * one);
    (void)saved_and_opened(document);
}

TEST_F(SceneParts, AnAddedLightShinesBesideDefaultLightsAndEmissiveSurfaces) {
    auto path = folder_.write("glow.toml",
                              "[camera]\neye = [0, 2, 6]\ntarget = [0, 0, 0]\n"
                              "[[material]]\nname = \"glow\"\nemission = 0.01\n"
                              "[[mesh]]\nshape = \"plane\"\nscale = 10\n"
                              "[[sphere]]\nmaterial = \"glow\"\nradius = 0.1\n");
    auto document = load_document(path);
    ASSERT_TRUE(document.scene()->default_lights);
    change(document, [](SceneEdits& edits) {
        edits.added.push_back(
            {.kind = ItemKind::light, .light = {.position = vec3(0, 3, 0), .radiance = vec3(50)}});
    });
    vec3 sum(0);
    for (auto& radiance : picture_of(document)) sum += radiance;
    EXPECT_GT(sum.x / (40 * 30), 0.3f);
    change(document, [](SceneEdits& edits) { edits = {}; });
    EXPECT_TRUE(document.scene()->default_lights);
}

TEST_F(SceneParts, AdditionsWhosePartsAreAllDeletedAreDropped) {
    auto document = box();
    auto& edited = document.edited;
    auto index = static_cast<std::uint32_t>(edited.count(ItemKind::mesh));
    change(document, [&](SceneEdits& edits) {
        edits.added.push_back({.name = "a", .shape = "cube"});
        edits.added.push_back({.name = "b", .shape = "cone"});
    });
    auto edits = edited.edits();
    edits.marks.deleted.insert({ItemKind::mesh, index});
    edited.drop_deleted_additions(edits);
    EXPECT_EQ(edits.added.size(), 2u) << "the last one stays";
    edits.marks.deleted.insert({ItemKind::mesh, index + 1});
    edited.drop_deleted_additions(edits);
    EXPECT_EQ(edits, SceneEdits{});
}

TEST_F(SceneParts, AFileThatIsWrittenByHandAddsHidesAndNames) {
    (void)model();
    auto path = folder_.write("scene.toml",
                              "[[mesh]]\nshape = \"torus\"\nname = \"ring\"\n[[sphere]]\n"
                              "[[sphere]]\nname = \"own\"\n"
                              "[[add]]\nsphere = \"added\"\n"
                              "[[add]]\nmesh = \"thing\"\nfile = \"thing.obj\"\n"
                              "[[override]]\nmesh = \"ring\"\nhidden = true\n"
                              "[[override]]\nsphere = 0\nname = \"ball\"\n");
    auto document = load_document(path);
    EXPECT_TRUE(document.scene()->warnings.lines().empty());
    EXPECT_EQ(document.edited.mesh(1).name, "thing");
    EXPECT_FALSE(document.edited.shows({ItemKind::mesh, 0}));
    for (auto& [index, name] : {std::pair{0u, "ball"}, {1u, "own"}, {2u, "added"}})
        EXPECT_EQ(document.edited.name({ItemKind::sphere, index}), name);
    // Hidden by the file, it can be shown again, and saved so.
    change(document, [](SceneEdits& edits) { edits.marks.hidden.clear(); });
    EXPECT_FALSE(document.scene()->meshes[0].triangles.empty());
    auto saved = folder_.path("shown.toml");
    (void)save_scene(document, document.scene()->camera, {}, saved);
    EXPECT_TRUE(load_document(saved).edited.shows({ItemKind::mesh, 0})) << read_file(saved);
}

TEST_F(SceneParts, ErrorsOfAdditionsNameTheLine) {
    expect_error("[[add]]\nshape = \"cube\"\n", "scene.toml:1: [[add]] gives a name to one of");
    expect_error("[[add]]\nmesh = \"a\"\nshape = \"cubus\"\n",
                 "unknown shape 'cubus'; known: cube");
    expect_error("[[add]]\nmesh = \"a\"\n", "wants one of 'copy', 'shape' and 'file'");
    expect_error("[[add]]\nmesh = \"a\"\nfile = \"none.obj\"\n", "scene.toml:3: no file");
    expect_error("[[add]]\nmesh = \"a\"\ncopy = 3\n", "there is no mesh 3; the scene has 0");
    expect_error("[[add]]\nsphere = \"a\"\nmaterial = \"red\"\n", "there is no material 'red'");
    expect_error("[[add]]\nlight = \"a\"\nkind = \"lamp\"\n", "unknown kind of light 'lamp'");
    expect_error("[[add]]\ncloud = \"a\"\n", "wants 'copy'");
    expect_error("[[override]]\nmaterial = 0\nhidden = true\n", "hide what has it");
    expect_error(
        "[[generate]]\nkind = \"splats\"\npoints = 100\n"
        "[[override]]\ncloud = 0\nscale = [1, 2, 1]\n",
        "a cloud takes one scale for all axes");
    expect_error("[[override]]\ncloud = 0\nhidden = true\n", "there is no cloud 0");
}

}  // namespace
}  // namespace tl::scene_parts_tests
