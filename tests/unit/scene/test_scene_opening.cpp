#include <sys/stat.h>

#include <algorithm>
#include <cmath>

#include "core/base/text.h"
#include "renderer/scene/generators/generators.h"
#include "renderer/scene/loaders/loader.h"
#include "tests/sanitized.h"
#include "tests/source_path.h"
#include "tests/unit/temp_folder.h"

namespace tl::scene_opening_tests {
namespace {

using test::Environment;
using test::refusal;
using test::TempFolder;

constexpr const char* kTriangleMesh =
    "[[mesh]]\npositions = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]\ntriangles = [[0, 1, 2]]\n";

TEST(LoadScene, GoesByEndingThenByContent) {
    TempFolder folder;
    std::string obj = "# mesh\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    EXPECT_EQ(load_scene(folder.write("a.OBJ", obj)).triangle_count(), 1u);
    EXPECT_EQ(load_scene(folder.write("mesh", obj)).triangle_count(), 1u);
    EXPECT_EQ(load_scene(folder.write("scene.txt", kTriangleMesh)).triangle_count(), 1u);
    std::string message = refusal([&] { (void)load_scene(folder.write("a.jpg", "\x89 what")); });
    TL_EXPECT_CONTAINS(message, "a.jpg: unknown kind of scene; known endings: .toml, .obj");
    TL_EXPECT_CONTAINS(refusal([&] { (void)load_scene(folder.path("none.toml")); }),
                       "none.toml: no such file");
    TL_EXPECT_CONTAINS(refusal([&] { (void)load_scene(folder.path("")); }), "folder");
    TL_EXPECT_CONTAINS(refusal([] { (void)load_scene("/dev/zero"); }), "not a regular file");
    EXPECT_NE(refusal([] { (void)load_scene(""); }), "");
}

TEST(LoadScene, WhatHasNothingToShowSaysSo) {
    TempFolder folder;
    for (const char* text :
         {"background = 1\n",
          "[[light]]\nkind = \"point\"\nposition = [0, 0, 0]\nintensity = 1\n"}) {
        Scene scene = load_scene(folder.write("a.toml", text));
        ASSERT_EQ(scene.warnings.size(), 1u) << text;
        TL_EXPECT_CONTAINS(scene.warnings[0], "a.toml is empty: there is nothing to show");
    }
    for (const char* text :
         {"[[sphere]]\n", kTriangleMesh,
          "[[light]]\nkind = \"sphere\"\nposition = [0, 0, 0]\nradiance = 1\nradius = 1\n"})
        EXPECT_TRUE(load_scene(folder.write("a.toml", text)).warnings.empty()) << text;
    for (const char* name : {"a", "a.toml"})
        TL_EXPECT_CONTAINS(refusal([&] { (void)load_scene(folder.write(name, "")); }),
                           std::string(name) + ": is empty");
}

TEST(LoadScene, PipesAreRefusedWhereverAFileIsNamed) {
    TempFolder folder;
    std::string pipe = folder.path("pipe");
    ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
    TL_EXPECT_CONTAINS(refusal([&] { (void)load_scene(pipe); }), "a pipe");
    TL_EXPECT_CONTAINS(refusal([&] { (void)load_scene("generate:blob", pipe + ".hdr"); }),
                       "no such file");
    for (const char* text :
         {"environment = \"pipe\"\n", "[[material]]\nname = \"m\"\ntexture = \"pipe\"\n",
          "[[mesh]]\nfile = \"pipe\"\n", "[[patches]]\nfile = \"pipe\"\n"})
        TL_EXPECT_CONTAINS(refusal([&] { (void)load_scene(folder.write("a.toml", text)); }),
                           "a pipe");
}

TEST(LoadScene, ShippedScenesOpenWithoutWarnings) {
    TempFolder folder;
    Environment models("TREELIGHT_MODELS", folder.path(""));
    folder.write("bunny.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    const std::pair<const char*, std::size_t> scenes[] = {{"cornell-box", 10},
                                                          {"cornell-box-original", 30},
                                                          {"sphere-flake", 2},
                                                          {"terrain", 1'000'000},
                                                          {"atrium", 265'192},
                                                          {"soup", 100'000},
                                                          {"bunny", 3},
                                                          {"crowd", 9'426},
                                                          {"exploding-bunny", 3},
                                                          {"explosion", 29'972},
                                                          {"waves", 500'000},
                                                          {"toasters", 11'240},
                                                          {"toasters-glass", 11'240},
                                                          {"toasters-mirror", 11'240}};
    // Generated surfaces, whose resolution only approximates a number of triangles.
    const std::pair<const char*, std::size_t> about[] = {
        {"forest", 178'000},       {"forest-glass", 178'000}, {"dragon", 100'000},
        {"cloth-on-ball", 92'000}, {"bunny-dragon", 92'000},  {"exploding-dragon", 252'000}};
    auto count = [](const char* name) {
        SCOPED_TRACE(name);
        Scene scene = load_scene(source_path(concatenated({"scenes/", name, ".toml"})));
        EXPECT_TRUE(scene.warnings.empty()) << scene.warnings[0];
        EXPECT_FALSE(scene.lights.empty());
        EXPECT_EQ(scene.settings["render"]["renderer"], "whitted");
        EXPECT_NE(scene.name, name);
        return scene.triangle_count();
    };
    // Larger ones take long under sanitizers.
    std::size_t most = test::kSanitized ? 50'000 : 10'000'000;
    for (auto& [name, triangles] : scenes) {
        if (triangles >= most) continue;
        EXPECT_EQ(count(name), triangles) << name;
    }
    for (auto& [name, triangles] : about) {
        if (triangles >= most) continue;
        auto wanted = static_cast<double>(triangles);
        EXPECT_NEAR(static_cast<double>(count(name)), wanted, 0.01 * wanted) << name;
    }
}

TEST(LoadScene, ShippedScenesOfPhotonsOpenWithoutWarnings) {
    for (auto [name, moves] : {std::pair{"caustics", true},
                               {"cornell-box-moving", true},
                               {"furnace", true},
                               {"nephroid", true},
                               {"pool", true},
                               {"thesis-box", true},
                               {"thesis-caustics", true},
                               {"thesis-dragon", true},
                               {"two-rooms", true}}) {
        SCOPED_TRACE(name);
        Scene scene = load_scene(source_path(concatenated({"scenes/", name, ".toml"})));
        EXPECT_TRUE(scene.warnings.empty()) << scene.warnings[0];
        EXPECT_EQ(scene.settings["render"]["renderer"], "photon");
        EXPECT_EQ(scene.duration > 0, moves);
        EXPECT_NE(scene.name, name);
    }
}

TEST(LoadScene, TheCornellBoxFilesAreTheGenerators) {
    for (auto [file, call] : {std::pair{"cornell-box", "generate:cornell-box"},
                              {"cornell-box-original", "generate:cornell-box,blocks=true"}}) {
        Scene a = load_scene(source_path("scenes/") + file + ".toml");
        Scene b = load_scene(call);
        EXPECT_EQ(a.triangle_count(), b.triangle_count());
        EXPECT_EQ(a.spheres.size(), b.spheres.size());
        for (std::size_t i = 0; i < a.spheres.size() && i < b.spheres.size(); ++i)
            EXPECT_LT(glm::length(a.spheres[i].center - b.spheres[i].center), 1e-6f);
        Box of_a = bounds_of(a), of_b = bounds_of(b);
        EXPECT_LT(glm::length(of_a.lo - of_b.lo) + glm::length(of_a.hi - of_b.hi), 1e-6f);
        EXPECT_EQ(a.lights[0].radiance, b.lights[0].radiance);
        EXPECT_LT(glm::length(a.camera.eye - b.camera.eye), 1e-6f);
        // The same faces in any order: compares the sums of their area vectors by material.
        auto faces = [](const Scene& scene) {
            std::vector<std::pair<std::string, vec3>> sums;
            for (auto& material : scene.materials) {
                vec3 sum(0);
                for (auto& mesh : scene.meshes)
                    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
                        auto m = static_cast<std::size_t>(mesh.material_of_triangle[t]);
                        if (scene.materials[m].name != material.name) continue;
                        vec3 p = mesh.positions[mesh.triangles[t].x];
                        sum += glm::cross(mesh.positions[mesh.triangles[t].y] - p,
                                          mesh.positions[mesh.triangles[t].z] - p);
                    }
                sums.emplace_back(material.name, sum);
            }
            return sums;
        };
        auto sums_a = faces(a), sums_b = faces(b);
        ASSERT_EQ(sums_a.size(), sums_b.size());
        for (std::size_t i = 0; i < sums_a.size(); ++i) {
            EXPECT_EQ(sums_a[i].first, sums_b[i].first);
            EXPECT_LT(glm::length(sums_a[i].second - sums_b[i].second), 1e-5f) << sums_a[i].first;
        }
    }
}

TEST(LoadScene, TheExampleOfTheDocumentationOpens) {
    std::ifstream file(source_path("docs/scene-files.md"));
    std::string text{std::istreambuf_iterator<char>(file), {}};
    auto begin = text.find("```toml\n") + 8;
    TempFolder folder;
    Scene scene =
        load_scene(folder.write("a.toml", text.substr(begin, text.find("```", begin) - begin)));
    EXPECT_TRUE(scene.warnings.empty()) << scene.warnings[0];
    EXPECT_EQ(scene.name, "A ball on a floor");
    for (auto& generator : generators()) {
        TL_EXPECT_CONTAINS(text, "| `" + generator.id + "` |");
        for (auto& key : generator.keys) {
            TL_EXPECT_CONTAINS(text, "`" + key + "` (");
        }
    }
}

TEST(Camera, FramesAnyBoxFromAnyDirection) {
    Box bounds{vec3(-3, 10, 2), vec3(7, 11, 5)};
    for (vec3 direction : {vec3(0, 0, 1), vec3(1, 2, 3), vec3(0, 1, 0), vec3(-1, -5, 0.1f)}) {
        Camera camera;
        camera.target = vec3(100);
        camera.eye = camera.target + direction;
        frame_all(camera, bounds, 1.5f);
        vec3 back = glm::normalize(camera.eye - camera.target);
        EXPECT_LT(glm::length(back - glm::normalize(direction)), 1e-4f);
        vec3 right = glm::normalize(glm::cross(camera.up, back)), up = glm::cross(back, right);
        float tan_y = std::tan(glm::radians(camera.vertical_fov) / 2), fill = 0;
        for (int corner = 0; corner < 8; ++corner) {
            vec3 p(corner & 1 ? bounds.hi.x : bounds.lo.x, corner & 2 ? bounds.hi.y : bounds.lo.y,
                   corner & 4 ? bounds.hi.z : bounds.lo.z);
            vec3 v = p - camera.eye;
            float depth = -glm::dot(v, back);
            EXPECT_GT(depth, 0);
            fill = std::max({fill, std::abs(glm::dot(v, up)) / (depth * tan_y),
                             std::abs(glm::dot(v, right)) / (depth * tan_y * 1.5f)});
        }
        EXPECT_LE(fill, 1);
        EXPECT_GT(fill, 0.85f);  // and no farther away than necessary
    }
}

TEST(Camera, FramingNothingOrAPointStaysFinite) {
    Camera camera;
    frame_all(camera, Box{}, 1);
    EXPECT_EQ(camera.eye, Camera{}.eye);
    frame_all(camera, Box{vec3(2), vec3(2)}, 1);
    EXPECT_EQ(camera.target, vec3(2));
    EXPECT_NEAR(glm::length(camera.eye - camera.target), 1, 1e-5);
}

TEST(Camera, FramingSomethingSmallFarAwayKeepsEyeAndTargetApart) {
    for (float far : {1e6f, 1e8f, -1e12f}) {
        Camera camera;
        frame_all(camera, Box{vec3(far), vec3(far)}, 1);
        EXPECT_EQ(camera_fault(camera), "") << far;
    }
}

TEST(LoadScene, NamesTheFileThatNoCameraCanShow) {
    TempFolder folder;
    std::string wide = "v 1e15 1e15 1e15\nv -1e15 1e15 1e15\nv 1e15 -1e15 1e15\nf 1 2 3\n";
    TL_EXPECT_CONTAINS(refusal([&] { (void)load_scene(folder.write("wide.obj", wide)); }),
                       "wide.obj: no camera can be placed that shows all of it: ");
}

TEST(BoundsOf, CountsSpheresAndRectangleLights) {
    Scene scene;
    scene.spheres.push_back({vec3(0), 2, 0});
    Light light;
    light.kind = LightKind::rectangle;
    light.position = {5, 5, 5};
    light.edge_u = {1, 0, 0};
    light.edge_v = {0, 0, -10};
    scene.lights.push_back(light);
    Light far;
    far.position = vec3(100);  // a point light is no geometry
    scene.lights.push_back(far);
    EXPECT_EQ(bounds_of(scene).lo, vec3(-2, -2, -5));
    EXPECT_EQ(bounds_of(scene).hi, vec3(6, 5, 5));
}

}  // namespace
}  // namespace tl::scene_opening_tests
