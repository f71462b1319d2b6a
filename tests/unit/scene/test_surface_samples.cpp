// Points sampled on the surfaces of scenes, and the files that they are written to.
#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>

#include <glm/gtc/matrix_transform.hpp>

#include "core/base/files.h"
#include "renderer/images/srgb.h"
#include "renderer/scene/export/point_export.h"
#include "renderer/scene/generators/generator_tools.h"
#include "renderer/scene/loaders/loader.h"
#include "renderer/scene/loaders/ply/ply_loader.h"
#include "renderer/scene/points/cloud_neighbours.h"
#include "tests/unit/temp_folder.h"

namespace tl::surface_samples_tests {
namespace {

using test::refusal;
using test::TempFolder;

/// A scene with a material 0, a ball of triangles and a box beside it.
Scene ball_and_box() {
    Scene scene;
    scene.materials.emplace_back();
    Mesh mesh = named_mesh("shapes");
    add_ball(mesh, vec3(0), vec3(1), 64, 32, 0);
    add_box(mesh, {2, -1, -1}, {3, 1, 1}, 0);
    scene.meshes.push_back(mesh);
    return scene;
}

/// Least distance between two points on the same side of a surface.
float least_distance(const SurfaceSamples& samples) {
    auto cloud = find_neighbours(samples.positions, *devices()[0]);
    float least = kInfinity;
    for (std::size_t i = 0; i < cloud.size(); ++i)
        cloud.for_each_near(i, [&](std::uint32_t other, vec3, float square) {
            if (glm::dot(samples.normals[cloud.order[i]], samples.normals[cloud.order[other]]) > 0)
                least = std::min(least, square);
        });
    return std::sqrt(least);
}

/// Distance of as many points in a hexagonal lattice of the same area.
float hexagonal_spacing(const SurfaceSamples& samples) {
    auto n = static_cast<double>(samples.positions.size());
    return static_cast<float>(std::sqrt(2 * samples.area / (std::sqrt(3.0) * n)));
}

TEST(SurfaceSamples, AreBlueNoise) {
    Scene scene = ball_and_box();
    for (std::size_t n : {200, 20'000}) {
        auto samples = sample_scene(scene, {.n_points = n, .time = {}});
        ASSERT_EQ(samples.positions.size(), n);
        // The ball's triangles cut off some area.
        EXPECT_NEAR(samples.area, 4 * double{kPi} + 16, 0.03);
        EXPECT_GE(least_distance(samples), 0.65f * hexagonal_spacing(samples)) << n;
        EXPECT_GE(least_distance(samples), samples.distance * 0.999f) << n;
        // The ball's fraction of the points is its fraction of the area; the more even the points,
        // the smaller the error.
        auto on_ball =
            std::ranges::count_if(samples.positions, [](vec3 p) { return glm::length(p) < 1.01f; });
        double share = 4 * double{kPi} / samples.area;
        EXPECT_NEAR(static_cast<double>(on_ball) / static_cast<double>(n), share, 0.03) << n;
    }
}

TEST(SurfaceSamples, AreTheSameInEveryRunAndOfEachSeedOthers) {
    Scene scene = ball_and_box();
    auto first = sample_scene(scene, {.n_points = 3000, .time = {}});
    auto other = sample_scene(scene, {.n_points = 3000, .seed = 2, .time = {}});
    oneapi::tbb::global_control one(oneapi::tbb::global_control::max_allowed_parallelism, 1);
    auto second = sample_scene(scene, {.n_points = 3000, .time = {}});
    EXPECT_EQ(first.positions, second.positions);
    EXPECT_EQ(first.normals, second.normals);
    EXPECT_NE(first.positions, other.positions);
}

TEST(SurfaceSamples, HaveNormalsAndColoursOfTheSurface) {
    Scene scene;
    scene.materials.resize(2);
    scene.materials[0].diffuse = vec3(0.5f, 1, 1);
    scene.materials[1].diffuse = vec3(0.25f);
    Texture& texture = scene.textures.emplace_back();
    texture.width = 2;
    texture.height = 1;
    texture.rgba = {255, 0, 0, 255, 0, 0, 255, 255};  // red on the left, blue on the right
    scene.materials[0].diffuse_texture = 0;
    Mesh& mesh = scene.meshes.emplace_back();
    mesh.positions = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    mesh.uvs = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    mesh.colors = std::vector<vec3>(4, vec3(0.5f, 1, 0.5f));
    mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
    mesh.material_of_triangle = {0, 0};
    scene.spheres.push_back({.center = {9, 0, 0}, .radius = 2, .material = 1, .color = {1, 0, 1}});
    auto samples = sample_scene(scene, {.n_points = 2000, .time = {}});
    std::size_t n_flat = 0;
    for (std::size_t i = 0; i < samples.positions.size(); ++i) {
        vec3 p = samples.positions[i], color = samples.colors[i];
        if (p.x > 2) {
            vec3 normal = glm::normalize(p - vec3(9, 0, 0));
            for (int k = 0; k < 3; ++k) ASSERT_NEAR(samples.normals[i][k], normal[k], 1e-5f);
            ASSERT_EQ(color, vec3(0.25f, 0, 0.25f));
            continue;
        }
        ++n_flat;
        ASSERT_EQ(samples.normals[i], vec3(0, 0, 1));
        vec3 expected = p.x < 0.5f ? vec3(0.25f, 0, 0) : vec3(0, 0, 0.5f);
        for (int k = 0; k < 3; ++k) ASSERT_NEAR(color[k], expected[k], 1e-6f) << p.x;
    }
    EXPECT_NEAR(static_cast<double>(n_flat), 2000 / (16 * double{kPi} + 1), 8);
}

TEST(SurfaceSamples, ColorsHaveTheBitsOfTheTexture) {
    Scene scene;
    scene.materials.resize(1);
    scene.materials[0].diffuse = vec3(1);
    scene.materials[0].diffuse_texture = 0;
    Texture& texture = scene.textures.emplace_back();
    texture.width = texture.height = 1;
    texture.is_srgb = false;
    texture.rgba = {1, 0, 255, 255};
    texture.lower = {2, 3, 254, 255};
    Mesh& mesh = scene.meshes.emplace_back();
    mesh.positions = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}};
    mesh.uvs = {{0, 0}, {1, 0}, {1, 1}};
    mesh.triangles = {{0, 1, 2}};
    mesh.material_of_triangle = {0};
    auto samples = sample_scene(scene, {.n_points = 10, .time = {}});
    vec3 color = samples.colors.at(0) * 65535.0f;
    EXPECT_NEAR(color.x, 258, 0.01f);
    EXPECT_NEAR(color.y, 3, 0.01f);
    EXPECT_NEAR(color.z, 65534, 0.01f);
}

TEST(SurfaceSamples, LeaveHolesOut) {
    Scene scene;
    scene.materials.resize(1);
    Texture& texture = scene.textures.emplace_back();
    texture.width = texture.height = 2;
    texture.rgba.assign(16, 255);
    texture.rgba[3] = 0;  // the upper left quarter
    scene.materials[0].alpha_texture = 0;
    Mesh& mesh = scene.meshes.emplace_back();
    mesh.positions = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}};
    mesh.uvs = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
    mesh.material_of_triangle = {0, 0};
    auto samples = sample_scene(scene, {.n_points = 3000, .time = {}});
    EXPECT_EQ(samples.positions.size(), 3000u);
    for (vec3 p : samples.positions) EXPECT_FALSE(p.x < 0.5f && p.y > 0.5f);
    EXPECT_NEAR(samples.area, 0.75, 0.02);  // estimated by the fraction of darts that hit
    texture.rgba.assign(16, 0);
    TL_EXPECT_CONTAINS(refusal([&] { (void)sample_scene(scene, {.n_points = 10, .time = {}}); }),
                       "the scene has no surfaces");
}

