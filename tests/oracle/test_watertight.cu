// Robust trees are watertight. A ray from inside a closed mesh hits it even if aimed at an edge or
// a vertex. So does a ray from outside that is aimed at a front-facing side.
#include <random>

#include "renderer/scene/generators/generators.h"
#include "tests/long_test.h"
#include "tests/oracle/live_tree.h"
#include "tests/sanitized.h"

namespace tl::TL_DEVICE_NAME {
namespace {

struct ClosedMesh {
    std::vector<vec3> positions;
    std::vector<glm::uvec3> triangles;
    bool (*holds)(vec3 point);  ///< whether the point is well inside

    [[nodiscard]] vec3 area_vector(std::size_t i) const {
        auto t = triangles[i];
        return glm::cross(positions[t.y] - positions[t.x], positions[t.z] - positions[t.x]);
    }
};

ClosedMesh icosphere() {
    Scene scene;
    generate(scene, "blob", {{"triangles", "5120"}, {"bumps", "0"}});
    return {scene.meshes[0].positions, scene.meshes[0].triangles,
            [](vec3 p) { return glm::length(p) < 0.995f; }};
}

/// A cube of 2 * 6 * 12^2 triangles on a grid: coordinates without rounding, rays along planes.
ClosedMesh gridded_cube() {
    constexpr int kCells = 12;
    ClosedMesh mesh;
    mesh.holds = [](vec3 p) {
        return glm::all(glm::greaterThan(p, vec3(0.01f))) &&
               glm::all(glm::lessThan(p, vec3(kCells - 0.01f)));
    };
    for (int axis = 0; axis < 3; ++axis)
        for (int side : {0, kCells})
            for (int i = 0; i < kCells; ++i)
                for (int k = 0; k < kCells; ++k) {
                    auto first = static_cast<std::uint32_t>(mesh.positions.size());
                    for (int corner = 0; corner < 4; ++corner) {
                        vec3 p(0);
                        p[axis] = static_cast<float>(side);
                        p[(axis + 1) % 3] = static_cast<float>(i + (corner & 1));
                        p[(axis + 2) % 3] = static_cast<float>(k + (corner >> 1));
                        mesh.positions.push_back(p);
                    }
                    glm::uvec3 a(0, 1, 3), b(0, 3, 2);
                    if (side == 0) std::swap(a.y, a.z), std::swap(b.y, b.z);
                    mesh.triangles.push_back(a + first);
                    mesh.triangles.push_back(b + first);
                }
    return mesh;
}

/// Points on edges, ends included, with an outward normal of a triangle that has the edge.
struct Target {
    vec3 point, normal;
};

std::vector<Target> targets_of(const ClosedMesh& mesh) {
    std::vector<Target> targets;
    for (std::size_t i = 0; i < mesh.triangles.size(); ++i)
        for (int k = 0; k < 3; ++k) {
            vec3 a = mesh.positions[mesh.triangles[i][k]];
            vec3 b = mesh.positions[mesh.triangles[i][(k + 1) % 3]];
            vec3 normal = glm::normalize(mesh.area_vector(i));
            for (float along : {0.0f, 0.5f, 0.3f}) targets.push_back({a + along * (b - a), normal});
        }
    return targets;
}

std::vector<Ray> inside_rays(const ClosedMesh& mesh, vec3 center, float reach) {
    std::mt19937 engine(3);
    std::uniform_real_distribution<float> unit(-reach, reach);
    std::vector<Ray> rays;
    for (auto& target : targets_of(mesh)) {
        Ray ray;
        ray.origin = center;
        // Every third ray starts at the exact centre, where rays lie in planes of edges.
        if (rays.size() % 3) ray.origin += vec3(unit(engine), unit(engine), unit(engine));
        ray.direction = target.point - ray.origin;
        rays.push_back(ray);
    }
    return rays;
}

/// Rays that enter the mesh well where they are aimed; at the silhouette, a miss is not a leak.
std::vector<Ray> outside_rays(const ClosedMesh& mesh, vec3 center, float size) {
    std::mt19937 engine(4);
    std::normal_distribution<float> normal;
    std::vector<Ray> rays;
    for (auto& target : targets_of(mesh)) {
        Ray ray;
        vec3 away(normal(engine), normal(engine), normal(engine));
        ray.origin = center + 3 * size * glm::normalize(away);
        ray.direction = target.point - ray.origin;
        if (glm::dot(target.normal, ray.direction) > -0.3f * glm::length(ray.direction)) continue;
        if (!mesh.holds(target.point + 0.05f * size * glm::normalize(ray.direction))) continue;
        rays.push_back(ray);
    }
    return rays;
}

std::size_t leaks(const Answers& answers) {
    std::size_t n = 0;
    for (std::size_t r = 0; r < answers.hits.size(); ++r)
        n += !answers.hits[r].found() || !answers.occluded[r];
    return n;
}

void check(Device& device, Stream& stream, Scratch& scratch, const ClosedMesh& mesh, vec3 center,
           float size) {
    auto rays = inside_rays(mesh, center, 0.3f * size);
    auto from_outside = outside_rays(mesh, center, size);
    EXPECT_GT(from_outside.size(), mesh.triangles.size());
    rays.insert(rays.end(), from_outside.begin(), from_outside.end());
    DeviceArray<Ray> on_device(stream, std::span<const Ray>(rays));
    LiveTree tree(stream, scratch, scene_of(mesh.positions, mesh.triangles));
    for (auto& builder : builders_of_device(device))
        for (auto& layout : all_layouts()) {
            auto settings = tree.config().settings();
            find_setting(settings, "layout", "tree").set(layout);
            tree.config().robust = true;
            tree.build(builder);
            EXPECT_EQ(leaks(tree.trace(on_device)), 0u) << builder << " " << layout;
        }
}

}  // namespace
}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(Watertight, NoRayLeaksThroughASphere) {
    TL_LONG_TEST();
    check(device, stream, scratch, icosphere(), vec3(0), 1);
}

