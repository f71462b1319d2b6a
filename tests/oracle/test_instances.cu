// Rays through instanced scenes meet what they meet where every instance is written out: against
// brute force and against the flat scene's own tree, on both devices; and so do pictures.
#include <cmath>
#include <glm/gtc/matrix_transform.hpp>
#include <random>

#include "accel/parallel/parallel_for.h"
#include "accel/tracer.h"
#include "renderer/renderer.h"
#include "renderer/scene/live_scene.h"
#include "tests/device_test.h"
#include "tests/oracle/flatten.h"

namespace tl::TL_DEVICE_NAME {
namespace {

using test::flattened;

std::mt19937 engine_of(unsigned seed) {
    return std::mt19937(seed);
}
float uniform(std::mt19937& engine, float lo, float hi) {
    return std::uniform_real_distribution<float>(lo, hi)(engine);
}
vec3 point_in(std::mt19937& engine, float lo, float hi) {
    float x = uniform(engine, lo, hi), y = uniform(engine, lo, hi);
    return {x, y, uniform(engine, lo, hi)};
}

/// Random triangles in the cube [-1, 1]^3.
Mesh soup(std::mt19937& engine, std::size_t n_triangles, float size) {
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
Mesh cube(std::int32_t material = 0) {
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

/// Turned, moved, stretched, sheared and for every other one mirrored.
mat4 random_transform(std::mt19937& engine, float reach, float scale) {
    mat4 m = glm::translate(mat4(1), point_in(engine, -reach, reach));
    m = glm::rotate(m, uniform(engine, 0, 2 * kPi), glm::normalize(point_in(engine, -1, 1)));
    vec3 factors = point_in(engine, 0.5f, 1.5f) * scale;
    if (engine() & 1) factors.x = -factors.x;
    m = glm::scale(m, factors);
    m[1][0] += uniform(engine, -0.3f, 0.3f) * scale;
    return m;
}

Scene empty_scene() {
    Scene scene;
    scene.materials.emplace_back();
    return scene;
}

/// Three instanced meshes, a mesh of the scene's own, spheres, and an identity among the instances.
Scene mixed_scene(std::uint32_t n_instances) {
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

std::vector<Ray> random_rays(const Bounds& bounds, std::size_t n, unsigned seed) {
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

/// What a ray meets and what that took.
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

Traced trace(Device& device, Stream& stream, Scratch& scratch, const Scene& scene,
             const std::vector<Ray>& rays, bool robust = false, float time = 0) {
    LiveScene live(stream, std::make_shared<Scene>(scene));
    live.set_builder(make_tree_builder("lbvh", device));
    live.tree().config.robust = robust;
    // Instances are traced in this layout; flat scenes are compared with them bit for bit.
    live.tree().config.layout = static_cast<int>(TreeLayout::bvh2);
    StageTimer timer(stream);
    timer.begin_frame();
    live.update(scratch, timer, time);
    timer.end_frame();
    DeviceArray<Ray> on_device(stream, std::span<const Ray>(rays));
    DeviceArray<Answer> answers(stream, rays.size());
    visit_tracer(live.view().tree, TracePass{stream, on_device.view(), answers.view()});
    Traced traced;
    traced.answers = answers.download(stream);
    stream.device().download(stream, &traced.header, live.tree().header().data, sizeof(TreeHeader));
    return traced;
}

/// Triangles of a flat scene in its own order, then its spheres.
std::vector<Primitive> primitives_of(const Scene& flat) {
    std::vector<Primitive> primitives;
    auto add = [&](Primitive p) {
        p.id = static_cast<std::uint32_t>(primitives.size());
        primitives.push_back(p);
    };
    for (auto& mesh : flat.meshes)
        for (auto t : mesh.triangles) {
            Primitive p{};
            p.vertex = mesh.positions[t.x];
            p.edge1 = mesh.positions[t.y] - p.vertex;
            p.edge2 = mesh.positions[t.z] - p.vertex;
            add(p);
        }
    for (auto& sphere : flat.spheres) {
        Primitive p{};
        p.kind = Primitive::kSphere;
        p.vertex = sphere.center;
        p.edge1 = vec3(sphere.radius, 0, 0);
        add(p);
    }
    return primitives;
}

/// The same surface within the rounding of one more transform.
bool same_hit(const Hit& a, const Hit& b, float scale) {
    if (a.found() != b.found()) return false;
    return !a.found() || std::abs(a.t - b.t) <= 1e-4f * scale;
}

/// Rays that two tracers of a device may answer differently where they do the same arithmetic: a
/// GPU's compiler contracts products as each kernel suits it.
std::size_t rounding_differences(const Device& device) {
    return device.kind() == DeviceKind::cpu ? 0 : 20;
}

/// Number of the hit's primitive in the flat scene.
std::uint32_t flat_number(const Scene& scene, const Hit& hit) {
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

void check_against_brute_force(Device& device, Stream& stream, Scratch& scratch, const Scene& scene,
                               std::size_t n_rays, bool robust = false) {
    auto flat = primitives_of(flattened(scene));
    Bounds bounds = bounds_of(scene);
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
    // Vertices rounded in the world and rays rounded in the mesh's space differ at the very rims.
    EXPECT_LE(n_different, n_rays / 1000);
    EXPECT_LE(n_other_primitive, n_rays / 1000);
    EXPECT_EQ(traced.header.errors, 0u);
}

/// A plane mirror below coloured cubes and soups, some of them mirrors; turned and stretched.
Scene picture_scene() {
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
    Mesh ball = cube(2);  // with the normals of a sphere
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

ImageF picture(Device& device, Stream& stream, Scratch& scratch, const Scene& scene) {
    LiveScene live(stream, std::make_shared<Scene>(scene));
    live.set_builder(make_tree_builder("lbvh", device));
    auto renderer = make_renderer("whitted", device);
    Film film;
    film.resize(stream, {96, 72});
    StageTimer timer(stream);
    for (std::uint32_t sample = 0; sample < 4; ++sample) {
        timer.begin_frame();
        live.update(scratch, timer);
        renderer->render({scene.camera, sample, 1}, live, film, scratch, timer);
        timer.end_frame();
    }
    return film.radiance(stream);
}

}  // namespace
}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(Instances, HitsEqualBruteForceOverTheFlattenedScene) {
    check_against_brute_force(device, stream, scratch, mixed_scene(150), 4000);
    check_against_brute_force(device, stream, scratch, mixed_scene(150), 1000, true);
}

TL_DEVICE_TEST(Instances, NoneAndOneAreEnough) {
    check_against_brute_force(device, stream, scratch, mixed_scene(0), 1000);
    for (std::uint32_t mesh : {0u, 2u, 3u}) {
        Scene scene = mixed_scene(0);
        scene.spheres.clear();
        scene.meshes[1].instanced = true;  // nothing of the scene's own is left
        auto engine = engine_of(mesh);
        scene.instances = {{mesh, random_transform(engine, 3, 1), -1, {}}};
        Bounds bounds = bounds_of(scene);
        auto rays = random_rays(bounds, 2000, 6);
        auto one = trace(device, stream, scratch, scene, rays);
        auto flat = trace(device, stream, scratch, flattened(scene), rays);
        std::size_t n_different = 0;
        for (std::size_t i = 0; i < rays.size(); ++i)
            n_different += !same_hit(one.answers[i].hit, flat.answers[i].hit,
                                     glm::length(bounds.hi - bounds.lo));
        EXPECT_LE(n_different, 2u) << "mesh " << mesh;
    }
    // A mesh without triangles, and one that nothing refers to.
    Scene scene = mixed_scene(6);
    scene.meshes[3] = Mesh{};
    scene.meshes[3].instanced = true;
    check_against_brute_force(device, stream, scratch, scene, 1000);
    Scene nothing = empty_scene();
    nothing.meshes = {cube()};
    nothing.meshes[0].instanced = true;
    Ray ray;
    ray.direction = vec3(1, 2, 3);
    EXPECT_FALSE(trace(device, stream, scratch, nothing, {ray}).answers[0].hit.found());
}

TL_DEVICE_TEST(Instances, AMissingChildIsMetByNoRay) {
    // The tree of one primitive has a missing child; rays in every octant.
    Scene scene = empty_scene();
    scene.spheres = {{vec3(0, 50, 0), 0.01f, 0}};
    std::vector<Ray> rays;
    for (int octant = 0; octant < 8; ++octant) {
        Ray ray;
        ray.direction = vec3(octant & 1 ? 1 : -1, octant & 2 ? 2 : -2, octant & 4 ? 0.5f : -0.5f);
        rays.push_back(ray);
    }
    for (bool robust : {false, true})
        for (auto& answer : trace(device, stream, scratch, scene, rays, robust).answers) {
            EXPECT_FALSE(answer.hit.found());
            EXPECT_EQ(answer.n_primitives, 0u);
        }
}

TL_DEVICE_TEST(Instances, RaysThatAreNotFiniteMissAtOnce) {
    auto engine = engine_of(9);
    Scene scene = empty_scene();
    scene.meshes = {soup(engine, 200, 0.3f)};
    scene.meshes[0].instanced = true;
    scene.instances.push_back({0});
    auto rays = random_rays(bounds_of(scene), 60, 10);
    for (std::size_t i = 0; i < rays.size(); ++i) {
        float bad = i % 2 ? std::numeric_limits<float>::quiet_NaN() : kInfinity;
        (i % 3 ? rays[i].direction : rays[i].origin)[int(i / 6) % 3] = bad;
    }
    for (auto& answer : trace(device, stream, scratch, scene, rays).answers) {
        EXPECT_FALSE(answer.hit.found());
        EXPECT_EQ(answer.n_nodes, 0u);
        EXPECT_FALSE(answer.occluded);
    }
}

TL_DEVICE_TEST(Instances, TenThousandTrace) {
    auto engine = engine_of(9);
    Scene scene = empty_scene();
    scene.meshes = {cube()};
    scene.meshes[0].instanced = true;
    for (int i = 0; i < 10000; ++i)
        scene.instances.push_back({0, random_transform(engine, 50, 1), -1, {}});
    auto rays = random_rays(bounds_of(scene), 20000, 8);
    auto traced = trace(device, stream, scratch, scene, rays);
    auto flat = trace(device, stream, scratch, flattened(scene), rays);
    std::size_t n_hits = 0, n_different = 0;
    for (std::size_t i = 0; i < rays.size(); ++i) {
        auto &a = traced.answers[i], &b = flat.answers[i];
        n_hits += b.hit.found();
        n_different += !same_hit(a.hit, b.hit, 100);
        n_different += a.occluded != b.occluded;
    }
    EXPECT_GT(n_hits, rays.size() / 4);
    EXPECT_LE(n_different, 20u);
}

TL_DEVICE_TEST(Instances, StatisticsCountBothLevels) {
    auto engine = engine_of(4);
    Scene scene = empty_scene();
    scene.meshes = {soup(engine, 500, 0.3f)};
    Scene instanced = scene;
    instanced.meshes[0].instanced = true;
    instanced.instances.push_back({0});
    auto rays = random_rays(bounds_of(scene), 2000, 12);
    auto flat = trace(device, stream, scratch, scene, rays);
    auto two = trace(device, stream, scratch, instanced, rays);
    std::size_t n_entered = 0, n_different = 0;
    for (std::size_t i = 0; i < rays.size(); ++i) {
        auto &a = two.answers[i], &b = flat.answers[i];
        // One node and one primitive above, where the ray meets the instance's box.
        bool entered = a.n_primitives > 0;
        n_entered += entered;
        n_different += a.n_nodes != (entered ? b.n_nodes + 1 : 1) ||
                       a.n_primitives != (entered ? b.n_primitives + 1 : 0) || a.hit.t != b.hit.t;
        EXPECT_EQ(a.hit.instance, a.hit.found() ? 0 : Hit::kNone);
    }
    EXPECT_LE(n_different, rounding_differences(device));
    EXPECT_GT(n_entered, rays.size() / 4);
}

TL_DEVICE_TEST(Instances, PicturesEqualThoseOfTheFlattenedScene) {
    Scene scene = picture_scene();
    ImageF a = picture(device, stream, scratch, scene);
    ImageF b = picture(device, stream, scratch, flattened(scene));
    double sum = 0, brightness = 0;
    std::size_t n_off = 0;
    for (std::size_t i = 0; i < a.rgb.size(); ++i) {
        vec3 d = glm::abs(a.rgb[i] - b.rgb[i]);
        sum += d.x + d.y + d.z;
        brightness += b.rgb[i].x + b.rgb[i].y + b.rgb[i].z;
        n_off += std::max({d.x, d.y, d.z}) > 0.02f;
    }
    EXPECT_GT(brightness / double(a.rgb.size()), 0.2);
    // Rays that graze a rim may go the other way.
    EXPECT_LT(sum, 2e-3 * brightness);
    EXPECT_LE(n_off, a.rgb.size() / 100);
}

TL_DEVICE_TEST(Instances, WalkersAreWhereTheirCirclesPutThem) {
    auto engine = engine_of(21);
    Scene scene = empty_scene();
    scene.duration = 8;
    scene.meshes = {cube()};
    scene.meshes[0].instanced = true;
    for (int i = 0; i < 40; ++i) {
        mat4 m = glm::translate(mat4(1), point_in(engine, -7, 7));
        m = glm::rotate(m, uniform(engine, 0, 2 * kPi), {0, 1, 0});
        m = glm::scale(m, point_in(engine, 0.5f, 1.5f) * vec3(1, 1, i % 3 ? 1 : -1));
        float radius = (i & 1 ? -1.0f : 1.0f) * uniform(engine, 1, 5);
        float around = 2 * kPi * std::abs(radius);
        // Two rounds of four steps each, the radius to the left or to the right.
        scene.instances.push_back({0, m, -1, {radius, 2 * around / 8, around / 4, 0.75f}});
    }
    scene.instances.push_back({0, mat4(1), -1, {}});  // stands still
    auto rays = random_rays(bounds_of(scene), 4000, 31);

    // A sixteenth of the time: an eighth of a round, half of a step.
    Scene then = scene;
    for (auto& instance : then.instances) {
        if (instance.walk.radius == 0) continue;
        mat4& m = instance.transform;
        vec3 ahead = glm::normalize(vec3(m[2]));
        vec3 center = vec3(m[3]) + instance.walk.radius * glm::cross(vec3(0, 1, 0), ahead);
        float angle = instance.walk.radius > 0 ? kPi / 4 : -kPi / 4;
        mat4 around = glm::rotate(glm::translate(mat4(1), center), angle, {0, 1, 0});
        m = glm::translate(mat4(1), vec3(0, 0.75f, 0)) * glm::translate(around, -center) * m;
        instance.walk = {};
    }
    auto moved = trace(device, stream, scratch, scene, rays, false, 0.5f);
    auto expected = trace(device, stream, scratch, flattened(then), rays);
    auto rest = trace(device, stream, scratch, scene, rays);
    auto again = trace(device, stream, scratch, scene, rays, false, -3 * scene.duration);
    std::size_t n_hits = 0, n_different = 0, n_moved = 0;
    for (std::size_t i = 0; i < rays.size(); ++i) {
        n_hits += expected.answers[i].hit.found();
        n_different += !same_hit(moved.answers[i].hit, expected.answers[i].hit, 50);
        n_moved += !same_hit(moved.answers[i].hit, rest.answers[i].hit, 50);
        EXPECT_EQ(rest.answers[i].hit.t, again.answers[i].hit.t);  // bit for bit
    }
    EXPECT_GT(n_hits, rays.size() / 20);
    EXPECT_GT(n_moved, n_hits / 4);
    EXPECT_LE(n_different, 4u);
}

TL_DEVICE_TEST(Instances, MeshesThatMoveAreBuiltAnewForEveryFrame) {
    auto engine = engine_of(41);
    Scene flat = empty_scene();
    flat.duration = 2;
    flat.meshes = {soup(engine, 80, 0.4f)};
    flat.meshes[0].animation.kind = AnimationKind::explode;
    flat.meshes[0].animation.distance = 2;
    Scene scene = flat;
    scene.meshes[0].instanced = true;
    scene.instances.push_back({0});
    auto rays = random_rays(bounds_of(flat), 3000, 42);
    auto rest = trace(device, stream, scratch, flat, rays);
    std::size_t n_moved = 0, n_different = 0;
    for (float time : {0.0f, 1.0f}) {
        auto expected = trace(device, stream, scratch, flat, rays, false, time);
        auto met = trace(device, stream, scratch, scene, rays, false, time);
        for (std::size_t i = 0; i < rays.size(); ++i) {
            n_different += met.answers[i].hit.t != expected.answers[i].hit.t;
            n_moved += met.answers[i].hit.t != rest.answers[i].hit.t;
        }
    }
    EXPECT_GT(n_moved, rays.size() / 20);

    // One LiveScene for both moments; what does not move is built once.
    LiveScene live(stream, std::make_shared<Scene>(scene));
    live.set_builder(make_tree_builder("lbvh", device));
    StageTimer timer(stream);
    for (float time : {0.0f, 1.0f}) {
        timer.begin_frame();
        live.update(scratch, timer, time);
        timer.end_frame();
    }
    DeviceArray<Ray> on_device(stream, std::span<const Ray>(rays));
    DeviceArray<Answer> answers(stream, rays.size());
    visit_tracer(live.view().tree, TracePass{stream, on_device.view(), answers.view()});
    auto second = answers.download(stream);
    auto expected = trace(device, stream, scratch, flat, rays, false, 1.0f);
    for (std::size_t i = 0; i < rays.size(); ++i)
        n_different += second[i].hit.t != expected.answers[i].hit.t;
    EXPECT_LE(n_different, rounding_differences(device));
}

TL_DEVICE_TEST(Instances, FramesAllocateNothingAndBuildTheMeshesTreesOnce) {
    LiveScene live(stream, std::make_shared<Scene>(mixed_scene(300)));
    live.set_builder(make_tree_builder("lbvh", device));
    StageTimer timer(stream);
    auto stages_of_frame = [&] {
        timer.begin_frame();
        live.update(scratch, timer);
        timer.end_frame();
        timer.flush();
        std::vector<std::string> names;
        for (auto& stage : timer.latest()) names.push_back(stage.name);
        return names;
    };
    auto has = [](const std::vector<std::string>& names, const char* name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    const char* kMeshes = "build instanced trees";
    EXPECT_TRUE(has(stages_of_frame(), kMeshes));
    EXPECT_TRUE(has(stages_of_frame(), "instance boxes"));
    auto before = device.memory_stats().allocation_count;
    for (int i = 0; i < 3; ++i) EXPECT_FALSE(has(stages_of_frame(), kMeshes));
    EXPECT_EQ(device.memory_stats().allocation_count, before);
    // Another builder, or another leaf size, builds them anew.
    live.set_builder(make_tree_builder("lbvh", device));
    EXPECT_TRUE(has(stages_of_frame(), kMeshes));
    live.tree().config.max_leaf_size = 2;
    EXPECT_TRUE(has(stages_of_frame(), kMeshes));
    EXPECT_FALSE(has(stages_of_frame(), kMeshes));
}

TL_DEVICE_TEST(Instances, BytesCountTheMeshesTreesAndTheInstances) {
    auto bytes = [&](std::uint32_t n) {
        LiveScene live(stream, std::make_shared<Scene>(mixed_scene(n)));
        live.set_builder(make_tree_builder("lbvh", device));
        StageTimer timer(stream);
        timer.begin_frame();
        live.update(scratch, timer);
        timer.end_frame();
        return live.bytes();
    };
    // Each: InstanceData 80, shading 64, its source at least as much, box 24, primitive 48.
    EXPECT_GE(bytes(2000) - bytes(1000), 1000u * (80 + 64 + 64 + 24 + 48));
}
