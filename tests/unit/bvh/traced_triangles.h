// Helpers for tests of single builders: triangles, trees of any builder over them, and rays traced
// with and without the tree.
#pragma once

#include <algorithm>
#include <random>

#include "accel/bvh/inspect/tree_stats.h"
#include "accel/bvh/traversal/tracer.h"
#include "accel/tree_builder.h"
#include "core/device/parallel_for.h"
#include "tests/device_test.h"
#include "tests/unit/bvh/brute_force.h"

namespace tl::TL_DEVICE_NAME {

struct Triangles {
    std::vector<vec3> positions;
    std::vector<glm::uvec3> triangles;

    [[nodiscard]] std::size_t size() const { return triangles.size(); }
    void add(vec3 a, vec3 b, vec3 c) {
        auto first = static_cast<std::uint32_t>(positions.size());
        positions.insert(positions.end(), {a, b, c});
        triangles.emplace_back(first, first + 1, first + 2);
    }
    [[nodiscard]] vec3 corner(std::size_t i, int k) const { return positions[triangles[i][k]]; }
    [[nodiscard]] std::vector<Box> boxes() const {
        std::vector<Box> boxes(size());
        for (std::size_t i = 0; i < size(); ++i)
            for (int k = 0; k < 3; ++k) boxes[i].extend(corner(i, k));
        return boxes;
    }
    [[nodiscard]] Primitive primitive(std::uint32_t i) const {
        return triangle_primitive(i, corner(i, 0), corner(i, 1), corner(i, 2), false);
    }
};

/// Random triangles in [-10, 10]^3, with edges of about `size`.
inline Triangles soup(std::size_t n, float size, unsigned seed = 1) {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<float> position(-10, 10), edge(-size, size);
    auto random = [&](auto& distribution) {
        float x = distribution(engine), y = distribution(engine);
        return vec3(x, y, distribution(engine));
    };
    Triangles all;
    for (std::size_t i = 0; i < n; ++i) {
        vec3 a = random(position);
        vec3 b = a + random(edge), c = a + random(edge);
        all.add(a, b, c);
    }
    return all;
}

/// Long, thin triangles in random directions.
inline Triangles needles(std::size_t n, unsigned seed = 1) {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<float> position(-10, 10);
    std::normal_distribution<float> normal;
    Triangles all;
    for (std::size_t i = 0; i < n; ++i) {
        vec3 a(position(engine), position(engine), position(engine));
        vec3 along = glm::normalize(vec3(normal(engine), normal(engine), normal(engine)));
        vec3 across = glm::normalize(vec3(normal(engine), normal(engine), normal(engine)));
        all.add(a, a + 8.0f * along, a + 0.05f * across);
    }
    return all;
}

/// Triangles in dense clusters that are far apart and of very different sizes.
inline Triangles clustered(std::size_t n, unsigned seed = 1) {
    Triangles all = soup(n, 0.2f, seed);
    for (std::size_t i = 0; i < all.positions.size(); ++i) {
        std::size_t cluster = (i / 3) % 7;
        float scale = std::pow(0.1f, static_cast<float>(cluster % 4));
        all.positions[i] =
            all.positions[i] * scale + vec3(100.0f * static_cast<float>(cluster), 30.0f * scale, 0);
    }
    return all;
}

struct BuiltTree {
    Tree tree;
    TreeStats stats;
    TreeHeader header;
    std::vector<std::uint32_t> order;  ///< primitive at each position in the leaves