TL_DEVICE_TEST(Watertight, NoRayLeaksThroughAGriddedCube) {
    TL_LONG_TEST();
    check(device, stream, scratch, gridded_cube(), vec3(6), 6);
}

TL_DEVICE_TEST(Watertight, ThePlainTestLeaksOnlyWithoutItsSlack) {
    TL_LONG_TEST();
    // Without slack, triangle tests miss some of these rays; with slack they miss none, so that
    // non-robust trees lose hits only by their box tests.
    auto mesh = icosphere();
    auto rays = inside_rays(mesh, vec3(0), 0.3f);
    if (test::kSanitized) rays.resize(rays.size() / 4);
    std::size_t n_leaks = 0, n_leaks_without = 0;
    for (auto& ray : rays) {
        Hit hit, hit_without;
        for (std::uint32_t i = 0; i < mesh.triangles.size() && !hit_without.found(); ++i) {
            auto t = mesh.triangles[i];
            Primitive p = triangle_primitive(i, mesh.positions[t.x], mesh.positions[t.y],
                                             mesh.positions[t.z], false);
            intersect(p, ray, kInfinity, hit);
            p.slack = 0;
            intersect(p, ray, kInfinity, hit_without);
        }
        n_leaks += !hit.found();
        n_leaks_without += !hit_without.found();
    }
    EXPECT_EQ(n_leaks, 0u);
    EXPECT_GT(n_leaks_without, 0u);
}

TL_DEVICE_TEST(Watertight, BothTrianglesOfAnEdgeDecideAlike) {
    std::mt19937 engine(5);
    std::uniform_real_distribution<float> unit(-1, 1);
    constexpr std::uint32_t kEdges = 100000;
    std::vector<vec4> edges;
    for (std::uint32_t i = 0; i < kEdges; ++i) {
        vec2 a(unit(engine), unit(engine));
        // Half of them pass through the origin, up to rounding.
        vec2 b = i % 2 ? a * unit(engine) : vec2(unit(engine), unit(engine));
        edges.emplace_back(a, b);
    }
    DeviceArray<vec4> in_array(stream, std::span<const vec4>(edges));
    DeviceArray<vec2> out_array(stream, kEdges);
    auto in = in_array.view();
    auto out = out_array.view();
    parallel_for(
        stream, "edge sides", kEdges, TL_LAMBDA(std::uint32_t i) {
            vec4 e = in[i];
            out[i] = vec2(edge_side(e.x, e.y, e.z, e.w), edge_side(e.z, e.w, e.x, e.y));
        });
    std::size_t n_zero = 0;
    auto sides = out_array.download(stream);
    for (std::uint32_t i = 0; i < kEdges; ++i) {
        double exact = double(edges[i].x) * edges[i].w - double(edges[i].y) * edges[i].z;
        ASSERT_EQ(sides[i].x, -sides[i].y) << i;
        ASSERT_EQ(sides[i].x > 0, exact > 0) << i;
        ASSERT_EQ(sides[i].x < 0, exact < 0) << i;
        n_zero += exact == 0;
    }
    EXPECT_LT(n_zero, kEdges / 2);
}
