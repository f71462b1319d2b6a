// Patches among other primitives in trees of every builder and layout. No ray leaves a closed
// surface of patches, and rays that start on a patch do not hit it there. Hits agree with a dense
// tessellation, and moving patches are at the right position.
#include <tbb/parallel_for.h>

#include "tests/long_test.h"
#include "tests/oracle/embree_oracle.h"
#include "tests/oracle/live_tree.h"
#include "tests/oracle/patch_scenes.h"

#include "renderer/shading/surface.h"

namespace tl::TL_DEVICE_NAME {
namespace {

float unit(std::mt19937& engine) {
    return std::uniform_real_distribution<float>(0, 1)(engine);
}
vec3 direction(std::mt19937& engine) {
    std::normal_distribution<float> normal;
    float x = normal(engine), y = normal(engine);
    return glm::normalize(vec3(x, y, normal(engine)));
}

/// Points on patches, with position and normal, computed from the scene's control points.
struct OnPatch {
    PatchSurface surface;
    PatchPosition on_patch;
};

OnPatch point_on(const PatchSet& set, std::uint32_t patch, float u, float v) {
    PatchPoints points;
    PatchWeights weights;
    for (int k = 0; k < 16; ++k) {
        std::size_t at = std::size_t(16) * patch + static_cast<std::size_t>(k);
        weights.at[k] = set.weights.empty() ? 1 : set.weights[at];
        for (int axis = 0; axis < 3; ++axis)
            points.of_axis[axis][k] = set.points[at][axis] * weights.at[k];
    }
    return {patch_surface_at(points, set.weights.empty() ? nullptr : &weights, u, v),
            {patch, u, v}};
}

/// Points distributed over a set; every second one is on an edge or a corner of its patch.
std::vector<OnPatch> points_on(const PatchSet& set, std::size_t n, unsigned seed) {
    std::mt19937 engine(seed);
    std::vector<OnPatch> all;
    for (std::size_t i = 0; i < n; ++i) {
        auto patch = static_cast<std::uint32_t>(engine() % set.size());
        float u = unit(engine), v = unit(engine);
        if (i % 2) (engine() % 2 ? u : v) = float(engine() % 2);
        if (i % 8 == 7) u = v = float(engine() % 2);
        all.push_back(point_on(set, patch, u, v));
    }
    return all;
}

/// Rays from well inside, aimed at surface points, mainly at edges and corners of patches.
std::vector<Ray> rays_from_inside(const PatchSet& set, std::size_t n, float depth, unsigned batch) {
    constexpr std::size_t kChunk = 4096;
    std::vector<Ray> rays(n);
    tbb::parallel_for(std::size_t{0}, (n + kChunk - 1) / kChunk, [&](std::size_t chunk) {
        auto seed = 2 * static_cast<unsigned>(chunk) + (batch << 16);
        std::size_t first = chunk * kChunk, count = std::min(kChunk, n - first);
        auto inner = points_on(set, count, seed), targets = points_on(set, count, seed + 1);
        for (std::size_t i = 0; i < count; ++i) {
            Ray& ray = rays[first + i];
            ray.origin = inner[i].surface.position - depth * inner[i].surface.normal;
            // Half of them are aimed at their own neighbourhood, across the tube.
            vec3 target = i % 4 < 2 ? targets[i].surface.position : inner[i].surface.position;
            ray.direction = target - ray.origin;
        }
    });
    return rays;
}

void expect_no_escape(Device& device, Stream& stream, Scratch& scratch,
                      const std::shared_ptr<Scene>& scene, float depth, const char* name) {
    constexpr std::size_t kBatch = 1'000'000;
    const char* wanted = std::getenv("TREELIGHT_PATCH_RAYS");
    std::size_t n = wanted ? std::strtoull(wanted, nullptr, 10) : 60'000, n_escaped = 0;
    LiveTree tree(stream, scratch, scene);
    tree.build("hploc");
    for (std::size_t first = 0; first < n; first += kBatch) {
        auto rays = rays_from_inside(scene->patches[0], std::min(kBatch, n - first), depth,
                                     static_cast<unsigned>(first / kBatch));
        DeviceArray<Ray> on_device(stream, std::span<const Ray>(rays));
        auto answers = tree.trace(on_device);
        for (std::size_t i = 0; i < rays.size(); ++i)
            n_escaped += !answers.hits[i].found() + !answers.occluded[i];
    }
    std::printf("%s: %zu of %zu rays escaped\n", name, n_escaped, n);
    EXPECT_EQ(n_escaped, 0u) << name << " on " << device.name();
}

/// Tessellates every patch into a grid of triangles.
void tessellate(const PatchSet& set, int side, std::vector<vec3>& positions,
                std::vector<glm::uvec3>& triangles) {
    for (std::uint32_t patch = 0; patch < set.size(); ++patch) {
        auto first = static_cast<std::uint32_t>(positions.size());
        auto row = static_cast<std::uint32_t>(side + 1);
        for (int i = 0; i <= side; ++i)
            for (int j = 0; j <= side; ++j)
                positions.push_back(
                    point_on(set, patch, float(i) / float(side), float(j) / float(side))
                        .surface.position);
        for (std::uint32_t i = 0; i + 1 < row; ++i)
            for (std::uint32_t j = 0; j + 1 < row; ++j) {
                std::uint32_t a = first + i * row + j;
                triangles.emplace_back(a, a + row, a + 1);
                triangles.emplace_back(a + 1, a + row, a + row + 1);
            }
    }
}

std::vector<Ray> rays_around(const Box& bounds, std::size_t n) {
    std::mt19937 engine(11);
    std::vector<Ray> rays(n);
    vec3 center = 0.5f * (bounds.lo + bounds.hi), size = bounds.hi - bounds.lo;
    for (auto& ray : rays) {
        ray.origin = center + 1.2f * glm::length(size) * direction(engine);
        vec3 target = bounds.lo + vec3(unit(engine), unit(engine), unit(engine)) * size;
        ray.direction = glm::normalize(target - ray.origin);
    }
    return rays;
}

}  // namespace
}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(PatchScenes, NoRayLeavesAKnot) {
    expect_no_escape(device, stream, scratch, test::knot_scene(400), 0.1f, "knot");
}

