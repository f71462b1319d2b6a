// Point sets for tests of octrees, trees in host memory, and a reference tree built from the
// definition.
#pragma once

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "accel/octree/octree_builder.h"

namespace tl::test {

using Surfels = std::vector<Surfel>;

/// Kinds of point sets, most of them hard or impossible to split. Points lie in a cube, on a
/// sphere, in clusters far apart, on a line, all at one position, or at the nodes of a coarse grid.
/// In others some points are not finite, or all are far away.
inline const char* const kSurfelKinds[] = {"cube", "sphere",    "clusters", "line",
                                           "grid", "one place", "nowhere",  "far away"};

inline Surfels surfels_of(const std::string& kind, std::size_t n, unsigned seed = 1) {
    std::mt19937 engine(seed);
    std::uniform_real_distribution<float> uniform(-1, 1);
    std::normal_distribution<float> normal;
    Surfels surfels(n);
    for (std::size_t i = 0; i < n; ++i) {
        vec3 direction = glm::normalize(vec3(normal(engine), normal(engine), normal(engine)));
        vec3 p(uniform(engine), uniform(engine), uniform(engine));
        if (kind == "sphere") p = 3.0f * direction + vec3(1, 2, 3);
        if (kind == "clusters")
            p = 1e-5f * p + vec3(float(i % 7), float(i % 3), float(i % 2) * 0.1f);
        if (kind == "line") p = p.x * vec3(1, 2, -3);
        if (kind == "grid") p = glm::round(p * 4.0f) / 4.0f;
        if (kind == "one place") p = vec3(3, -1, 2);
        if (kind == "far away") p = i % 50 ? p + vec3(1e6f, -3e6f, 0) : 1e17f * p;
        if (kind == "nowhere" && i % 5 == 1) p[int(i % 3)] = i % 2 ? kInfinity : NAN;
        if (kind == "nowhere" && i % 5 == 2) p.x = 1e30f;
        surfels[i] = {p, 0.5f + 0.5f * uniform(engine), direction, 0};
        if (i % 11 == 3) surfels[i].normal = vec3(0);
        if (i % 13 == 5) surfels[i].area = i % 2 ? -1.0f : NAN;
    }
    return surfels;
}

/// A tree in host memory.
struct HostOctree {
    OctreeHeader header;
    std::vector<OctreeNode> nodes;
    std::vector<std::uint32_t> parents;
    std::vector<OctreeAttributes> attributes;
    std::vector<Surfel> points;
    std::vector<std::uint64_t> keys;

    static HostOctree from(Stream& stream, Octree& tree) {
        HostOctree host;
        host.header = tree.header(stream);
        OctreeView view = tree.view();
        auto copy = [&]<class T>(std::vector<T>& to, View<T> of, std::size_t n) {
            to.resize(n);
            if (n) stream.device().download(stream, to.data(), of.data, n * sizeof(T));
        };
        copy(host.nodes, view.nodes, host.header.n_nodes);
        copy(host.parents, view.parents, host.header.n_nodes);
        copy(host.attributes, view.attributes, host.header.n_nodes);
        copy(host.points, view.points, host.header.n_points);
        copy(host.keys, view.keys, host.header.n_points);
        return host;
    }
    /// Whether both have the same bits.
    [[nodiscard]] bool operator==(const HostOctree& o) const {
        auto equal = [](auto& a, auto& b) {
            return a.size() == b.size() &&
                   (a.empty() || !std::memcmp(a.data(), b.data(), a.size() * sizeof a[0]));
        };
        return !std::memcmp(&header, &o.header, sizeof header) && equal(nodes, o.nodes) &&
               equal(parents, o.parents) && equal(attributes, o.attributes) &&
               equal(points, o.points) && equal(keys, o.keys);
    }
};

/// Nodes of the tree over sorted keys, straight from the definition.
struct DefinedOctree {
    std::vector<OctreeNode> nodes;
    std::vector<std::uint32_t> parents, level_begin;

    DefinedOctree(const std::vector<std::uint64_t>& keys, const OctreeConfig& config) {
        if (keys.empty()) return;
        auto n = static_cast<std::uint32_t>(keys.size());
        nodes.push_back({0, 0, n, 0});
        parents.push_back(0);
        level_begin = {0, 1};
        for (int level = 0; level < config.max_level; ++level) {
            for (std::uint32_t k = level_begin[std::size_t(level)];
                 k < level_begin[std::size_t(level) + 1]; ++k)
                split(keys, k, 3 * (OctreeGrid::kLevels - 1 - level), config.leaf_size);
            if (nodes.size() == level_begin.back()) break;
            level_begin.push_back(static_cast<std::uint32_t>(nodes.size()));
        }
    }

  private:
    void split(const std::vector<std::uint64_t>& keys, std::uint32_t k, int shift, int leaf_size) {
        auto [first, none, end, nor] = nodes[k];
        if (end - first <= static_cast<std::uint32_t>(leaf_size)) return;
        auto first_child = static_cast<std::uint32_t>(nodes.size());
        for (std::uint32_t i = first; i < end; ++i) {
            if (i == first || keys[i] >> shift != keys[i - 1] >> shift) {
                nodes.push_back({i, 0, i, 0});
                parents.push_back(k);
            }
            ++nodes.back().end;
        }
        nodes[k].first_child = first_child;
        nodes[k].end_child = static_cast<std::uint32_t>(nodes.size());
    }
};

}  // namespace tl::test
