// What a chosen point sees, octrees of several builders, heights and sizes of leaves, and the light
// at points in files.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "accel/octree/octree_builder.h"
#include "app/jobs/illumination_saving.h"
#include "core/base/files.h"
#include "renderer/radiosity/radiosity_config.h"
#include "renderer/scene/generators/generators.h"
#include "renderer/scene/loaders/loader.h"
#include "tests/image/radiosity_scenes.h"
#include "tests/unit/temp_folder.h"

namespace tl::seen_points_tests {
namespace {

using test::furnace;
using test::kModes;
using test::with_renderer;

/// A session of the renderer `radiosity`, with a first frame.
struct PointSession {
    Session session;

    PointSession(Device& device, const std::shared_ptr<Scene>& scene) : session(device) {
        session.set_scene(scene);
        session.resize({24, 24});
        render();
    }
    void set(const char* id, const std::string& value) {
        session.settings().set("radiosity", id, value);
    }
    void render() {
        session.begin_frame();
        session.render_frame();
        session.end_frame();
    }
    TransportReport report() { return session.inspection().transport()->transport_report(); }
    std::vector<vec3> picture() { return session.film().radiance(session.stream()).rgb; }
};

std::shared_ptr<Scene> box_with_blocks(const char* points) {
    auto scene = std::make_shared<Scene>();
    generate(*scene, "cornell-box", {{"blocks", "true"}});
    return with_renderer(scene, points);
}

TEST(SeenPoints, InASphereEveryPointSeesAllOthers) {
    for (Device* device : devices())
        for (const char* mode : kModes) {
            auto scene = with_renderer(furnace(), "600");
            scene->settings["radiosity"]["mode"] = mode;
            PointSession at(*device, scene);
            SCOPED_TRACE(device->name() + ", " + mode);
            EXPECT_FALSE(at.report().seen);
            at.set("view", "cells");
            for (const char* kind : {"seen", "seen-exactly"}) {
                at.set("point-light", kind);
                at.render();
                ASSERT_TRUE(at.report().seen);
                EXPECT_EQ(at.report().seen->whole, at.report().n_points - 1) << kind;
                EXPECT_EQ(at.report().seen->in_part, 0u) << kind;
            }
            EXPECT_EQ(at.report().n_links_made, 1u);
        }
}

TEST(SeenPoints, LinksSeeAboutWhatTestsOfEachPointDo) {
    for (Device* device : devices()) {
        PointSession at(*device, box_with_blocks("2000"));
        SCOPED_TRACE(device->name());
        at.set("view", "cells");
        // The floor before the short block, and the wall behind both blocks.
        for (vec3 eye : {vec3(0.2f, 0.001f, 0.03f), vec3(0.3f, 0.15f, 0.558f)}) {
            at.set("seen-from-x", std::to_string(eye.x));
            at.set("seen-from-y", std::to_string(eye.y));
            at.set("seen-from-z", std::to_string(eye.z));
            auto seen = [&](const char* kind) {
                at.set("point-light", kind);
                at.render();
                auto counts = *at.report().seen;
                return static_cast<double>(counts.whole) +
                       0.5 * static_cast<double>(counts.in_part);
            };
            double exact = seen("seen-exactly"), linked = seen("seen");
            auto n = static_cast<double>(at.report().n_points);
            EXPECT_GT(exact, 0.2 * n);
            EXPECT_LT(exact, 0.9 * n);
            EXPECT_NEAR(linked, exact, 0.02 * n);
        }
    }
}

TEST(SeenPoints, TheChosenPointIsOnTheSideOfThePosition) {
    // A wall lit from both sides, and a floor to either side of it.
    auto scene = std::make_shared<Scene>();
    Mesh mesh;
    mesh.positions = {{-2, 0, -2}, {-2, 0, 2}, {2, 0, 2}, {2, 0, -2},
                      {0, 0, -2},  {0, 0, 2},  {0, 2, 2}, {0, 2, -2}};
    mesh.triangles = {{0, 1, 2}, {0, 2, 3}, {4, 5, 6}, {4, 6, 7}};
    mesh.material_of_triangle = {0, 0, 0, 0};
    scene->materials = {Material{}};
    scene->meshes = {mesh};
    for (float side : {-1.0f, 1.0f})
        scene->lights.push_back(
            {.kind = LightKind::point, .position = vec3(side, 1.5f, 0), .radiance = vec3(5)});
    scene->camera = {{0, 8, 0.1f}, {0, 0, 0}, {0, 0, 1}, 30};
    PointSession at(*devices()[0], with_renderer(scene, "800"));
    at.set("view", "cells");
    at.set("point-light", "seen-exactly");
    at.set("seen-from-y", "1");
    double left_over_right[2];
    for (int side : {0, 1}) {
        at.set("seen-from-x", side == 0 ? "-0.001" : "0.001");
        at.render();
        auto picture = at.picture();
        double halves[2] = {0, 0};
        for (std::size_t i = 0; i < picture.size(); ++i)
            halves[i % 24 / 12] += double(picture[i].z) - double(picture[i].y);
        left_over_right[side] = halves[0] / halves[1];
    }
    // The half of the floor on the other side of the wall is not seen.
    // In the picture, whose up is +z, x grows to the left.
    EXPECT_LT(left_over_right[0], 0.2);
    EXPECT_GT(left_over_right[1], 5);
}

TEST(PointOctree, AllBuildersMakeTheSameLinksAndLight) {
    std::vector<std::string> names;
    for (auto& row : names_of(PointOctree{})) names.emplace_back(row.name);
    std::vector<std::string> ids;
    for (auto& row : octree_builders()) ids.push_back(row.id);
    ASSERT_EQ(names, ids);
    for (Device* device : devices()) {
        auto scene = box_with_blocks("700");
        scene->settings["radiosity"]["octree-levels"] = "6";
        PointSession at(*device, scene);
        auto first = at.picture();
        auto links = at.report().levels;
        ASSERT_GT(links.size(), 3u);
        for (auto& id : ids) {
            at.set("octree", id);
            at.render();
            SCOPED_TRACE(device->name() + ", " + id);
            EXPECT_EQ(at.report().octree.builder, id);
            EXPECT_EQ(at.picture(), first);
            ASSERT_EQ(at.report().levels.size(), links.size());
            for (std::size_t level = 0; level < links.size(); ++level)
                EXPECT_EQ(at.report().levels[level].n_links(), links[level].n_links());
        }
    }
}

TEST(PointOctree, LowTreesHaveFewerLinksAndSeeWorse) {
    auto scene = box_with_blocks("3000");
    scene->settings["radiosity"]["check-points"] = "100";
    scene->settings["radiosity"]["bounces"] = "1";
    PointSession at(*devices()[0], scene);
    struct Result {
        double error;
        std::uint64_t n_links;
    };
    auto result = [&](int levels, int leaf_size) {
        at.set("octree-levels", std::to_string(levels));
        at.set("leaf-size", std::to_string(leaf_size));
        at.render();
        auto report = at.report();
        EXPECT_LE(report.octree.n_levels, levels + 1);
        std::uint64_t n_links = 0, n_of_counts = 0;
        for (auto& level : report.levels) n_links += level.n_links();
        for (auto& count : at.session.inspection().frame_counts())
            if (count.name == "links" || count.name == "links by bits of points")
                n_of_counts += count.value;
        EXPECT_EQ(n_links, n_of_counts);
        EXPECT_EQ(report.levels.front().n_nodes, 1u);
        return Result{*report.error, n_links};
    };
    auto whole = result(OctreeHeader::kLevels, 16), low = result(3, 16), large = result(21, 128);
    EXPECT_LT(whole.error, 0.02);
    EXPECT_GT(low.error, 1.5 * whole.error);
    EXPECT_GT(large.error, 1.5 * whole.error);
    EXPECT_LT(low.n_links, whole.n_links);
    EXPECT_LT(large.n_links, whole.n_links);
    // Each of the choices is the same when it is made again.
    EXPECT_EQ(result(21, 16).error, whole.error);
}

TEST(Illumination, APointOfASphereHasTheLightOfTheClosedForm) {
    auto scene = with_renderer(furnace(), "600");
    scene->settings["radiosity"]["bounces"] = "40";
    vec3 albedo = scene->materials[0].diffuse;
    for (Device* device : devices()) {
        PointSession at(*device, scene);
        auto map = at.session.inspection().transport()->illumination(at.session.stream());
        ASSERT_EQ(map.size(), at.report().n_points);
        float area = std::accumulate(map.areas.begin(), map.areas.end(), 0.0f);
        EXPECT_NEAR(area / (4 * kPi), 1, 1e-3) << device->name();
        for (std::size_t i = 0; i < map.size(); ++i) {
            EXPECT_NEAR(glm::length(map.positions[i]), 1, 1e-3);
            EXPECT_NEAR(glm::dot(map.normals[i], map.positions[i]), -1, 1e-3);
            for (int c = 0; c < 3; ++c) {
                // pi of direct light and all bounces; the transport of a point to itself is
                // missing.
                EXPECT_NEAR(map.irradiance[i][c] * (1 - albedo[c]) / kPi, 1, 0.04);
                EXPECT_EQ(map.radiosity[i][c], albedo[c] * map.irradiance[i][c]);
            }
        }
    }
}

TEST(Illumination, AFileIsShownByItsRadiosity) {
    test::TempFolder folder;
    auto path = folder.path("light.ply");
    PointSession at(*devices()[0], box_with_blocks("700"));
    at.session.settings().set("film", "tone", "linear");
    auto map = at.session.inspection().transport()->illumination(at.session.stream());
    auto saved = save_illumination(at.session, path);
    EXPECT_EQ(saved.n_points, map.size());
    EXPECT_EQ(saved.n_bytes, read_file(path).size());
    Scene scene = load_scene(path);
    ASSERT_EQ(scene.splats.size(), map.size());
    for (std::size_t i = 0; i < map.size(); ++i) {
        auto& splat = scene.splats[i];
        EXPECT_EQ(splat.center, map.positions[i]);
        EXPECT_EQ(splat.color, vec3(0));
        for (int c = 0; c < 3; ++c)
            EXPECT_NEAR(splat.emission[c] * kPi, map.radiosity[i][c],
                        1e-5f * map.radiosity[i][c] + 1e-9f);
    }
    // With its colours, those of the tone map: white where radiosity / pi is above 1.
    scene =
        load_scene(folder.write("a.toml", "[[mesh]]\nfile = \"light.ply\"\nradiosity = false\n"));
    ASSERT_EQ(scene.splats.size(), map.size());
    for (std::size_t i = 0; i < map.size(); ++i) {
        EXPECT_EQ(scene.splats[i].emission, vec3(0));
        for (int c = 0; c < 3; ++c)
            EXPECT_NEAR(scene.splats[i].color[c], std::min(map.radiosity[i][c] / kPi, 1.0f), 0.01f);
    }
}

}  // namespace
}  // namespace tl::seen_points_tests
