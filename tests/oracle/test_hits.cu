// Compares closest and any hits on both devices with brute force, and with Embree for a million
// rays per scene.
#include <random>

#include "accel/bvh/traversal/trace_rays.h"
#include "core/device/parallel_for.h"
#include "renderer/scene/live/live_scene.h"
#include "renderer/scene/loaders/loader.h"
#include "tests/device_test.h"
#include "tests/long_test.h"
#include "tests/oracle/embree_oracle.h"
#include "tests/source_path.h"

namespace tl::TL_DEVICE_NAME {
namespace {

struct TestScene {
    std::shared_ptr<Scene> scene;
    std::vector<vec3> positions;
    std::vector<glm::uvec3> triangles;
    Box bounds;
};

TestScene open(const std::string& path) {
    TestScene t;
    t.scene = std::make_shared<Scene>(load_scene(path));
    t.scene->lights.clear();  // their rectangles are not among the oracle's triangles
    for (auto& mesh : t.scene->meshes) {
        auto base = static_cast<std::uint32_t>(t.positions.size());
        t.positions.insert(t.positions.end(), mesh.positions.begin(), mesh.positions.end());
        for (auto triangle : mesh.triangles) t.triangles.push_back(triangle + base);
    }
    t.bounds = bounds_of(*t.scene);
    return t;
}

/// Random rays with origins in and around the bounds.
std::vector<Ray> random_rays(const Box& bounds, std::size_t n, unsigned seed) {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<float> unit(0, 1);
    std::normal_distribution<float> normal;
    vec3 size = bounds.hi - bounds.lo;
    std::vector<Ray> rays(n);
    for (auto& ray : rays) {
        vec3 r(unit(engine), unit(engine), unit(engine));
        ray.origin = bounds.lo + (r * 1.4f - 0.2f) * size;
        ray.direction = glm::normalize(vec3(normal(engine), normal(engine), normal(engine)));
    }
    return rays;
}

struct Traced {
    std::vector<Hit> closest;
    std::vector<std::uint8_t> any;
};

Traced trace(Device& device, Stream& stream, Scratch& scratch, const TestScene& t,
             const std::vector<Ray>& rays) {
    LiveScene live(stream, t.scene);
    live.set_builder(make_tree_builder("hploc", device));
    StageTimer timer(stream);
    timer.begin_frame();
    live.update(scratch, timer);
    timer.end_frame();
    DeviceArray<Ray> on_device(stream, std::span<const Ray>(rays));
    DeviceArray<Hit> hits(stream, rays.size());
    DeviceArray<std::uint8_t> any(stream, rays.size());
    TreeView tree = live.view().tree;
    trace_closest(scratch, "closest", tree, on_device.view(), {hits.view(), {}, {}});
    trace_any(scratch, "any", tree, on_device.view(), {{}, {}, any.view()});
    return {hits.download(stream), any.download(stream)};
}

/// Two hits agree if both miss, or their distances do: the primitive may differ on shared edges.
/// The distance of a grazing hit keeps about four digits of the scene's size in single precision.
bool same_hit(const Hit& a, const Hit& b, float scale) {
    if (a.found() != b.found()) return false;
    return !a.found() || fabsf(a.t - b.t) <= 1e-4f * scale;
}

Primitive primitive_of(const TestScene& t, std::uint32_t id) {
    Primitive p{};
    p.id = id;
    if (id < t.triangles.size()) {
        auto v = t.triangles[id];
        p = triangle_primitive(id, t.positions[v.x], t.positions[v.y], t.positions[v.z], false);
    } else {
        auto& sphere = t.scene->spheres[id - t.triangles.size()];
        p.kind = Primitive::kSphere;
        p.vertex = sphere.center;
        p.edge1 = vec3(sphere.radius, 0, 0);
    }
    return p;
}

Hit brute_force(const std::vector<Primitive>& primitives, const Ray& ray) {
    Hit hit;
    for (auto& p : primitives) intersect(p, ray, hit.found() ? hit.t : ray.t_max, hit);
    return hit;
}

void check_against_brute_force(Device& device, Stream& stream, Scratch& scratch,
                               const std::string& path, std::size_t n_rays) {
    TestScene t = open(path);
    auto rays = random_rays(t.bounds, n_rays, 17);
    auto traced = trace(device, stream, scratch, t, rays);
    std::vector<Primitive> primitives;
    for (std::uint32_t id = 0; id < t.triangles.size() + t.scene->spheres.size(); ++id)
        primitives.push_back(primitive_of(t, id));
    float scale = glm::length(t.bounds.hi - t.bounds.lo);
    std::size_t n_hits = 0, n_different = 0;
    for (std::size_t i = 0; i < rays.size(); ++i) {
        Hit expected = brute_force(primitives, rays[i]);
        n_hits += expected.found();
        n_different += !same_hit(traced.closest[i], expected, scale);
        n_different += traced.any[i] != expected.found();
    }
    EXPECT_GT(n_hits, n_rays / 100) << path;
    // On the CPU both run the same intersection code: no ray may differ. The GPU rounds differently
    // (contracted products), which may change rays at the edge of a primitive.
    EXPECT_LE(n_different, device.kind() == DeviceKind::cpu ? 0 : n_rays / 10000) << path;
}

/// Whether a hit lies outside its triangle, but within the slack of the triangle's edges.
bool is_within_slack(const TestScene& t, const Ray& ray, const Hit& hit) {
    auto v = t.triangles[hit.primitive];
    Primitive p = triangle_primitive(hit.primitive, t.positions[v.x], t.positions[v.y],
                                     t.positions[v.z], false);
    glm::dvec3 a = t.positions[v.x], edge1 = glm::dvec3(t.positions[v.y]) - a;
    glm::dvec3 edge2 = glm::dvec3(t.positions[v.z]) - a, d = ray.direction;
    glm::dvec3 to_origin = glm::dvec3(ray.origin) - a;
    double determinant = glm::dot(edge1, glm::cross(d, edge2));
    double u = glm::dot(to_origin, glm::cross(d, edge2)) / determinant;
    double v_weight = glm::dot(d, glm::cross(to_origin, edge1)) / determinant;
    double least = std::min({u, v_weight, 1 - u - v_weight});
    double slack = p.slack * one_norm(vec3(to_origin)) * one_norm(ray.direction);
    // The rounding of this test is added, which the slack also bounds.
    return least < 0 && least > -2 * slack / std::abs(determinant);
}

/// Embree's intersection test rounds differently at edges: at most 20 rays in a million.
/// Treelight's edges have slack, so that up to `most_beside` more hits lie outside an outline.
void check_against_embree(Device& device, Stream& stream, Scratch& scratch, const std::string& path,
                          std::size_t most_beside = 20) {
    constexpr std::size_t kRays = 1000000;
    TestScene t = open(path);
    t.scene->spheres.clear();
    auto rays = random_rays(t.bounds, kRays, 23);
    auto traced = trace(device, stream, scratch, t, rays);
    auto expected = test::EmbreeOracle(t.positions, t.triangles).closest(rays);
    float scale = glm::length(t.bounds.hi - t.bounds.lo);
    std::size_t n_hits = 0, n_different = 0, n_beside = 0;
    for (std::size_t i = 0; i < kRays; ++i) {
        const Hit& ours = traced.closest[i];
        n_hits += expected[i].found();
        EXPECT_EQ(traced.any[i], ours.found());
        if (same_hit(ours, expected[i], scale)) continue;
        bool beside = ours.found() && is_within_slack(t, rays[i], ours);
        (beside ? n_beside : n_different) += 1;
    }
    EXPECT_GT(n_hits, kRays / 20) << path;
    EXPECT_LE(n_different, 20u) << path;
    EXPECT_LE(n_beside, most_beside) << path;
    std::printf("%s: %zu different, %zu beside an edge\n", path.c_str(), n_different, n_beside);
}

}  // namespace
}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(Hits, EqualBruteForce) {
    check_against_brute_force(device, stream, scratch, source_path("scenes/cornell-box.toml"),
                              20000);
    check_against_brute_force(device, stream, scratch, "generate:soup,triangles=2000", 20000);
    check_against_brute_force(device, stream, scratch, "generate:sphere-flake,depth=3", 20000);
    check_against_brute_force(device, stream, scratch, "generate:terrain,triangles=2000", 20000);
}