    /// Whether exactly the primitives with valid boxes are in the leaves.
    [[nodiscard]] bool reaches_all(const std::vector<Box>& boxes) const {
        std::vector<bool> reached(boxes.size());
        for (auto i : order) reached.at(i) = true;
        for (std::size_t i = 0; i < boxes.size(); ++i)
            if (reached[i] != boxes[i].is_valid()) return false;
        return true;
    }
};

/// Builds a tree over triangles or, if `boxes` is given, over those boxes.
inline BuiltTree build_tree(Stream& stream, Scratch& scratch, TreeBuilder& builder,
                            const Triangles& triangles, const std::vector<Box>& boxes,
                            TreeConfig config = {}) {
    BuiltTree built;
    DeviceArray<Box> box_array(stream, std::span<const Box>(boxes));
    DeviceArray<vec3> positions(stream, std::span<const vec3>(triangles.positions));
    DeviceArray<glm::uvec3> indices(stream, std::span<const glm::uvec3>(triangles.triangles));
    BuildInput input;
    input.boxes = box_array.view();
    input.triangles = {positions.data(), indices.data(),
                       static_cast<std::uint32_t>(triangles.size())};
    built.tree.config = config;
    built.tree.config.layout = TreeLayout::bvh2;
    built.tree.build(scratch, builder, input);
    built.stats = measure_tree(stream, built.tree);  // throws if the tree is invalid
    stream.device().download(stream, &built.header, built.tree.header().data, sizeof(TreeHeader));
    built.order.resize(built.header.n_places);
    if (!built.order.empty())
        stream.device().download(stream, built.order.data(), built.tree.order().data,
                                 built.order.size() * sizeof(std::uint32_t));
    return built;
}
inline BuiltTree build_tree(Stream& stream, Scratch& scratch, TreeBuilder& builder,
                            const Triangles& triangles, TreeConfig config = {}) {
    return build_tree(stream, scratch, builder, triangles, triangles.boxes(), config);
}

inline std::vector<Ray> rays_through(const Triangles& triangles, std::size_t n, unsigned seed = 7) {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<float> unit(0, 1);
    std::normal_distribution<float> normal;
    Box bounds;
    for (auto& p : triangles.positions) bounds.extend(p);
    std::vector<Ray> rays(n);
    for (auto& ray : rays) {
        vec3 r(unit(engine), unit(engine), unit(engine));
        ray.origin = bounds.lo + (r * 1.4f - 0.2f) * (bounds.hi - bounds.lo);
        ray.direction = vec3(normal(engine), normal(engine), normal(engine));
        // Half of the rays are aimed at a triangle, since clusters are small targets.
        std::size_t target = engine() % triangles.size();
        if (engine() % 2) ray.direction = triangles.corner(target, 0) - ray.origin;
        ray.direction = glm::normalize(ray.direction);
    }
    return rays;
}

struct Traced {
    std::vector<Hit> hits;
    double nodes = 0, primitives = 0;  ///< mean numbers visited and tested per ray
};

inline Traced trace(Stream& stream, const BuiltTree& built, const Triangles& triangles,
                    const std::vector<Ray>& rays) {
    std::vector<Primitive> gathered;
    for (auto i : built.order) gathered.push_back(triangles.primitive(i));
    DeviceArray<Primitive> primitives(stream, std::span<const Primitive>(gathered));
    DeviceArray<Ray> ray_array(stream, std::span<const Ray>(rays));
    DeviceArray<Hit> hit_array(stream, rays.size());
    DeviceArray<uvec2> count_array(stream, rays.size());
    Bvh2Tracer<true> tracer{built.tree.view(primitives.data()).bvh2, primitives.data()};
    auto in = ray_array.view();
    auto out = hit_array.view();
    auto counts = count_array.view();
    parallel_for(
        stream, "trace", static_cast<std::uint32_t>(rays.size()), TL_LAMBDA(std::uint32_t i) {
            RayStats stats;
            out[i] = tracer.closest(in[i], stats);
            counts[i] = uvec2(stats.n_nodes, stats.n_primitives);
        });
    Traced traced;
    traced.hits = hit_array.download(stream);
    for (auto count : count_array.download(stream)) {
        traced.nodes += count.x / static_cast<double>(rays.size());
        traced.primitives += count.y / static_cast<double>(rays.size());
    }
    return traced;
}

/// Expects the closest hits of testing all triangles. On the CPU no ray may differ; the GPU
/// contracts products differently in each kernel, which may change rays at a triangle's edge.
inline void expect_brute_force_hits(Stream& stream, const BuiltTree& built,
                                    const Triangles& triangles, std::size_t n_rays) {
    auto rays = rays_through(triangles, n_rays);
    auto traced = trace(stream, built, triangles, rays);
    std::vector<Primitive> primitives;
    for (std::uint32_t i = 0; i < triangles.size(); ++i)
        primitives.push_back(triangles.primitive(i));
    auto expected = brute_force(stream, primitives, rays);
    std::size_t n_different = 0, n_hits = 0;
    for (std::size_t i = 0; i < rays.size(); ++i) {
        const Hit& hit = traced.hits[i];
        n_hits += expected[i].found();
        n_different += hit.found() != expected[i].found() ||
                       (hit.found() && fabsf(hit.t - expected[i].t) > 1e-4f * expected[i].t);
    }
    EXPECT_GT(n_hits, n_rays / 50);
    EXPECT_LE(n_different, stream.device().kind() == DeviceKind::cpu
                               ? 0
                               : std::max<std::size_t>(n_rays / 500, 1));
}

}  // namespace tl::TL_DEVICE_NAME
