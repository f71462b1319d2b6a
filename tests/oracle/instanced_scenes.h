// Helpers for tests of instances: scenes, rays traced through them as in a frame, and rays traced
// by brute force through the flattened scene.
#pragma once

#include <cmath>
#include <glm/gtc/matrix_transform.hpp>
#include <random>

#include "accel/bvh/traversal/any_tracer.h"
#include "core/device/parallel_for.h"
#include "core/device/stage_timer.h"
#include "renderer/film/film.h"
#include "renderer/images/image_io.h"
#include "renderer/renderer.h"
#include "renderer/scene/live/live_scene.h"
#include "tests/device_test.h"
#include "tests/oracle/flatten.h"

namespace tl::TL_DEVICE_NAME {

using test::flattened;

inline std::mt19937 engine_of(unsigned seed) {
    return std::mt19937(seed);
}
inline float uniform(std::mt19937& engine, float lo, float hi) {
    return std::uniform_real_distribution<float>(lo, hi)(engine);
}
inline vec3 point_in(std::mt19937& engine, float lo, float hi) {
    float x = uniform(engine, lo, hi), y = uniform(engine, lo, hi);
    return {x, y, uniform(engine, lo, hi)};
}

/// Random triangles in the cube [-1, 1]^3.
inline Mesh soup(std::mt19937& engine, std::size_t n_triangles, float size) {
    Mesh mesh;
    for (std::uint32_t t = 0; t < n_triangles; ++t) {
        vec3 at = point_in(engine, size - 1, 1 - size);
        for (int k = 0; k < 3; ++k) mesh.positions.push_back(at + point_in(engine, -size, size));
        mesh.triangles.emplace_back(3 * t, 3 * t + 1, 3 * t + 2);
    }
    mesh.material_of_triangle.assign(mesh.triangles.size(), 0);
    return mesh;
}

/// A closed cube [-1, 1]^3 of twelve triangles, with `material`.
inline Mesh cube(std::int32_t material = 0) {
    Mesh mesh;
    for (int i = 0; i < 8; ++i)
        mesh.positions.emplace_back(i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1);
    constexpr std::uint32_t kFaces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                            {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    for (auto& f : kFaces) {
        mesh.triangles.emplace_back(f[0], f[1], f[2]);
        mesh.triangles.emplace_back(f[0], f[2], f[3]);
    }
    mesh.material_of_triangle.assign(12, material);
    return mesh;
}

/// A random rotation, translation, scaling and shear; every second transform also mirrors.
inline mat4 random_transform(std::mt19937& engine, float reach, float scale) {
    mat4 m = glm::translate(mat4(1), point_in(engine, -reach, reach));
    m = glm::rotate(m, uniform(engine, 0, 2 * kPi), glm::normalize(point_in(engine, -1, 1)));
    vec3 factors = point_in(engine, 0.5f, 1.5f) * scale;
    if (engine() & 1) factors.x = -factors.x;
    m = glm::scale(m, factors);
    m[1][0] += uniform(engine, -0.3f, 0.3f) * scale;
    return m;
}

inline Scene empty_scene() {
    Scene scene;
    scene.materials.emplace_back();
    return scene;
}

/// Three instanced meshes, one mesh that is not instanced, spheres, and one identity instance.
inline Scene mixed_scene(std::uint32_t n_instances) {
    auto engine = engine_of(3);
    Scene scene = empty_scene();
    scene.meshes = {soup(engine, 60, 0.4f), soup(engine, 200, 2.0f), cube(), soup(engine, 1, 1.0f)};
    for (auto& p : scene.meshes[1].positions) p *= 4.0f;
    for (std::size_t m : {0, 2, 3}) scene.meshes[m].instanced = true;
    for (std::uint32_t i = 0; i < n_instances; ++i) {
        constexpr std::uint32_t kMeshes[] = {0, 2, 3};
        mat4 transform = i % 50 == 7 ? mat4(1) : random_transform(engine, 9, 1);
        scene.instances.push_back({kMeshes[i % 3], transform, -1, {}});
    }
    for (int i = 0; i < 20; ++i)
        scene.spheres.push_back({point_in(engine, -9, 9), uniform(engine, 0.1f, 1), 0});
    return scene;
}

inline std::vector<Ray> random_rays(const Box& bounds, std::size_t n, unsigned seed) {
    auto engine = engine_of(seed);
    std::normal_distribution<float> normal;
    std::vector<Ray> rays(n);
    for (auto& ray : rays) {
        ray.origin = bounds.lo + point_in(engine, -0.2f, 1.2f) * (bounds.hi - bounds.lo);
        ray.direction = vec3(normal(engine), normal(engine), normal(engine));
        ray.t_max = engine() % 4 ? kInfinity : 3;
    }
    return rays;
}

/// Hit of a ray, and the traversal statistics.
struct Answer {
    Hit hit;
    std::uint32_t occluded, n_nodes, n_primitives;
};

struct TracePass {
    Stream& stream;
    View<const Ray> rays;
    View<Answer> answers;

    template <class Tracer>
    void operator()(Tracer tracer) const {
        auto in = rays;
        auto out = answers;
        parallel_for(
            stream, "trace", static_cast<std::uint32_t>(rays.size), TL_LAMBDA(std::uint32_t i) {
                RayStats stats;
                Answer answer;
                answer.hit = tracer.closest(in[i], stats);
                answer.n_nodes = stats.n_nodes;
                answer.n_primitives = stats.n_primitives;
                answer.occluded = tracer.occluded(in[i]);
                out[i] = answer;
            });
    }
};

struct Traced {
    std::vector<Answer> answers;
    TreeHeader header;
};

inline Traced trace(Device& device, Stream& stream, Scratch& scratch, const Scene& scene,
                    const std::vector<Ray>& rays, bool robust = false, float time = 0) {
    LiveScene live(stream, std::make_shared<Scene>(scene));
    live.set_builder(make_tree_builder("lbvh", device));
    live.tree_config().robust = robust;
    // Instances are traced in this layout; flat scenes are compared with them bit for bit.
    live.tree_config().layout = TreeLayout::bvh2;
    StageTimer timer(stream);
    timer.begin_frame();
    live.update(scratch, timer, time);
    timer.end_frame();
    DeviceArray<Ray> on_device(stream, std::span<const Ray>(rays));
    DeviceArray<Answer> answers(stream, rays.size());
    visit_any_tracer(live.view().tree, TracePass{stream, on_device.view(), answers.view()});
    Traced traced;
    traced.answers = answers.download(stream);
    stream.device().download(stream, &traced.header, live.tree().header().data, sizeof(TreeHeader));
    return traced;
}

/// Triangles of a flat scene in its own order, then its spheres.
inline std::vector<Primitive> primitives_of(const Scene& flat) {
    std::vector<Primitive> primitives;
    auto add = [&](Primitive p) {
        p.id = static_cast<std::uint32_t>(primitives.size());
        primitives.push_back(p);
    };
    for (auto& mesh : flat.meshes)
        for (auto t : mesh.triangles)
            add(triangle_primitive(0, mesh.positions[t.x], mesh.positions[t.y], mesh.positions[t.z],
                                   false));
    for (auto& sphere : flat.spheres) {
        Primitive p{};
        p.kind = Primitive::kSphere;
        p.vertex = sphere.center;
        p.edge1 = vec3(sphere.radius, 0, 0);
        add(p);
    }
    return primitives;
}

/// Whether two hits agree, within the rounding of one more transform.
inline bool same_hit(const Hit& a, const Hit& b, float scale) {
    if (a.found() != b.found()) return false;
    return !a.found() || std::abs(a.t - b.t) <= 1e-4f * scale;
}

/// Number of rays for which two tracers with the same arithmetic may differ: a GPU's compiler
/// contracts products differently in each kernel.
inline std::size_t rounding_differences(const Device& device) {
    return device.kind() == DeviceKind::cpu ? 0 : 20;
}

/// Index of the hit's primitive in the flat scene.
inline std::uint32_t flat_number(const Scene& scene, const Hit& hit) {
    std::uint32_t n_own = 0, number = hit.primitive;
    for (auto& mesh : scene.meshes)
        if (!mesh.instanced) n_own += static_cast<std::uint32_t>(mesh.triangles.size());
    if (hit.instance == Hit::kNone && hit.primitive < n_own) return number;
    number += hit.instance == Hit::kNone ? 0 : n_own;
    for (std::size_t i = 0; i < scene.instances.size(); ++i) {
        if (i == hit.instance) break;
        auto& mesh = scene.meshes[scene.instances[i].mesh];
        number += static_cast<std::uint32_t>(mesh.triangles.size());
    }
    return number;
}

inline void check_against_brute_force(Device& device, Stream& stream, Scratch& scratch,
                                      const Scene& scene, std::size_t n_rays, bool robust = false) {
    auto flat = primitives_of(flattened(scene));
    Box bounds = bounds_of(scene);
    auto rays = random_rays(bounds, n_rays, 5);
    auto traced = trace(device, stream, scratch, scene, rays, robust);
    float scale = glm::length(bounds.hi - bounds.lo);
    std::size_t n_hits = 0, n_different = 0, n_other_primitive = 0;
    for (std::size_t i = 0; i < rays.size(); ++i) {
        Hit expected;
        for (auto& p : flat)
            intersect(p, rays[i], expected.found() ? expected.t : rays[i].t_max, expected);
        auto& answer = traced.answers[i];
        n_hits += expected.found();
        n_different += !same_hit(answer.hit, expected, scale);
        n_different += (answer.occluded != 0) != expected.found();
        if (answer.hit.found() && expected.found())
            n_other_primitive += flat_number(scene, answer.hit) != expected.primitive;
    }
    EXPECT_GT(n_hits, n_rays / 10);
    // Rounding of vertices in world space and of rays in mesh space may differ at triangle edges.
    EXPECT_LE(n_different, n_rays / 1000);
    EXPECT_LE(n_other_primitive, n_rays / 1000);
    EXPECT_EQ(traced.header.errors, 0u);
}

/// A plane mirror below rotated and stretched cubes and soups, coloured or mirrors.
inline Scene picture_scene() {
    auto engine = engine_of(11);
    Scene scene = empty_scene();
    auto add_material = [&](MaterialKind kind, vec3 color) {
        Material material;
        material.kind = kind;
        material.diffuse = material.specular = color;
        if (kind == MaterialKind::diffuse) material.emission = vec3(0.05f, 0.1f, 0);
        scene.materials.push_back(material);
    };
    add_material(MaterialKind::mirror, vec3(0.9f));
    add_material(MaterialKind::diffuse, vec3(0.8f, 0.2f, 0.1f));
    Mesh floor;
    floor.positions = {{-20, -3, -20}, {-20, -3, 20}, {20, -3, 20}, {20, -3, -20}};
    floor.triangles = {{0, 1, 2}, {0, 2, 3}};
    floor.material_of_triangle = {1, 1};
    Mesh ball = cube(2);  // a cube with the normals of a sphere
    for (auto p : ball.positions) ball.normals.push_back(glm::normalize(p));
    scene.meshes = {floor, cube(), ball};
    scene.meshes[1].instanced = scene.meshes[2].instanced = true;
    for (std::uint32_t i = 0; i < 60; ++i)
        scene.instances.push_back({1 + i % 2,
                                   random_transform(engine, 4, 0.5f),
                                   static_cast<std::int32_t>(i % 4) - 1,
                                   {}});
    Light sun, lamp;
    sun.kind = LightKind::directional;
    sun.direction = glm::normalize(vec3(-1, -2, -1));
    lamp.position = vec3(0, 6, 3);
    lamp.radiance = vec3(20);
    scene.lights = {sun, lamp};
    scene.background = vec3(0.2f, 0.3f, 0.5f);
    scene.camera = {{0, 2, 14}, {0, 0, 0}, {0, 1, 0}, 45};
    return scene;
}

inline ImageF picture(Device& device, Stream& stream, Scratch& scratch, const Scene& scene) {
    LiveScene live(stream, std::make_shared<Scene>(scene));
    live.set_builder(make_tree_builder("lbvh", device));
    auto renderer = make_renderer("whitted", device);
    Film film;
    film.resize(stream, {96, 72});
    StageTimer timer(stream);
    for (std::uint32_t sample = 0; sample < 4; ++sample) {
        timer.begin_frame();
        live.update(scratch, timer);
        renderer->render({{scene.camera, sample, 1}, {}, live, film, scratch, timer});
        timer.end_frame();
    }
    return film.radiance(stream);
}

}  // namespace tl::TL_DEVICE_NAME