TL_DEVICE_TEST(PatchScenes, NoRayLeavesASphereOfRationalPatchesWithPoles) {
    TL_LONG_TEST();
    expect_no_escape(device, stream, scratch, test::sphere_scene(), 0.5f, "sphere");
}

TL_DEVICE_TEST(PatchScenes, ARationalSphereIsASphere) {
    auto scene = test::sphere_scene();
    std::vector<Ray> rays = rays_around(bounds_of(*scene), 4000);
    DeviceArray<Ray> on_device(stream, std::span<const Ray>(rays));
    LiveTree tree(stream, scratch, scene);
    tree.build("hploc");
    auto answers = tree.trace(on_device);
    for (std::size_t i = 0; i < rays.size(); ++i) {
        glm::dvec3 o = rays[i].origin, d = rays[i].direction;
        double b = glm::dot(o, d), a = glm::dot(d, d), c = glm::dot(o, o) - 1;
        double discriminant = b * b - a * c;
        // The sphere's control points are rounded: rays along its silhouette may hit or miss.
        if (std::abs(discriminant) < 1e-5) continue;
        ASSERT_EQ(answers.hits[i].found(), discriminant > 0) << "ray " << i;
        if (!(discriminant > 0)) continue;
        double t = (-b - std::sqrt(discriminant)) / a;
        EXPECT_NEAR(double(answers.hits[i].t), t, 2e-6 / std::sqrt(discriminant)) << "ray " << i;
        auto& hit = answers.hits[i];
        vec3 normal = point_on(scene->patches[0], hit.primitive, hit.u, hit.v).surface.normal;
        EXPECT_GT(glm::dot(normal, vec3(o + t * d)), 0.9999f) << "ray " << i;
    }
}

TL_DEVICE_TEST(PatchScenes, RaysDoNotMeetThePlaceTheyStartAt) {
    TL_LONG_TEST();
    // Rays that leave a convex surface outwards hit nothing, however grazing they are.
    auto scene = test::sphere_scene();
    auto starts = points_on(scene->patches[0], 20000, 8);
    std::mt19937 engine(9);
    std::vector<Ray> rays;
    for (auto& start : starts) {
        Ray ray;
        vec3 normal = start.surface.normal,
             side = glm::normalize(glm::cross(normal, direction(engine)));
        float slope = std::pow(10.0f, -3 * unit(engine));
        ray.origin = start.surface.position;
        ray.direction = glm::normalize(side + slope * normal);
        ray.on_patch = start.on_patch;
        rays.push_back(ray);
    }
    DeviceArray<Ray> on_device(stream, std::span<const Ray>(rays));
    LiveTree tree(stream, scratch, scene);
    tree.build("hploc");
    auto answers = tree.trace(on_device);
    std::size_t n_hits = 0;
    for (std::size_t i = 0; i < rays.size(); ++i)
        n_hits += answers.hits[i].found() + answers.occluded[i];
    EXPECT_EQ(n_hits, 0u);
    // Reversed rays hit the opposite side.
    for (auto& ray : rays)
        ray.direction = -2.0f * glm::normalize(ray.origin) + 0.3f * ray.direction;
    on_device.assign(stream, rays);
    answers = tree.trace(on_device);
    for (std::size_t i = 0; i < rays.size(); ++i)
        ASSERT_TRUE(answers.hits[i].found()) << "ray " << i;
}

