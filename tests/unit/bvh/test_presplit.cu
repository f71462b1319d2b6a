// Pre-splitting: pieces cover their triangles, stay within the budget and their boxes, and trees
// over them give the same hits with fewer node visits.
#include <algorithm>
#include <random>

#include "accel/bvh/inspect/tree_stats.h"
#include "accel/bvh/passes/presplit.h"
#include "accel/bvh/traversal/any_tracer.h"
#include "core/device/parallel_for.h"
#include "tests/device_test.h"
#include "tests/unit/bvh/brute_force.h"

namespace tl::TL_DEVICE_NAME {
namespace {

struct Mesh {
    std::vector<vec3> positions;
    std::vector<glm::uvec3> triangles;
    std::vector<Box> boxes;

    void add(vec3 a, vec3 b, vec3 c) {
        auto first = static_cast<std::uint32_t>(positions.size());
        positions.insert(positions.end(), {a, b, c});
        triangles.push_back({first, first + 1, first + 2});
        Box box;
        for (vec3 corner : {a, b, c}) box.extend(corner);
        boxes.push_back(box);
    }
    [[nodiscard]] vec3 corner(std::size_t triangle, int k) const {
        return positions[triangles[triangle][k]];
    }
};

/// Thin diagonal triangles of length `length`, or a thousandth of it, in a scene 20 wide.
Mesh needles(std::size_t n, float length, unsigned seed = 5) {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<float> position(-10, 10), unit(-1, 1);
    auto vector = [&](auto& distribution) {
        return vec3(distribution(engine), distribution(engine), distribution(engine));
    };
    Mesh mesh;
    for (std::size_t i = 0; i < n; ++i) {
        vec3 at = vector(position), along = vector(unit);
        float size = i % 4 ? length : 1e-3f * length;
        mesh.add(at, at + size * along, at + size * (along + 0.02f * vector(unit)));
    }
    return mesh;
}

/// A mesh on the device.
struct Input {
    DeviceArray<vec3> positions;
    DeviceArray<glm::uvec3> triangles;
    DeviceArray<Box> boxes;
    BuildInput input;

    Input(Stream& stream, const Mesh& mesh)
        : positions(stream, std::span<const vec3>(mesh.positions)),
          triangles(stream, std::span<const glm::uvec3>(mesh.triangles)),
          boxes(stream, std::span<const Box>(mesh.boxes)) {
        input.boxes = boxes.view();
        input.triangles = {positions.data(), triangles.data(),
                           static_cast<std::uint32_t>(triangles.size())};
    }
};

struct Pieces {
    std::vector<Box> boxes;
    std::vector<std::uint32_t> primitive_of;
    std::uint32_t n_padding = 0;
    std::size_t n_used = 0;
};

Pieces split(Stream& stream, Scratch& scratch, const BuildInput& input, float budget) {
    DeviceArray<TreeHeader> header(stream, 1);
    header.fill_zero(stream);
    Scratch::Scope scope(scratch);
    BuildInput pieces = presplit(scratch, input, budget, header.view());
    Pieces host;
    host.boxes.resize(pieces.boxes.size);
    host.primitive_of.resize(pieces.primitive_of.size);
    stream.device().download(stream, host.boxes.data(), pieces.boxes.data,
                             host.boxes.size() * sizeof(Box));
    stream.device().download(stream, host.primitive_of.data(), pieces.primitive_of.data,
                             host.primitive_of.size() * sizeof(std::uint32_t));
    host.n_padding = header.download(stream)[0].n_padding;
    host.n_used = host.boxes.size() - host.n_padding;
    return host;
}

bool contains(const Box& box, glm::dvec3 p) {
    for (int axis = 0; axis < 3; ++axis)
        if (p[axis] < box.lo[axis] || p[axis] > box.hi[axis]) return false;
    return true;
}

struct Traced {
    std::vector<Hit> hits;
    std::uint64_t n_nodes = 0;
};

struct TracePass {
    Stream& stream;
    View<const Ray> rays;
    View<Hit> hits;
    View<std::uint32_t> n_nodes;

