// Fixture of the tests of the library's trees.
#pragma once

#include <gtest/gtest.h>

#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "core/device/device.h"
#include "library/api/treelight_trees.h"
#include "tests/library/tree_oracle.h"

namespace tl::test {

inline constexpr float kInf = std::numeric_limits<float>::infinity();
inline constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// Beginnings of lists of these sizes, and the end of the last.
inline std::vector<std::uint64_t> offsets_of(const std::vector<std::uint32_t>& counts) {
    std::vector<std::uint64_t> offsets(counts.size() + 1);
    std::inclusive_scan(counts.begin(), counts.end(), offsets.begin() + 1, std::plus<>(),
                        std::uint64_t{0});
    return offsets;
}

struct TreeCloser {
    void operator()(tl_tree* tree) const { tl_tree_destroy(tree); }
};
using TreeOwner = std::unique_ptr<tl_tree, TreeCloser>;

/// Centre and extent of a mesh.
struct Place {
    double middle, extent;
};
inline constexpr Place kPlaces[] = {{0, 1}, {1e6, 1000}, {-3e-4, 1e-4}};

/// A suite that runs on the device of its parameter.
class TreeTest : public testing::TestWithParam<const char*> {
  public:
    void SetUp() override {
        if (std::string(GetParam()) == "cuda" && !cuda_absence().empty())
            GTEST_SKIP() << cuda_absence();
    }
    static TreeOwner create_on(const char* device, const std::vector<tl_setting>& settings = {}) {
        tl_tree* tree = nullptr;
        EXPECT_EQ(tl_tree_create(device, settings.data(), settings.size(), &tree), TL_OK)
            << tl_last_error();
        return TreeOwner(tree);
    }
    static TreeOwner create(const std::vector<tl_setting>& settings = {}) {
        return create_on(GetParam(), settings);
    }
    static tl_geometry geometry_of(const TestMesh& mesh) {
        tl_geometry g{};
        g.kind = TL_TRIANGLES;
        g.count = mesh.n_faces();
        g.positions = {mesh.vertices.data(), 0, 0};
        g.n_positions = mesh.n_vertices();
        g.faces = mesh.faces.data();
        return g;
    }
    static void build(const TreeOwner& tree, const tl_geometry& geometry) {
        EXPECT_EQ(tl_tree_build(tree.get(), &geometry, nullptr), TL_OK) << tl_last_error();
    }
    static TreeOwner tree_of(const TestMesh& mesh, const std::vector<tl_setting>& settings = {}) {
        auto tree = create(settings);
        build(tree, geometry_of(mesh));
        return tree;
    }
};

/// Points about a mesh, the last two not finite.
inline std::vector<float> points_about(Place place, std::size_t n, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> unit(-1.5, 1.5);
    std::vector<float> points(3 * n);
    for (float& x : points) x = static_cast<float>(place.middle + place.extent * unit(random));
    points[3 * n - 2] = kNan;
    points[3 * n - 6] = kInf;
    return points;
}
inline Point point_at(const std::vector<float>& points, std::size_t i) {
    return {points[3 * i], points[3 * i + 1], points[3 * i + 2]};
}
inline tl_floats packed(const std::vector<float>& data) {
    return {data.data(), 0, 0};
}
/// A tree's input of points, which stay the caller's.
inline tl_geometry geometry_of_points(const std::vector<float>& positions) {
    tl_geometry g{};
    g.kind = TL_POINTS;
    g.count = positions.size() / 3;
    g.positions = packed(positions);
    return g;
}

struct Hits {
    std::vector<float> t, uv, normals;
    std::vector<std::uint32_t> primitives, instances;

    explicit Hits(std::size_t n) : t(n), uv(2 * n), normals(3 * n), primitives(n), instances(n) {}
    tl_hits out() {
        return {sizeof(tl_hits),  t.data(),  primitives.data(),
                instances.data(), uv.data(), normals.data()};
    }
};

/// Rays between random points.
struct Rays {
    std::vector<float> origins, directions;
    tl_rays in{};

    Rays(Place place, std::size_t n, unsigned seed)
        : origins(points_about(place, n, seed)), directions(points_about(place, n, seed + 1)) {
        for (std::size_t i = 0; i < 3 * n; ++i) directions[i] -= origins[i];
        in.count = n;
        in.origins = packed(origins);
        in.directions = packed(directions);
    }
};

inline Hits closest(const TreeOwner& tree, const Rays& rays) {
    Hits hits(rays.in.count);
    const auto out = hits.out();
    EXPECT_EQ(tl_tree_closest(tree.get(), &rays.in, &out, nullptr), TL_OK) << tl_last_error();
    return hits;
}

inline tl_tree_info about(const TreeOwner& tree) {
    tl_tree_info info{};
    EXPECT_EQ(tl_tree_about(tree.get(), &info), TL_OK) << tl_last_error();
    return info;
}

}  // namespace tl::test