TL_DEVICE_TEST(PatchScenes, EveryTreeGivesTheSameHits) {
    TL_LONG_TEST();
    // Adds triangles and spheres to the patches.
    auto scene = test::teapot_scene();
    scene->spheres = {{{2.5f, 2, 1}, 0.7f, 0}, {{-1, -2.5f, 0.5f}, 0.5f, 0}};
    Mesh floor;
    floor.positions = {{-4, -4, 0}, {4, -4, 0}, {4, 4, 0}, {-4, 4, 0}};
    floor.triangles = {{0, 1, 2}, {0, 2, 3}};
    floor.material_of_triangle = {0, 0};
    scene->meshes.push_back(floor);
    std::vector<Ray> rays = rays_around(bounds_of(*scene), 3000);
    DeviceArray<Ray> on_device(stream, std::span<const Ray>(rays));
    LiveTree tree(stream, scratch, scene);
    tree.build("hploc");
    auto expected = tree.trace(on_device);
    std::size_t kinds[3] = {};
    for (auto& hit : expected.hits)
        if (hit.found()) ++kinds[hit.primitive < 2 ? 0 : hit.primitive < 4 ? 1 : 2];
    for (auto count : kinds) EXPECT_GT(count, 20u);
    for_every_tree(tree, device, [&](const std::string& name) {
        auto answers = tree.trace(on_device);
        std::size_t n_different = 0;
        for (std::size_t i = 0; i < rays.size(); ++i) {
            auto &a = answers.hits[i], &b = expected.hits[i];
            n_different += a.found() != b.found() || answers.occluded[i] != b.found() ||
                           (a.found() && std::abs(a.t - b.t) > 1e-5f * b.t);
        }
        // Fast triangle tests may change rays at an edge.
        EXPECT_LE(n_different, 2u) << name;
    });
}

TL_DEVICE_TEST(PatchScenes, ADenseTessellationAgrees) {
    auto scene = test::teapot_scene();
    std::vector<vec3> positions;
    std::vector<glm::uvec3> triangles;
    tessellate(scene->patches[0], 48, positions, triangles);
    auto rays = rays_around(bounds_of(*scene), 20000);
    DeviceArray<Ray> on_device(stream, std::span<const Ray>(rays));
    LiveTree tree(stream, scratch, scene);
    tree.build("hploc");
    auto answers = tree.trace(on_device);
    auto expected = test::EmbreeOracle(positions, triangles).closest(rays);
    std::size_t n_different = 0, n_hits = 0;
    for (std::size_t i = 0; i < rays.size(); ++i) {
        auto &a = answers.hits[i], &b = expected[i];
        n_hits += b.found();
        n_different += a.found() != b.found() || (a.found() && std::abs(a.t - b.t) > 0.01f);
    }
    EXPECT_GT(n_hits, 2000u);
    // Facets shrink the silhouette by up to 5e-4, which affects rays along it.
    EXPECT_LE(n_different, rays.size() / 300);
}

TL_DEVICE_TEST(PatchScenes, WhatMovesIsMetWhereItIs) {
    auto scene = test::knot_scene(100);
    auto& set = scene->patches[0];
    scene->duration = 4;
    set.animation.kind = AnimationKind::frames;
    set.animation.returns = true;
    MeshFrame raised;
    for (auto& p : set.points) raised.positions.push_back(p + vec3(0, 5, 0));
    set.frames = {{set.points, {}}, raised};
    auto rays = rays_around(bounds_of(*scene), 2000);
    LiveScene live(stream, scene);
    live.set_builder(make_tree_builder("hploc", device));
    StageTimer timer(stream);
    timer.enable(false);
    auto trace = [&](float time, float lift) {
        live.update(scratch, timer, time);
        auto moved = rays;
        for (auto& ray : moved) ray.origin.y += lift;
        DeviceArray<Ray> on_device(stream, std::span<const Ray>(moved));
        DeviceArray<Hit> hits(stream, rays.size());
        trace_closest(scratch, "closest", live.view().tree, on_device.view(),
                      {hits.view(), {}, {}});
        return hits.download(stream);
    };
    auto at_rest = trace(0, 0);
    std::size_t n_hits = 0;
    for (auto& hit : at_rest) n_hits += hit.found();
    EXPECT_GT(n_hits, 100u);
    for (auto [time, lift] : {std::pair{1.0f, 2.5f}, {2.0f, 5.0f}, {3.0f, 2.5f}, {4.0f, 0.0f}}) {
        auto hits = trace(time, lift);
        std::size_t n_different = 0;
        for (std::size_t i = 0; i < rays.size(); ++i)
            n_different += hits[i].found() != at_rest[i].found() ||
                           (hits[i].found() && std::abs(hits[i].t - at_rest[i].t) > 1e-4f);
        // Moved points are rounded again, which changes rays at the silhouette.
        EXPECT_LE(n_different, 2u) << time;
    }
}