    template <class Tracer>
    void operator()(Tracer tracer) const {
        auto in = rays;
        auto out = hits;
        auto visits = n_nodes;
        parallel_for(
            stream, "trace", static_cast<std::uint32_t>(rays.size), TL_LAMBDA(std::uint32_t i) {
                RayStats stats;
                out[i] = tracer.closest(in[i], stats);
                visits[i] = stats.n_nodes;
            });
    }
};

Traced trace(Device& device, Stream& stream, Scratch& scratch, const Mesh& mesh, float budget,
             const std::vector<Ray>& rays) {
    Input on_device(stream, mesh);
    Tree tree;
    tree.config.presplit = budget;
    tree.build(scratch, *make_tree_builder("lbvh", device), on_device.input);
    EXPECT_EQ(measure_tree(stream, tree).n_dropped, 0u);
    DeviceArray<Primitive> primitives(stream, tree.order().size);
    auto order = tree.order();
    auto header = tree.header();
    auto gathered = primitives.view();
    auto triangles = on_device.input.triangles;
    parallel_for(
        stream, "gather", static_cast<std::uint32_t>(order.size), TL_LAMBDA(std::uint32_t place) {
            if (place >= header[0].n_places) return;
            std::uint32_t id = order[place];
            glm::uvec3 t = triangles.triangles[id];
            gathered[place] =
                triangle_primitive(id, triangles.positions[t.x], triangles.positions[t.y],
                                   triangles.positions[t.z], false);
        });
    DeviceArray<Ray> ray_array(stream, std::span<const Ray>(rays));
    DeviceArray<Hit> hits(stream, rays.size());
    DeviceArray<std::uint32_t> n_nodes(stream, rays.size());
    visit_any_tracer(tree.view(primitives.data()),
                     TracePass{stream, ray_array.view(), hits.view(), n_nodes.view()});
    Traced traced{hits.download(stream)};
    for (auto visits : n_nodes.download(stream)) traced.n_nodes += visits;
    return traced;
}

std::vector<Ray> random_rays(std::size_t n) {
    std::mt19937 engine(9);
    std::uniform_real_distribution<float> position(-10, 10);
    std::normal_distribution<float> normal;
    std::vector<Ray> rays(n);
    for (auto& ray : rays) {
        ray.origin = vec3(position(engine), position(engine), position(engine));
        ray.direction = glm::normalize(vec3(normal(engine), normal(engine), normal(engine)));
    }
    return rays;
}

}  // namespace
}  // namespace tl::TL_DEVICE_NAME

TL_DEVICE_TEST(Presplit, PiecesCoverTheirTriangleWithinItsBox) {
    for (float budget : {0.1f, 1.0f}) {
        Mesh mesh = needles(2000, 6);
        mesh.add({-10, -10, -10}, {10, -10, -9}, {10, 10, 10});  // one that fills the scene
        Input on_device(stream, mesh);
        Pieces pieces = split(stream, scratch, on_device.input, budget);
        std::vector<std::vector<Box>> of_triangle(mesh.boxes.size());
        std::size_t n_valid = 0;
        for (std::size_t i = 0; i < pieces.boxes.size(); ++i) {
            if (i < mesh.boxes.size()) {
                EXPECT_EQ(pieces.primitive_of[i], i);
            }
            const Box& box = pieces.boxes[i];
            if (!box.is_valid()) continue;
            ++n_valid;
            const Box& whole = mesh.boxes[pieces.primitive_of[i]];
            EXPECT_TRUE(contains(whole, box.lo) && contains(whole, box.hi)) << "piece " << i;
            of_triangle[pieces.primitive_of[i]].push_back(box);
        }
        EXPECT_EQ(n_valid, pieces.n_used);
        EXPECT_EQ(pieces.boxes.size(),
                  mesh.boxes.size() +
                      static_cast<std::size_t>(budget * static_cast<float>(mesh.boxes.size())));
        // Nearly all of the budget is spent.
        EXPECT_LT(pieces.n_padding, 0.02f * budget * static_cast<float>(mesh.boxes.size()));

        std::mt19937 engine(1);
        std::uniform_real_distribution<double> unit(0, 1);
        std::size_t n_missed = 0;
        for (std::size_t t = 0; t < mesh.boxes.size(); ++t)
            for (int sample = 0; sample < 100; ++sample) {
                double u = unit(engine), v = unit(engine);
                if (sample % 4 == 0) v = 0;  // on an edge
                if (u + v > 1) u = 1 - u, v = 1 - v;
                glm::dvec3 a(mesh.corner(t, 0)), b(mesh.corner(t, 1)), c(mesh.corner(t, 2));
                glm::dvec3 p = a + u * (b - a) + v * (c - a);
                // Rounding of p must not put it outside of its triangle's box.
                p = glm::clamp(p, glm::dvec3(mesh.boxes[t].lo), glm::dvec3(mesh.boxes[t].hi));
                bool covered = false;
                for (auto& box : of_triangle[t]) covered = covered || contains(box, p);
                n_missed += !covered;
            }
        EXPECT_EQ(n_missed, 0u);
    }
}

