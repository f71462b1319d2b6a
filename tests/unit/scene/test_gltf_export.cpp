// Scenes exported as .glb, as a glTF reader sees them and as the loader reads them back.
#include <cmath>
#include <fstream>
#include <glm/gtc/matrix_transform.hpp>

#include "accel/patch/patch_surface.h"
#include "accel/tree_builder.h"
#include "core/base/files.h"
#include "core/base/text.h"
#include "renderer/scene/export/tessellation.h"
#include "renderer/scene/instances.h"
#include "renderer/scene/live/animation.h"
#include "renderer/scene/live/live_scene.h"
#include "tests/source_path.h"
#include "tests/unit/scene/gltf_export_checks.h"

namespace tl::gltf_export_tests {
namespace {

using test::exported;
using test::json_of;
using test::quad;
using test::refusal;
using test::scene_of;
using test::TempFolder;

void expect_close(vec3 a, vec3 b, float error = 1e-6f) {
    EXPECT_LE(glm::distance(a, b), error * (1 + glm::length(b)))
        << a.x << " " << a.y << " " << a.z << ", not " << b.x << " " << b.y << " " << b.z;
}

void expect_same_light(const Light& a, const Light& b) {
    ASSERT_EQ(a.kind, b.kind);
    expect_close(a.radiance, b.radiance);
    if (b.kind != LightKind::directional) expect_close(a.position, b.position);
    if (b.kind == LightKind::directional || b.kind == LightKind::spot)
        expect_close(a.direction, b.direction);
    if (b.kind == LightKind::spot) {
        EXPECT_NEAR(a.inner_angle, b.inner_angle, 1e-4f);
        EXPECT_NEAR(a.outer_angle, b.outer_angle, 1e-4f);
    }
    if (b.kind == LightKind::rectangle) {
        expect_close(a.edge_u, b.edge_u);
        expect_close(a.edge_v, b.edge_v);
    }
    if (b.kind == LightKind::sphere) {
        EXPECT_EQ(a.radius, b.radius);
    }
}

/// The corners of all triangles that rays see, in the order of instances and triangles.
std::vector<vec3> corners_of(const Scene& scene) {
    std::vector<vec3> corners;
    auto add = [&](const Mesh& mesh, const mat4& m) {
        for (auto triangle : mesh.triangles)
            for (int k = 0; k < 3; ++k)
                corners.push_back(vec3(m * vec4(mesh.positions[triangle[k]], 1)));
    };
    for (auto& mesh : scene.meshes)
        if (!mesh.instanced) add(mesh, mat4(1));
    for (auto& instance : scene.instances) add(scene.meshes[instance.mesh], instance.transform);
    return corners;
}

void expect_same_corners(const Scene& a, const Scene& b, float error) {
    auto first = corners_of(a), second = corners_of(b);
    ASSERT_EQ(first.size(), second.size());
    for (std::size_t i = 0; i < first.size(); ++i) expect_close(first[i], second[i], error);
}

/// The corners of a scene's triangles as a renderer has them at a time.
std::vector<vec3> corners_at(const std::shared_ptr<Scene>& scene, float time) {
    auto& cpu = *devices()[0];
    auto stream = cpu.create_stream();
    LiveScene live(*stream, scene);
    live.set_builder(make_tree_builder("lbvh", cpu));
    Scratch scratch(*stream);
    StageTimer timer(*stream);
    live.update(scratch, timer, time);
    stream->synchronize();
    SceneView view = live.view();
    std::vector<vec3> corners;
    std::size_t n_own = scene->triangle_count();
    for (auto& mesh : scene->meshes) n_own -= mesh.instanced ? mesh.triangles.size() : 0;
    auto add = [&](std::size_t triangle, const AffineRows* place) {
        for (int k = 0; k < 3; ++k) {
            vec3 p = view.positions[view.triangles[triangle][k]];
            corners.push_back(place ? place->point(p) : p);
        }
    };
    for (std::size_t t = 0; t < n_own; ++t) add(t, nullptr);
    for (std::size_t i = 0; i < scene->instances.size(); ++i) {
        auto& instance = view.instances[i];
        std::size_t n = scene->meshes[scene->instances[i].mesh].triangles.size();
        for (std::size_t t = 0; t < n; ++t)
            add(instance.first_triangle + t, &instance.object_to_world);
    }
    return corners;
}

/// The mean of points, and of their squared distances to the origin.
struct Moments {
    glm::dvec3 mean{0};
    double square = 0;