TL_DEVICE_TEST(Hits, EqualEmbreeOnSoup) {
    TL_LONG_TEST();
    // Here every edge is a silhouette edge, with nothing or only distant geometry behind it.
    check_against_embree(device, stream, scratch, "generate:soup,triangles=100000", 100);
}

TL_DEVICE_TEST(Hits, EqualEmbreeOnTerrain) {
    TL_LONG_TEST();
    check_against_embree(device, stream, scratch, "generate:terrain,triangles=200000");
}

TL_DEVICE_TEST(Hits, EqualEmbreeOnTheAtrium) {
    TL_LONG_TEST();
    check_against_embree(device, stream, scratch, "generate:atrium");
}

TL_DEVICE_TEST(Hits, EqualEmbreeOnTheCornellBox) {
    TL_LONG_TEST();
    check_against_embree(device, stream, scratch, source_path("scenes/cornell-box.toml"));
}

TL_DEVICE_TEST(Hits, EqualEmbreeOnTheBunny) {
    TL_LONG_TEST();
    try {
        check_against_embree(device, stream, scratch, source_path("scenes/bunny.toml"));
    } catch (const UserError& error) {
        // The model must have been downloaded by tools/fetch-models.
        if (std::string(error.what()).find("fetch-models") == std::string::npos) throw;
        GTEST_SKIP() << error.what();
    }
}