TL_DEVICE_TEST(Presplit, PiecesAreTight) {
    // On the diagonal of a cube, each split of a thin triangle in half quarters its boxes' area.
    Mesh mesh;
    mesh.add({0, 0, 0}, {8, 8, 8}, {8, 8, 7.999f});
    for (int i = 0; i < 2; ++i) mesh.add(vec3(8.0f * i), vec3(8.0f * i), vec3(8.0f * i));
    Input on_device(stream, mesh);
    Pieces pieces = split(stream, scratch, on_device.input, 1);
    ASSERT_EQ(pieces.n_padding, 0u);
    // Three cuts: at the middle along one axis, then in each half.
    std::vector<float> areas;
    for (std::size_t i : {0, 3, 4, 5}) areas.push_back(pieces.boxes[i].half_area());
    for (float area : areas) EXPECT_NEAR(area, 3 * 2 * 2, 0.01f);
    for (std::size_t i : {1, 2}) EXPECT_EQ(pieces.boxes[i].half_area(), 0.0f);
}

TL_DEVICE_TEST(Presplit, OtherPrimitivesAndInvalidBoxesStayWhole) {
    Mesh mesh = needles(500, 6);
    for (std::size_t i = 0; i < 500; i += 50) mesh.boxes[i].hi.x = kInfinity;
    std::size_t n_triangles = 300;  // the other boxes are declared not to be triangles
    Input on_device(stream, mesh);
    on_device.input.triangles.count = static_cast<std::uint32_t>(n_triangles);
    Pieces pieces = split(stream, scratch, on_device.input, 0.5f);
    EXPECT_GT(pieces.n_used, mesh.boxes.size());
    for (std::size_t i = n_triangles; i < pieces.boxes.size(); ++i) {
        if (i < mesh.boxes.size()) {
            EXPECT_EQ(pieces.boxes[i].hi, mesh.boxes[i].hi);
            EXPECT_EQ(pieces.boxes[i].lo, mesh.boxes[i].lo);
        } else if (pieces.boxes[i].is_valid()) {
            EXPECT_LT(pieces.primitive_of[i], n_triangles);
        }
    }
    // Only the invalid boxes are reported as omitted.
    Tree tree;
    tree.config.presplit = 0.5f;
    tree.build(scratch, *make_tree_builder("lbvh", device), on_device.input);
    TreeStats stats = measure_tree(stream, tree);
    EXPECT_EQ(stats.n_dropped, 10u);
    EXPECT_EQ(stats.n_primitives, pieces.n_used - 10);
}