    explicit Moments(const std::vector<vec3>& points) {
        for (vec3 p : points) {
            mean += glm::dvec3(p) / double(points.size());
            square += glm::dot(glm::dvec3(p), glm::dvec3(p)) / double(points.size());
        }
    }
    [[nodiscard]] double size() const { return std::sqrt(square); }
};

}  // namespace

TEST(GltfExport, ReadsBackLightsCameraAndSpheres) {
    TempFolder folder;
    Scene scene = scene_of(quad(0));
    scene.background = {0.25f, 0.5f, 2};
    scene.camera = {
        .eye = {1, 2, 3}, .target = {0.5f, 0, -1}, .up = {0.1f, 1, 0}, .vertical_fov = 33};
    scene.spheres = {{{1, 2, 3}, 0.7f, 0}, {{-4, 0, 0}, 1e-3f, 0}};
    Light light;
    light.position = {1, 5, -2};
    light.radiance = {3, 0.5f, 0};
    scene.lights.push_back(light);
    light.kind = LightKind::spot;
    light.direction = glm::normalize(vec3(0.3f, -1, 0.2f));
    light.inner_angle = 20;
    light.outer_angle = 31;
    scene.lights.push_back(light);
    light.kind = LightKind::directional;
    for (vec3 direction : {vec3(0, -1, 0), vec3(0, 0, 1), vec3(0.6f, 0, -0.8f)}) {
        light.direction = direction;
        scene.lights.push_back(light);
    }
    light.kind = LightKind::rectangle;
    light.edge_u = {0.3f, 0.1f, 0};
    light.edge_v = {0.1f, 0, 0.7f};
    light.radiance = {17, 12, 4};
    scene.lights.push_back(light);
    light.kind = LightKind::sphere;
    light.radius = 0.37f;
    scene.lights.push_back(light);

    GltfExportReport report;
    Scene again = exported(folder, scene, &report);
    EXPECT_TRUE(again.warnings.empty());
    ASSERT_EQ(again.lights.size(), scene.lights.size());
    for (std::size_t i = 0; i < scene.lights.size(); ++i)
        expect_same_light(again.lights[i], scene.lights[i]);
    EXPECT_EQ(again.background, scene.background);
    EXPECT_EQ(again.camera.eye, scene.camera.eye);
    EXPECT_NEAR(again.camera.vertical_fov, 33, 1e-4f);
    expect_close(glm::normalize(again.camera.target - again.camera.eye),
                 glm::normalize(scene.camera.target - scene.camera.eye));
    ASSERT_EQ(again.spheres.size(), 2u);
    EXPECT_EQ(again.spheres[0].center, vec3(1, 2, 3));
    EXPECT_EQ(again.spheres[0].radius, 0.7f);
    EXPECT_EQ(again.spheres[1].radius, 1e-3f);
    EXPECT_EQ(again.visible_triangle_count(), 2u);
    ASSERT_EQ(report.warnings.size(), 1u);
    TL_EXPECT_CONTAINS(report.warnings[0], "3 spheres of 16128 triangles each");
}

TEST(GltfExport, KeepsMeshesWithTheirMaterials) {
    TempFolder folder;
    Mesh mesh = quad(0.5f, 1, 2);
    mesh.normals.assign(4, vec3(0, 0.6f, 0.8f));
    mesh.uvs = {{0, 0}, {1, 0}, {1, 0.75f}, {0, 0.75f}};
    Scene scene = scene_of(mesh);
    for (auto* name : {"red", "blue \xff"}) scene.materials.emplace_back().name = name;
    scene.materials[1].diffuse = {0.7f, 0.1f, 0.1f};
    scene.materials[2].diffuse = {0.1f, 0.1f, 0.7f};
    Scene again = exported(folder, scene);
    ASSERT_EQ(again.meshes.size(), 2u);  // one for each material
    for (std::size_t i = 0; i < 2; ++i) {
        auto& part = again.meshes[i];
        EXPECT_EQ(part.positions.size(), 3u);
        ASSERT_EQ(part.triangles.size(), 1u);
        auto& material = again.materials[static_cast<std::size_t>(part.material_of_triangle[0])];
        EXPECT_EQ(material.diffuse, scene.materials[i + 1].diffuse);
        EXPECT_EQ(material.kind, MaterialKind::diffuse);
        for (int k = 0; k < 3; ++k) {
            auto v = part.triangles[0][k], source = mesh.triangles[i][k];
            EXPECT_EQ(part.positions[v], mesh.positions[source]);
            expect_close(part.normals[v], mesh.normals[source]);
            EXPECT_EQ(part.uvs[v], mesh.uvs[source]);
        }
    }
}

TEST(GltfExport, FlatFacesOfSmoothMeshesKeepTheirNormals) {
    TempFolder folder;
    Mesh mesh = quad(0);
    mesh.positions[3] = {0, 1, 1};
    mesh.normals.assign(4, vec3(0));  // of the triangles' planes
    mesh.normals[1] = vec3(0, 0, 2);
    Scene again = exported(folder, scene_of(mesh));
    ASSERT_EQ(again.meshes.size(), 1u);
    auto& made = again.meshes[0];
    EXPECT_EQ(made.positions.size(), 6u);
    expect_close(made.normals[made.triangles[0].y], {0, 0, 1});
    expect_close(made.normals[made.triangles[0].x], {0, 0, 1});
    expect_close(made.normals[made.triangles[1].x], glm::normalize(vec3(1, -1, 1)));
}

TEST(GltfExport, InstancesShareOneMesh) {
    TempFolder folder;
    Scene scene = scene_of(quad(0));
    scene.materials.emplace_back().diffuse = {0.9f, 0.2f, 0.1f};
    scene.meshes[0].instanced = true;
    mat4 turned = glm::rotate(glm::translate(mat4(1), {3, 1, 4}), 0.7f, {1, 2, 3});
    mat4 sheared(1);
    sheared[1] = {0.8f, 0.3f, -0.2f, 0};
    sheared[3] = {1, 2, 3, 1};
    for (const mat4& m :
         {turned, glm::scale(turned, {1, -2, 0.5f}), sheared, turned * sheared * turned})
        scene.instances.push_back({.mesh = 0, .transform = m});
    scene.instances.push_back({.mesh = 0, .transform = turned, .material = 1});
    scene.instances.push_back({.mesh = 0, .transform = mat4(1), .material = 1});
    GltfExportReport report;
    Scene again = exported(folder, scene, &report);
    EXPECT_EQ(report.n_meshes, 2);  // of two materials
    EXPECT_EQ(report.n_triangles, 4u);
    EXPECT_EQ(report.n_nodes, 1 + 6 + 2);  // the camera, and a second node for each shear
    EXPECT_EQ(again.instances.size(), 6u);
    EXPECT_EQ(again.triangle_count(), 4u);
    EXPECT_EQ(again.visible_triangle_count(), scene.visible_triangle_count());
    expect_same_corners(again, scene, 1e-6f);
    EXPECT_EQ(again.instances[0].transform, turned);
    auto& last = again.meshes[again.instances[5].mesh];
    auto material = static_cast<std::size_t>(last.material_of_triangle[0]);
    EXPECT_EQ(again.materials[material].diffuse, scene.materials[1].diffuse);
    auto written = json_of(folder.path("x.glb"));
    for (auto& node : written["nodes"])
        if (node.contains("matrix")) {
            vec3 column[3];
            for (int k = 0; k < 12; ++k)
                if (k % 4 < 3) column[k / 4][k % 4] = node["matrix"][std::size_t(k)].get<float>();
            EXPECT_NEAR(glm::dot(column[0], column[1]), 0, 1e-5f);
        }
}

TEST(GltfExport, RigidMotionIsTheSameAtAllTimes) {
    TempFolder folder;
    Joint outer, inner;
    outer.placement = glm::translate(glm::dmat4(1), {1, 0, -2});
    outer.translation = {{0, 1, 2}, {{0, 0, 0}, {0, 3, 0}, {1, 0, 0}}, Interpolation::linear};
    outer.scale = {{0.5f}, {{1, 2, 1}}, Interpolation::step};
    inner.rotation = {{0, 1.5f},
                      {glm::quat(1, 0, 0, 0), glm::normalize(glm::quat(0.5f, 0.2f, 0.7f, 0))},
                      Interpolation::linear};
    inner.translation = {{0.25f, 1.75f},
                         {{0, 0, 0}, {1, 0, 0}, {0, 2, 0}, {1, 1, 0}, {0, 1, 2}, {3, 0, 0}},
                         Interpolation::cubic};
    Mesh mesh = quad(0);
    mesh.animation.kind = AnimationKind::rigid;
    mesh.animation.rigid = {{outer, inner}, glm::translate(glm::dmat4(1), {-0.5, 0, 0})};
    mesh.animation.period = 2;
    Scene scene = scene_of(mesh);
    scene.duration = 6.2f;  // three rounds, each a little slower
    GltfExportReport report;
    Scene again = exported(folder, scene, &report);
    EXPECT_TRUE(report.warnings.empty());
    ASSERT_EQ(again.meshes.size(), 1u);
    EXPECT_FLOAT_EQ(again.duration, scene.duration);
    auto corner_at = [](const Scene& s, double time) {
        auto& moving = s.meshes[0].animation;
        double round = phase_of_round(phase_of(static_cast<float>(time), s.duration), moving.period,
                                      s.duration);
        double length = double(moving.period > 0 ? moving.period : s.duration);
        auto& m = s.meshes[0];
        glm::dvec4 p(glm::dvec3(m.positions[m.triangles[0].z]), 1);
        return vec3(moving.rigid.at(round * length) * p);
    };
    for (int i = 0; i < 97; ++i) {
        double time = 6.2 * (i + 0.37) / 97;
        expect_close(corner_at(again, time), corner_at(scene, time), 2e-5f);
    }
    // Without its animation, it stands as at the start.
    expect_close(again.meshes[0].positions[again.meshes[0].triangles[0].z], corner_at(scene, 0));
}

TEST(GltfExport, OtherMotionStandsStillWithAWarning) {
    TempFolder folder;
    Scene scene = scene_of(quad(0));
    scene.meshes[0].animation.kind = AnimationKind::wave;
    scene.duration = 3;
    scene.meshes.push_back(quad(1));
    scene.meshes[1].instanced = true;
    scene.instances.push_back({.mesh = 1, .transform = mat4(1), .walk = {.radius = 1}});
    scene.camera.lens_radius = 0.1f;
    scene.environment = {{1, 1}, {vec3(1)}, 0, vec3(1)};
    GltfExportReport report;
    Scene again = exported(folder, scene, &report);
    EXPECT_EQ(again.duration, 0);
    EXPECT_EQ(again.visible_triangle_count(), 4u);
    ASSERT_EQ(report.warnings.size(), 4u);
    TL_EXPECT_CONTAINS(report.warnings[0], "1 walking instance as at the start");
    TL_EXPECT_CONTAINS(report.warnings[1], "1 moving mesh as at the start");
    TL_EXPECT_CONTAINS(report.warnings[2], "environment map");
    TL_EXPECT_CONTAINS(report.warnings[3], "lens");
}

TEST(GltfExport, GaussiansAreLeftOutWithAWarning) {
    TempFolder folder;
    Scene scene = scene_of(quad(0));
    GaussianSet set;
    set.centers = {vec3(0), vec3(1)};
    set.covariances.resize(2);
    set.opacities = {1, 1};
    scene.gaussians.push_back(set);
    GltfExportReport report;
    Scene again = exported(folder, scene, &report);
    EXPECT_TRUE(again.gaussians.empty());
    ASSERT_EQ(report.warnings.size(), 1u);
    TL_EXPECT_CONTAINS(report.warnings[0], "without its 2 Gaussians");
}

TEST(GltfExport, AMomentOfAnyMotionCanBeWritten) {
    TempFolder folder;
    const float time = 1.3f;
    for (auto* name : {"generate:waves,triangles=500", "generate:explosion,triangles=500",
                       "generate:cloth,triangles=5000", "generate:toasters,count=1",
                       "generate:crowd,count=20,detail=0.25"}) {
        SCOPED_TRACE(name);
        auto scene = std::make_shared<Scene>(load_scene(name));
        auto report = export_gltf(*scene, folder.path("x.glb"), {}, time);
        for (auto& warning : report.warnings)
            EXPECT_EQ(warning.find("as at the start"), std::string::npos) << warning;
        Scene again = load_scene(folder.path("x.glb"));
        EXPECT_EQ(again.duration, 0);
        ASSERT_EQ(again.visible_triangle_count(), scene->visible_triangle_count());
        // The same positions as a renderer's, in another order: compares moments.
        Moments found(corners_of(again)), expected(corners_at(scene, time));
        Moments at_rest(corners_of(*scene));
        EXPECT_LT(glm::distance(found.mean, expected.mean), 1e-5 * expected.size());
        EXPECT_NEAR(found.square, expected.square, 1e-5 * expected.square);
        double moved = glm::distance(at_rest.mean, expected.mean) / expected.size() +
                       std::abs(at_rest.square - expected.square) / expected.square;
        EXPECT_GT(moved, 1e-4);
    }
}

TEST(GltfExport, PatchesBecomeTrianglesThatLieNear) {
    Scene teapot = load_scene(source_path("assets/teapot.bpt"));
    auto& set = teapot.patches.at(0);
    Mesh mesh = mesh_of_patches(set);
    ASSERT_GT(mesh.triangles.size(), 10'000u);
    std::size_t per_patch = mesh.positions.size() / set.size();
    float farthest = 0;
    for (auto triangle : mesh.triangles) {
        vec3 middle(0);
        vec2 uv(0);
        for (int k = 0; k < 3; ++k) {
            middle += mesh.positions[triangle[k]] / 3.0f;
            uv += mesh.uvs[triangle[k]] / 3.0f;
        }
        std::size_t patch = triangle.x / per_patch;
        PatchPoints points{};
        for (std::size_t i = 0; i < 16; ++i)
            for (int axis = 0; axis < 3; ++axis)
                points.of_axis[axis][i] = set.points[16 * patch + i][axis];
        auto surface = cpu::patch_surface_at(points, nullptr, uv.x, uv.y);
        farthest = std::max(farthest, glm::distance(middle, surface.position));
        vec3 face = glm::cross(mesh.positions[triangle.y] - mesh.positions[triangle.x],
                               mesh.positions[triangle.z] - mesh.positions[triangle.x]);
        EXPECT_GT(glm::dot(face, surface.normal), -1e-9f) << patch;  // none, at a cusp
    }
    Box box;
    for (auto& p : mesh.positions) box.extend(p);
    EXPECT_LT(farthest, 2e-4f * glm::length(box.hi - box.lo));
    TempFolder folder;
    GltfExportReport report;
    Scene again = exported(folder, teapot, &report);
    EXPECT_EQ(again.triangle_count(), mesh.triangles.size());
    ASSERT_EQ(report.warnings.size(), 1u);
    TL_EXPECT_CONTAINS(report.warnings[0], "32 Bezier patches as ");
}

TEST(GltfExport, ShippedScenesComeBackWhole) {
    TempFolder folder;
    for (auto* name : {"cornell-box", "cornell-box-original", "sphere-flake", "textures",
                       "toasters-glass", "glossy"}) {
        SCOPED_TRACE(name);
        Scene scene = load_scene(source_path(concatenated({"scenes/", name, ".toml"})));
        Scene again = exported(folder, scene);
        EXPECT_EQ(again.visible_triangle_count(), scene.visible_triangle_count());
        EXPECT_EQ(again.spheres.size(), scene.spheres.size());
        EXPECT_NEAR(again.duration, scene.duration, 1e-5f);
        ASSERT_EQ(again.lights.size(), scene.lights.size());
        for (std::size_t i = 0; i < scene.lights.size(); ++i)
            expect_same_light(again.lights[i], scene.lights[i]);
        Box a = bounds_of(scene), b = bounds_of(again);
        expect_close(a.lo, b.lo);
        expect_close(a.hi, b.hi);
    }
    Scene crowd = load_scene("generate:crowd,count=200,detail=0.25");
    Scene again = exported(folder, crowd);
    EXPECT_GE(again.instances.size(), 195u);  // a mesh of a single node becomes no instance
    EXPECT_EQ(again.visible_triangle_count(), crowd.visible_triangle_count());
}

TEST(GltfExport, RefusesWhatItCannotWriteAndKeepsTheOldFile) {
    TempFolder folder;
    Scene empty;
    TL_EXPECT_CONTAINS(refusal([&] { export_gltf(empty, folder.path("x.glb")); }),
                       "no surfaces, so there is nothing to export");
    Scene scene = scene_of(quad(0));
    TL_EXPECT_CONTAINS(refusal([&] { export_gltf(scene, folder.path("none/x.glb")); }), "none");
    std::string path = folder.write("x.glb", "old");
    TL_EXPECT_CONTAINS(refusal([&] { export_gltf(scene, path, [](int, int) { return false; }); }),
                       "nothing is written");
    EXPECT_EQ(read_file(path), "old");
    auto entries = std::filesystem::directory_iterator(folder.path(""));
    EXPECT_EQ(std::distance(begin(entries), end(entries)), 1);
}

TEST(GltfExport, WhatOthersChangedInItIsReadAsItIs) {
    TempFolder folder;
    Scene scene = scene_of(quad(0));
    scene.spheres = {{{0, 0, 0}, 2, 0}};
    Light lamp;
    lamp.kind = LightKind::rectangle;
    scene.lights = {lamp};
    export_gltf(scene, folder.path("x.glb"));
    std::string bytes = read_file(folder.path("x.glb"));
    auto changed = [&](const std::string& from, const std::string& to) {
        std::string text = bytes;
        auto place = text.find(from);
        EXPECT_NE(place, std::string::npos) << from;
        EXPECT_EQ(from.size(), to.size());
        text.replace(place, to.size(), to);
        return load_scene(folder.write("y.glb", text));
    };
    // A scale that makes an ellipsoid of the sphere; a name that is not known; a background that
    // is none.
    Scene stretched = changed("\"scale\":[2.0,2.0,2.0]", "\"scale\":[2.0,3.0,2.0]");
    EXPECT_TRUE(stretched.spheres.empty());
    EXPECT_EQ(stretched.triangle_count(), 2u + 16128u);
    Scene unknown = changed("rectangle-light", "rectangle-lighx");
    EXPECT_TRUE(unknown.lights.empty());
    EXPECT_EQ(unknown.triangle_count(), 4u);
    Scene bare = changed("_background\":[0.0,", "_background\":[-10,");
    EXPECT_NE(bare.background, vec3(0));
    // In a scene file's [[mesh]] everything is triangles.
    Scene part = load_scene(folder.write("a.toml", "[[mesh]]\nfile = \"x.glb\"\n"));
    EXPECT_TRUE(part.spheres.empty());
    EXPECT_EQ(part.triangle_count(), 2u + 2u + 16128u);
}

TEST(GltfExport, CutOffFilesAreRefused) {
    TempFolder folder;
    Scene scene = scene_of(quad(0));
    scene.meshes[0].instanced = true;
    scene.instances = {{.mesh = 0, .transform = mat4(1)}, {.mesh = 0, .transform = mat4(2)}};
    scene.instances[1].transform[3][3] = 1;
    export_gltf(scene, folder.path("x.glb"));
    EXPECT_EQ(test::read_truncated(folder, "y.glb", read_file(folder.path("x.glb")), 7,
                                   [](auto& path) { (void)load_scene(path); }),
              0);
}

}  // namespace tl::gltf_export_tests