TEST(SurfaceSamples, FollowInstancesAndPatches) {
    Scene scene = ball_and_box();
    scene.meshes[0].instanced = true;
    mat4 place = glm::scale(glm::translate(mat4(1), vec3(0, 50, 0)), vec3(-2, 2, 2));
    scene.instances.push_back({.mesh = 0, .transform = place});
    auto samples = sample_scene(scene, {.n_points = 2000, .time = {}});
    EXPECT_NEAR(samples.area, 4 * (4 * double{kPi} + 16), 0.2);
    for (std::size_t i = 0; i < 2000; ++i) {
        vec3 from = samples.positions[i] - vec3(0, 50, 0);
        if (from.x < -3) continue;  // the box
        EXPECT_GT(glm::dot(from, samples.normals[i]), 1.9f);
    }
    Scene patches = load_scene("generate:patch-knot");
    EXPECT_EQ(sample_scene(patches, {.n_points = 500, .time = {}}).positions.size(), 500u);
    TL_EXPECT_CONTAINS(refusal([] { (void)sample_scene(Scene{}, {}); }), "no surfaces");
}

TEST(SurfaceSamples, AreFewWhereThereIsLittleRoom) {
    Scene scene = ball_and_box();
    EXPECT_EQ(sample_scene(scene, {.n_points = 1, .time = {}}).positions.size(), 1u);
    EXPECT_EQ(sample_scene(scene, {.n_points = 2, .time = {}}).positions.size(), 2u);
    // Floats have few representable positions on a triangle that is tiny and far away.
    Mesh& mesh = scene.meshes[0];
    mesh.positions = {{1000, 0, 0}, {1000.0001f, 0, 0}, {1000, 0.0001f, 0}};
    mesh.triangles = {{0, 1, 2}};
    EXPECT_EQ(sample_scene(scene, {.n_points = 5000, .time = {}}).positions.size(), 5000u);
    // On this triangle, they have a single one.
    mesh.positions = {{1e6f, 0, 0}, {1e6f, 1e-9f, 0}, {1e6f, 0, 1e-9f}};
    EXPECT_EQ(sample_scene(scene, {.n_points = 50'000, .time = {}}).positions.size(), 50'000u);
}

TEST(SurfaceSamples, AreReadBackFromTheirFile) {
    TempFolder folder;
    auto samples = sample_scene(ball_and_box(), {.n_points = 500, .time = {}});
    samples.colors.assign(500, vec3(0.25f, 0.5f, 1));
    for (glm::dvec3 offset : {glm::dvec3(0), glm::dvec3(4512300, 0, 0)}) {
        auto path = folder.path("out.ply");
        std::string bytes;
        std::size_t n_bytes = write_ply_points(path, samples, offset);
        bytes = read_file(path);
        EXPECT_EQ(n_bytes, bytes.size());
        Scene scene;
        PointCloud cloud = read_ply_points(scene, bytes, path);
        EXPECT_TRUE(scene.warnings.empty());
        ASSERT_EQ(cloud.positions.size(), 500u);
        for (std::size_t i = 0; i < 500; ++i) {
            EXPECT_EQ(cloud.positions[i], glm::dvec3(samples.positions[i]) + offset);
            for (int k = 0; k < 3; ++k)
                EXPECT_NEAR(cloud.normals[i][k], samples.normals[i][k], 1e-6f);
            EXPECT_FLOAT_EQ(cloud.areas[i], static_cast<float>(samples.area / 500));
            EXPECT_NEAR(cloud.colors[i].x, srgb_from_linear(0.25f), 0.5f / 255 + 1e-6f);
        }
    }
}

TEST(SurfaceSamples, StandInForTheMeshOfASceneFile) {
    TempFolder folder;
    folder.write("a.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n");
    std::string table = "[[mesh]]\nfile = \"a.obj\"\nscale = 2\ntranslate = [0, 0, 5]\n";
    Scene scene = load_scene(folder.write("a.toml", table + "sample = 300\n"));
    EXPECT_TRUE(scene.meshes.empty());
    ASSERT_EQ(scene.splats.size(), 300u);
    for (auto& splat : scene.splats) {
        EXPECT_EQ(splat.center.z, 5);
        EXPECT_LE(splat.center.x, 2);
        EXPECT_EQ(splat.normal, vec3(0, 0, 1));
    }
    scene = load_scene(folder.write("a.toml", table + "sample = 300\npoints = \"spheres\"\n"));
    EXPECT_EQ(scene.spheres.size(), 300u);
    std::string material = "[[material]]\nname = \"red\"\ndiffuse = [1, 0, 0]\n";
    scene =
        load_scene(folder.write("b.toml", material + table + "sample = 300\nmaterial = \"red\"\n"));
    ASSERT_EQ(scene.splats.size(), 300u);
    EXPECT_EQ(scene.materials[static_cast<std::size_t>(scene.splats[7].material)].diffuse,
              vec3(1, 0, 0));
    auto said_of = [&](const std::string& more) {
        return refusal([&] { (void)load_scene(folder.write("c.toml", table + more)); });
    };
    TL_EXPECT_CONTAINS(said_of("sample = 0\n"), "c.toml:5: ");
    TL_EXPECT_CONTAINS(said_of("sample = 1.5\n"), "wants a whole number");
    TL_EXPECT_CONTAINS(said_of("sample = 5\nanimation = { kind = \"wave\" }\n"),
                       "points do not move");
    TL_EXPECT_CONTAINS(said_of("sample = 5\nname = \"a\"\ninstanced = true\n"),
                       "only triangles can be instanced");
}

TEST(SurfaceSamples, StandInForTheSurfacesOfAGenerator) {
    TempFolder folder;
    std::string table = "[[generate]]\nkind = \"cornell-box\"\nblocks = true\nsample = 2000\n";
    Scene scene = load_scene(folder.write("a.toml", table));
    EXPECT_TRUE(scene.meshes.empty());
    ASSERT_EQ(scene.splats.size(), 2000u);
    EXPECT_EQ(scene.lights.size(), 1u);
    Scene box = load_scene("generate:cornell-box,blocks=true");
    EXPECT_EQ(scene.camera.eye, box.camera.eye);
    // Points have the colours of the walls that they lie on.
    for (auto& splat : scene.splats) {
        float least = std::min(splat.color.x, splat.color.y);
        bool is_green = splat.center.x < 1e-4f;
        bool is_white = splat.center.x > 0.05f && splat.center.x < 0.5f;
        EXPECT_TRUE(!is_green || splat.color.y > 2 * splat.color.x);
        EXPECT_TRUE(!is_white || least > 0.6f);
    }
    // Patches, too.
    scene = load_scene(folder.write(
        "b.toml", "[[generate]]\nkind = \"patch-knot\"\npatches = 100\nsample = 300\n"));
    EXPECT_EQ(scene.splats.size(), 300u);
    EXPECT_TRUE(scene.patches.empty());
    auto half = "[[generate]]\nkind = \"blob\"\nsample = 0.5\n";
    TL_EXPECT_CONTAINS(refusal([&] { (void)load_scene(folder.write("c.toml", half)); }),
                       "c.toml:3: ");
}

TEST(SurfaceSamples, OpeningACloudTellsItsProgressAndCanBeEnded) {
    TempFolder folder;
    std::string rows;
    for (int i = 0; i < 500; ++i)
        rows += std::to_string(i % 20) + " " + std::to_string(i / 20) + " 0\n";
    auto path = folder.write("a.xyz", rows);
    std::vector<double> shares;
    auto add = [&](const char* what, double share) {
        if (std::string_view(what) == "parsing") return;
        EXPECT_STREQ(what, "finding normals");
        shares.push_back(share);
    };
    (void)load_scene(path, "", false, {{.on_work = add}});
    EXPECT_TRUE(std::ranges::is_sorted(shares));
    EXPECT_EQ(shares.front(), 0);
    EXPECT_EQ(shares.back(), 1);
    auto end = [](const char* what, double share) {
        if (share > 0 && std::string_view(what) != "parsing") throw UserError("enough");
    };
    EXPECT_EQ(refusal([&] { (void)load_scene(path, "", false, {{.on_work = end}}); }), "enough");
}

TEST(SurfaceSamples, OutliersOfFilesAreToldAndDropped) {
    TempFolder folder;
    std::string grid;
    for (int i = 0; i < 20; ++i)
        for (int k = 0; k < 20; ++k) grid += std::to_string(i) + " " + std::to_string(k) + " 0\n";
    folder.write("a.xyz", grid + "90 90 90\n");
    Scene all = load_scene(folder.path("a.xyz"));
    EXPECT_EQ(all.spheres.size() + all.splats.size(), 401u);
    TL_EXPECT_CONTAINS(all.warnings.at(0),
                       "a.xyz: 1 points lie far from all others; "
                       "'drop-outliers = true'");
    Scene fewer = load_scene(folder.write(
        "a.toml",
        "[[mesh]]\nfile = \"a.xyz\"\ndrop-outliers = true\n[[mesh]]\nfile = \"a.xyz\"\n"));
    EXPECT_EQ(fewer.spheres.size() + fewer.splats.size(), 801u);
    TL_EXPECT_CONTAINS(fewer.warnings.at(0), "1 points lie far from all others and are left out");
}

}  // namespace
}  // namespace tl::surface_samples_tests