TL_DEVICE_TEST(Presplit, ReferencesOfTheCallerKeepTheirPrimitives) {
    Mesh mesh = needles(100, 6);
    std::vector<std::uint32_t> backwards(100);
    for (std::uint32_t i = 0; i < 100; ++i) backwards[i] = 99 - i;
    std::reverse(mesh.boxes.begin(), mesh.boxes.end());
    Input on_device(stream, mesh);
    DeviceArray<std::uint32_t> primitive_of(stream, std::span<const std::uint32_t>(backwards));
    on_device.input.primitive_of = primitive_of.view();
    Pieces pieces = split(stream, scratch, on_device.input, 1);
    for (std::size_t i = 0; i < pieces.boxes.size(); ++i) {
        if (!pieces.boxes[i].is_valid()) continue;
        std::uint32_t reference = 99 - pieces.primitive_of[i];
        if (i < 100) {
            EXPECT_EQ(reference, i);
        }
        EXPECT_TRUE(contains(mesh.boxes[reference], pieces.boxes[i].lo));
        EXPECT_TRUE(contains(mesh.boxes[reference], pieces.boxes[i].hi));
    }
}

TL_DEVICE_TEST(Presplit, FewAndDegenerateTrianglesMakeTrees) {
    for (std::size_t n : {1, 2, 3, 7}) {
        Mesh mesh = needles(n, 5);
        mesh.add({0, 1, 2}, {0, 1, 2}, {0, 1, 2});  // a point is never cut
        Input on_device(stream, mesh);
        Pieces pieces = split(stream, scratch, on_device.input, 1);
        for (std::size_t i = n + 1; i < pieces.boxes.size(); ++i)
            EXPECT_TRUE(!pieces.boxes[i].is_valid() || pieces.primitive_of[i] < n);
        Tree tree;
        tree.config.presplit = 1;
        tree.build(scratch, *make_tree_builder("lbvh", device), on_device.input);
        TreeStats stats = measure_tree(stream, tree);
        EXPECT_EQ(stats.n_dropped, 0u);
        EXPECT_EQ(stats.n_primitives, pieces.n_used);
    }
}

TL_DEVICE_TEST(Presplit, HitsAreThoseOfBruteForceForFewerVisits) {
    Mesh mesh = needles(3000, 8);
    auto rays = random_rays(3000);
    Traced whole = trace(device, stream, scratch, mesh, 0, rays);
    Traced split = trace(device, stream, scratch, mesh, 1, rays);
    std::vector<Primitive> primitives(mesh.triangles.size());
    for (std::uint32_t i = 0; i < primitives.size(); ++i) {
        primitives[i] =
            triangle_primitive(i, mesh.corner(i, 0), mesh.corner(i, 1), mesh.corner(i, 2), false);
    }
    auto all = brute_force(stream, primitives, rays);
    std::size_t n_hits = 0, n_different = 0;
    for (std::size_t i = 0; i < rays.size(); ++i) {
        const Hit& expected = all[i];
        n_hits += expected.found();
        bool same_t = expected.t == split.hits[i].t ||
                      fabsf(expected.t - split.hits[i].t) <= 1e-4f * expected.t;
        n_different += expected.found() != split.hits[i].found() || !same_t;
    }
    EXPECT_GT(n_hits, rays.size() / 20);
    // The GPU rounds differently, which may change rays at the edge of a needle.
    EXPECT_LE(n_different, device.kind() == DeviceKind::cpu ? 0 : rays.size() / 1000);
    EXPECT_LT(static_cast<double>(split.n_nodes), 0.9 * static_cast<double>(whole.n_nodes));
    testing::Test::RecordProperty(
        "visits", std::to_string(whole.n_nodes) + " " + std::to_string(split.n_nodes));
}

TL_DEVICE_TEST(Presplit, RebuildsAllocateNothing) {
    Mesh mesh = needles(10000, 4);
    Input on_device(stream, mesh);
    auto builder = make_tree_builder("lbvh", device);
    Tree tree;
    tree.config.presplit = 0.3f;
    tree.config.treelets = 1;
    for (int i = 0; i < 2; ++i) tree.build(scratch, *builder, on_device.input);
    auto before = device.memory_stats().allocation_count;
    for (int i = 0; i < 3; ++i) tree.build(scratch, *builder, on_device.input);
    EXPECT_EQ(device.memory_stats().allocation_count, before);
}