TL_DEVICE_TEST(Hits, RaysAlongAxesAndThroughBoxFacesAreFound) {
    // A grid of unit squares in the plane y = 0: flat boxes, and rays with zero components.
    Mesh mesh;
    constexpr int kSide = 20;
    for (int z = 0; z <= kSide; ++z)
        for (int x = 0; x <= kSide; ++x) mesh.positions.emplace_back(x, 0, z);
    for (std::uint32_t z = 0; z < kSide; ++z)
        for (std::uint32_t x = 0; x < kSide; ++x) {
            std::uint32_t a = z * (kSide + 1) + x, b = a + kSide + 1;
            mesh.triangles.push_back({a, b, a + 1});
            mesh.triangles.push_back({a + 1, b, b + 1});
        }
    mesh.material_of_triangle.assign(mesh.triangles.size(), 0);
    TestScene t;
    t.scene = std::make_shared<Scene>();
    t.scene->materials.emplace_back();
    t.scene->meshes.push_back(mesh);
    std::vector<Ray> rays;
    for (int z = 0; z < 4 * kSide; ++z)
        for (int x = 0; x < 4 * kSide; ++x) {
            Ray ray;
            ray.origin = vec3(float(x) / 4 + 0.125f, 5, float(z) / 4 + 0.0625f);
            ray.direction = vec3(x % 2 ? 0.0f : -0.0f, -1, 0);
            rays.push_back(ray);
        }
    for (auto& hit : trace(device, stream, scratch, t, rays).closest) {
        ASSERT_TRUE(hit.found());
        EXPECT_FLOAT_EQ(hit.t, 5);
    }
}

TL_DEVICE_TEST(Hits, RaysThatAreNotFiniteMissAtOnce) {
    TestScene t = open("generate:soup,triangles=100000");
    auto rays = random_rays(t.bounds, 3000, 5);
    constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
    for (std::size_t i = 0; i < rays.size(); ++i) {
        float bad = i % 2 ? kNaN : kInfinity;
        (i % 3 ? rays[i].direction : rays[i].origin)[int(i % 5) % 3] = bad;
    }
    Traced traced = trace(device, stream, scratch, t, rays);
    for (std::size_t i = 0; i < rays.size(); ++i) {
        EXPECT_FALSE(traced.closest[i].found());
        EXPECT_EQ(traced.any[i], 0u);
    }
}
