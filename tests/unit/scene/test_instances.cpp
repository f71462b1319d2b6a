// Instances, without a device: rejected input, bounds, counts, merged meshes.
#include "renderer/scene/instances.h"

#include <gtest/gtest.h>

#include <glm/gtc/matrix_transform.hpp>

#include "renderer/scene/live/live_scene.h"
#include "renderer/scene/loaders/loader.h"
#include "tests/unit/temp_folder.h"

namespace tl::instances_tests {
namespace {

using test::refusal;
using test::TempFolder;

constexpr const char* kTree =
    "[[mesh]]\nname = \"tree\"\ninstanced = true\n"
    "positions = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]\ntriangles = [[0, 1, 2]]\n";  // lines 1 to 5

Scene load(const TempFolder& folder, const std::string& text) {
    return load_scene(folder.write("a.toml", text));
}

/// One instanced triangle with three instances.
Scene three_triangles() {
    Scene scene;
    scene.materials.emplace_back();
    Mesh mesh;
    mesh.name = "tree";
    mesh.positions = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    mesh.triangles = {{0, 1, 2}};
    mesh.material_of_triangle = {0};
    mesh.instanced = true;
    scene.meshes = {mesh};
    for (float x : {0.0f, 10.0f, 20.0f})
        scene.instances.push_back({0, glm::translate(mat4(1), vec3(x, 0, 0)), -1, {}});
    return scene;
}

TEST(SceneInstances, AreInBoundsAndCounts) {
    Scene scene = three_triangles();
    EXPECT_EQ(scene.triangle_count(), 1u);
    EXPECT_EQ(scene.visible_triangle_count(), 3u);
    EXPECT_EQ(bounds_of(scene).lo, vec3(0));
    EXPECT_EQ(bounds_of(scene).hi, vec3(21, 1, 0));
    scene.instances.clear();
    EXPECT_EQ(scene.visible_triangle_count(), 0u);
    EXPECT_TRUE(bounds_of(scene).empty());
}

TEST(SceneInstances, UnusableOnesAreRefusedByNumberBeforeAnythingIsAllocated) {
    auto stream = devices()[0]->create_stream();
    auto refused = [&](auto spoil) {
        auto scene = std::make_shared<Scene>(three_triangles());
        spoil(scene->instances[1]);
        return refusal([&] { LiveScene live(*stream, scene); });
    };
    EXPECT_EQ(refused([](Instance& i) { i.mesh = 7; }), "instance 1: there is no mesh 7");
    EXPECT_EQ(refused([](Instance& i) { i.material = 3; }), "instance 1: there is no material 3");
    EXPECT_EQ(refused([](Instance& i) { i.transform[1] = vec4(0); }),
              "instance 1: its transform is singular: a scale of 0");
    EXPECT_EQ(refused([](Instance& i) { i.transform[1] = i.transform[0]; }),
              "instance 1: its transform is singular: it flattens the mesh");
    EXPECT_EQ(refused([](Instance& i) { i.transform[0][3] = 1; }),
              "instance 1: its transform is not affine: the last row is not 0 0 0 1");
    EXPECT_EQ(refused([](Instance& i) { i.transform[2][2] = std::nanf(""); }),
              "instance 1: a number of its transform is not finite or beyond 1e15");
    EXPECT_EQ(refused([](Instance&) {}), "");
    auto scene = std::make_shared<Scene>(three_triangles());
    scene->meshes[0].instanced = false;
    EXPECT_EQ(refusal([&] { LiveScene live(*stream, scene); }),
              "instance 0: mesh 'tree' is not marked as instanced");
}

TEST(SceneInstances, SmallAndStretchedTransformsAreNotSingular) {
    EXPECT_EQ(transform_fault(glm::scale(mat4(1), vec3(1e-6f))), "");
    EXPECT_EQ(transform_fault(glm::scale(mat4(1), vec3(1e-5f, 1, 1e5f))), "");
    EXPECT_EQ(transform_fault(glm::scale(mat4(1), vec3(-1, 1, 1))), "");
    mat4 m = glm::rotate(glm::scale(mat4(1), vec3(1e-3f, 5, 1)), 1.0f, vec3(1, 2, 3));
    mat4 product = m * inverse_transform(m);
    for (int c = 0; c < 4; ++c)
        for (int r = 0; r < 4; ++r) EXPECT_NEAR(product[c][r], c == r, 2e-4);  // 1e3 in floats
}

TEST(SceneInstances, WalksAreWholeRoundsAndSteps) {
    // Once around is 4 pi m; 10 s at 3 m/s make 2.39 rounds, 25.13 m in steps of 0.5 m.
    WalkCycle cycle = cycle_of({-2, 3, 0.5f, 0.1f}, 10);
    EXPECT_EQ(cycle.radius, -2);
    EXPECT_EQ(cycle.turns, 2);
    EXPECT_EQ(cycle.steps, 50);
    EXPECT_EQ(cycle.bob, 0.1f);
    EXPECT_EQ(cycle_of({50, 0.1f, 1, 0}, 10).turns, 1);    // however slow
    EXPECT_EQ(cycle_of({2, 3, 0.5f, 0.1f}, 0).radius, 0);  // where nothing moves
    EXPECT_EQ(cycle_of({}, 10).radius, 0);
}

TEST(SceneInstances, MergedMeshesKeepTheirTrianglesAndMaterials) {
    Scene scene = three_triangles();
    scene.meshes.push_back(scene.meshes[0]);
    scene.meshes[1].name = "crown";
    scene.meshes[1].material_of_triangle = {4};
    scene.meshes[1].normals.assign(3, vec3(0, 0, 1));
    for (auto& p : scene.meshes[1].positions) p.y += 5;
    merge_meshes(scene, 0);
    ASSERT_EQ(scene.meshes.size(), 1u);
    const Mesh& mesh = scene.meshes[0];
    EXPECT_EQ(mesh.name, "tree");
    EXPECT_EQ(mesh.triangles, (std::vector<glm::uvec3>{{0, 1, 2}, {3, 4, 5}}));
    EXPECT_EQ(mesh.material_of_triangle, (std::vector<std::int32_t>{0, 4}));
    EXPECT_EQ(mesh.positions[3], vec3(0, 5, 0));
    EXPECT_EQ(mesh.normals.size(), 6u);
    EXPECT_EQ(mesh.normals[0], vec3(0));  // the triangle's own
    EXPECT_EQ(mesh.normals[4], vec3(0, 0, 1));
    EXPECT_TRUE(mesh.uvs.empty());
}

TEST(SceneFileInstances, PlaceCopiesByTransformOrMatrix) {
    TempFolder folder;
    Scene scene = load(folder, std::string(R"(
[[material]]
name = "gold"
kind = "mirror"
[[instances]]
mesh = "tree"
[[instances]]
mesh = "tree"
scale = 2
rotate = [0, 90, 0]
translate = [5, 0, 0]
material = "gold"
walk = { radius = 3, speed = 2, stride = 0.4, bob = 0.1 }
[[instances]]
mesh = "tree"
matrix = [[1, 0, 0, 7], [0, 1, 0.5, 8], [0, 0, 3, 9]]
)") + kTree);
    EXPECT_TRUE(scene.warnings.empty());
    ASSERT_EQ(scene.meshes.size(), 1u);
    EXPECT_TRUE(scene.meshes[0].instanced);
    ASSERT_EQ(scene.instances.size(), 3u);
    EXPECT_EQ(scene.instances[0].transform, mat4(1));
    EXPECT_EQ(scene.instances[0].material, -1);
    EXPECT_EQ(scene.instances[0].walk.radius, 0);
    auto at = [&](std::size_t i, vec3 p) {
        return vec3(scene.instances[i].transform * vec4(p, 1));
    };
    EXPECT_LT(glm::length(at(1, {1, 1, 0}) - vec3(5, 2, -2)), 1e-5f);
    EXPECT_EQ(scene.instances[1].material, 1);
    EXPECT_EQ(scene.instances[1].walk.radius, 3);
    EXPECT_EQ(scene.instances[1].walk.stride, 0.4f);
    EXPECT_EQ(scene.duration, 6);
    EXPECT_EQ(at(2, {1, 2, 4}), vec3(8, 12, 21));
    // The camera frames them.
    EXPECT_GT(glm::length(scene.camera.eye - scene.camera.target), 3);
}

TEST(SceneFileInstances, TenThousandTakeThreeLines) {
    TempFolder folder;
    std::string text = std::string(kTree) +
                       "[[instances]]\nmesh = \"tree\"\n"
                       "scatter = { count = 10000, size = [200, 100], seed = 3 }\n";
    Scene scene = load(folder, text);
    EXPECT_TRUE(scene.warnings.empty());
    ASSERT_EQ(scene.instances.size(), 10000u);
    Box places;
    for (auto& instance : scene.instances) {
        vec3 p(instance.transform[3]);
        places.extend(p);
        EXPECT_EQ(p.y, 0);
        EXPECT_EQ(transform_fault(instance.transform), "");
    }
    EXPECT_GT(places.hi.x, 98);
    EXPECT_LE(places.hi.x, 100);
    EXPECT_LT(places.lo.z, -48);
    EXPECT_GE(places.lo.z, -50);
    // The same file has the same positions; another seed has others.
    auto again = load(folder, text);
    EXPECT_EQ(again.instances[777].transform, scene.instances[777].transform);
    text.replace(text.find("seed = 3"), 8, "seed = 4");
    EXPECT_NE(load(folder, text).instances[777].transform, scene.instances[777].transform);
}

TEST(SceneFileInstances, AScatterWithoutJitterIsARegularGridMovedByTheTransform) {
    TempFolder folder;
    Scene scene = load(folder, std::string(kTree) +
                                   "[[instances]]\nmesh = \"tree\"\ntranslate = [0, 7, 0]\n"
                                   "scatter = { count = 6, size = [3, 2], jitter = 0, turn = false,"
                                   " scale = [2, 2] }\n");
    ASSERT_EQ(scene.instances.size(), 6u);
    for (int i = 0; i < 6; ++i) {
        mat4 m = scene.instances[static_cast<std::size_t>(i)].transform;
        EXPECT_LT(glm::length(vec3(m[3]) - vec3(i % 3 - 1, 7, i / 3 - 0.5f)), 1e-5f) << i;
        EXPECT_EQ(m[0], vec4(2, 0, 0, 0));
    }
}

TEST(SceneFileInstances, MeshesOfFilesAndGeneratorsAreMergedAndBringNoCamera) {
    TempFolder folder;
    folder.write("two.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\no a\nf 1 2 3\no b\nf 1 3 2\n");
    Scene scene = load(folder,
                       "[[mesh]]\nfile = \"two.obj\"\nname = \"two\"\ninstanced = true\n"
                       "[[generate]]\nkind = \"soup\"\ntriangles = 5\nname = \"soup\"\n"
                       "instanced = true\nscale = 3\n"
                       "[[instances]]\nmesh = \"two\"\n[[instances]]\nmesh = \"soup\"\n");
    ASSERT_EQ(scene.meshes.size(), 2u);
    EXPECT_EQ(scene.meshes[0].triangles.size(), 2u);
    EXPECT_EQ(scene.meshes[1].triangles.size(), 5u);
    EXPECT_EQ(scene.instances[1].mesh, 1u);
    EXPECT_EQ(scene.background, vec3(0));  // not the soup's
    EXPECT_EQ(scene.visible_triangle_count(), 7u);
}

TEST(SceneFileInstances, AMeshOfSeveralObjectsMovesAsOne) {
    TempFolder folder;
    folder.write("two.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\no a\nf 1 2 3\no b\nf 1 3 2\n");
    Scene scene = load(folder,
                       "[[mesh]]\nfile = \"two.obj\"\nname = \"two\"\ninstanced = true\n"
                       "animation = { kind = \"explode\", distance = 3 }\n"
                       "[[instances]]\nmesh = \"two\"\n");
    ASSERT_EQ(scene.meshes.size(), 1u);
    EXPECT_EQ(scene.meshes[0].triangles.size(), 2u);
    EXPECT_EQ(scene.meshes[0].animation.kind, AnimationKind::explode);
    EXPECT_EQ(scene.meshes[0].animation.distance, 3);
    EXPECT_GT(scene.duration, 0);
}

TEST(SceneFileInstances, ErrorsNameFileAndLine) {
    TempFolder folder;
    auto refused = [&](const std::string& instances) {
        return refusal([&] { (void)load(folder, kTree + instances); });
    };
    auto in_table = [&](const std::string& lines) {
        return refused("[[instances]]\nmesh = \"tree\"\n" + lines);
    };
    TL_EXPECT_CONTAINS(refused("[[instances]]\n"), "a.toml:6: [[instances]] needs 'mesh'");
    TL_EXPECT_CONTAINS(refused("[[instances]]\nmesh = \"bush\"\n"),
                       "a.toml:7: no instanced mesh 'bush'; known: tree");
    TL_EXPECT_CONTAINS(refusal([&] { (void)load(folder, "[[instances]]\nmesh = \"a\"\n"); }),
                       "a.toml:2: no instanced mesh 'a'; mark a [[mesh]]");
    TL_EXPECT_CONTAINS(in_table("scale = 0\n"), "a.toml:8: a scale of 0");
    TL_EXPECT_CONTAINS(in_table("matrix = [[1, 0, 0, 0], [0, 1, 0, 0], [1, 1, 0, 0]]\n"),
                       "a.toml:8: [[instances]]: its transform is singular");
    TL_EXPECT_CONTAINS(in_table("matrix = [[1, 0, 0, 0], [0, 1, 0, 0]]\n"),
                       "a.toml:8: [[instances]] matrix has 2 rows");
    TL_EXPECT_CONTAINS(in_table("matrix = [[1, 0, 0], [0, 1, 0], [1, 1, 0]]\n"),
                       "it wants 4 numbers");
    TL_EXPECT_CONTAINS(in_table("matrix = [[1,0,0,0],[0,1,0,0],[0,0,1,0]]\nscale = 2\n"),
                       "a.toml:9: [[instances]] takes 'matrix' or 'scale', not both");
    TL_EXPECT_CONTAINS(in_table("scatter = 5\n"), "a.toml:8: scatter wants a table");
    TL_EXPECT_CONTAINS(in_table("scatter = { size = 5 }\n"),
                       "a.toml:8: [[instances]] scatter needs");
    TL_EXPECT_CONTAINS(in_table("scatter = { count = 0 }\n"), "a.toml:8:");
    TL_EXPECT_CONTAINS(in_table("scatter = { count = 1.5 }\n"), "count wants a whole number");
    TL_EXPECT_CONTAINS(in_table("scatter = { count = 3, jitter = 2 }\n"),
                       "jitter is 2; it wants 0");
    TL_EXPECT_CONTAINS(in_table("walk = { speed = 2 }\n"), "a.toml:8: [[instances]] walk needs");
    TL_EXPECT_CONTAINS(in_table("translate = [1e15, 0, 0]\nscale = 1e9\n"), "beyond 1e15");
    TL_EXPECT_CONTAINS(in_table("material = \"gold\"\n"), "a.toml:8: no material 'gold'");
    TL_EXPECT_CONTAINS(refused("[[mesh]]\ninstanced = true\npositions = [[0,0,0],[1,0,0],[0,1,0]]\n"
                               "triangles = [[0,1,2]]\n"),
                       "a.toml:7: an instanced mesh needs a 'name'");
    TL_EXPECT_CONTAINS(refused(kTree), "a second instanced mesh 'tree'");
    TL_EXPECT_CONTAINS(refused("[[generate]]\nkind = \"sphere-flake\"\nname = \"f\"\ndepth = 0\n"
                               "instanced = true\n"),
                       "only triangles can be instanced");
    EXPECT_EQ(load(folder, kTree + std::string("[[instances]]\nmesh = \"tree\"\nsize = 2\n"))
                  .warnings.size(),
              1u);
}

TEST(SceneFileInstances, AGeneratorsInstancesMoveWithIt) {
    TempFolder folder;
    Scene plain = load(folder, "[[generate]]\nkind = \"crowd\"\ncount = 50\n");
    Scene moved = load(folder,
                       "[[generate]]\nkind = \"crowd\"\ncount = 50\nscale = 2\n"
                       "translate = [0, 0, 9]\n");
    EXPECT_EQ(plain.instances.size(), 51u);  // and the statue
    ASSERT_EQ(moved.instances.size(), 51u);
    EXPECT_EQ(plain.meshes[0].positions, moved.meshes[0].positions);
    vec4 p(0.1f, 0.2f, 0.3f, 1);
    for (std::size_t i : {0, 17, 50}) {
        vec3 expected = 2.0f * vec3(plain.instances[i].transform * p) + vec3(0, 0, 9);
        EXPECT_LT(glm::length(vec3(moved.instances[i].transform * p) - expected), 1e-4f);
        EXPECT_FLOAT_EQ(moved.instances[i].walk.radius, 2 * plain.instances[i].walk.radius);
    }
}

TEST(Crowd, HasAsManyAsAskedForOfTwoMeshes) {
    Scene scene = load_scene("generate:crowd,count=10000");
    EXPECT_EQ(scene.instances.size(), 10001u);
    EXPECT_EQ(scene.meshes[0].triangles.size(), 4712u);
    std::size_t n_chicks = 0, n_gold = 0;
    for (auto& instance : scene.instances) {
        EXPECT_EQ(transform_fault(instance.transform), "");
        n_chicks += instance.mesh == 1;
        n_gold += instance.material >= 0;
    }
    EXPECT_NEAR(double(n_chicks), 1500, 150);
    EXPECT_NEAR(double(n_gold), 85, 40);
    EXPECT_GT(scene.visible_triangle_count(), 47'000'000u);
    EXPECT_EQ(load_scene("generate:crowd,count=3,walk=false").instances[0].walk.radius, 0);
}

}  // namespace
}  // namespace tl::instances_tests
