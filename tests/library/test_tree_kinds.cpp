// Trees of the C interface over boxes, spheres and points; refits, files, streams, and what is
// refused.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <set>

#include "core/base/files.h"
#include "tests/library/tree_fixture.h"
#include "tests/unit/temp_folder.h"

namespace tl::tree_kinds_tests {

using namespace test;

class TreeKinds : public TreeTest {};

/// Random spheres: centres and radii, some of them NaN.
struct Spheres {
    std::vector<float> centers, radii;
    tl_geometry geometry{};

    explicit Spheres(std::size_t n) : centers(points_about({0, 1}, n, 21)), radii(n) {
        for (std::size_t i = 0; i < n; ++i)
            radii[i] = i % 40 == 3 ? kNan : 0.02f + 0.0005f * static_cast<float>(i % 100);
        geometry.kind = TL_SPHERES;
        geometry.count = n;
        geometry.positions = packed(centers);
        geometry.radii = packed(radii);
    }
    [[nodiscard]] bool is_finite(std::size_t i) const {
        return std::isfinite(radii[i]) && i + 2 < radii.size();
    }
};

TEST_P(TreeKinds, SpheresAreThoseOfBruteForce) {
    const Spheres spheres(300);
    auto tree = create();
    build(tree, spheres.geometry);
    EXPECT_EQ(about(tree).n_dropped, 8u + 2u);
    constexpr std::size_t kN = 300;
    const Rays rays({0, 1}, kN, 22);
    const auto hits = closest(tree, rays);
    std::size_t n_hits = 0;
    for (std::size_t i = 0; i < kN - 2; ++i) {
        const Point o = point_at(rays.origins, i), d = point_at(rays.directions, i);
        double least = kInf;
        bool is_clear = true;
        for (std::size_t k = 0; k < 300; ++k) {
            if (!spheres.is_finite(k)) continue;
            const Point f = minus(o, point_at(spheres.centers, k));
            const double r = static_cast<double>(spheres.radii[k]), a = dot(d, d), b = dot(f, d);
            const double root = b * b - a * (dot(f, f) - r * r);
            if (std::abs(root) < 1e-4 * a * r * r) is_clear = false;
            if (root < 0) continue;
            for (double t : {(-b - std::sqrt(root)) / a, (-b + std::sqrt(root)) / a})
                if (t > 0) least = std::min(least, t);
        }
        if (!is_clear) continue;
        if (least == kInf) {
            ASSERT_EQ(hits.primitives[i], TL_NONE) << i;
            continue;
        }
        ++n_hits;
        ASSERT_NEAR(hits.t[i], least, 1e-5) << i;
        const Point at = along(o, least, d), c = point_at(spheres.centers, hits.primitives[i]);
        ASSERT_NEAR(dot(minus(at, c), point_at(hits.normals, i)) / length(minus(at, c)), 1, 1e-3);
    }
    EXPECT_GT(n_hits, 50u);
    const auto points = points_about({0, 1}, kN, 24);
    std::vector<float> distances(kN);
    const auto in = packed(points);
    const tl_closest_points out{sizeof(tl_closest_points), distances.data(), nullptr, nullptr,
                                nullptr};
    ASSERT_EQ(tl_tree_closest_point(tree.get(), &in, kN, kInf, &out, nullptr), TL_OK);
    for (std::size_t i = 0; i < kN - 2; ++i) {
        double least = kInf;
        for (std::size_t k = 0; k < 300; ++k)
            if (spheres.is_finite(k))
                least = std::min(
                    least,
                    std::abs(length(minus(point_at(points, i), point_at(spheres.centers, k))) -
                             static_cast<double>(spheres.radii[k])));
        ASSERT_NEAR(distances[i], least, 2e-6);
    }
}

TEST_P(TreeKinds, BoxesAreThoseOfBruteForce) {
    constexpr std::size_t kBoxes = 250, kN = 300;
    const auto lower = points_about({0, 1}, kBoxes, 31);
    auto upper = lower;
    std::mt19937 random(32);
    std::uniform_real_distribution<float> size(0, 0.2f);
    for (float& x : upper) x += size(random);
    tl_geometry g{};
    g.kind = TL_BOXES;
    g.count = kBoxes;
    g.positions = packed(lower);
    g.upper = packed(upper);
    auto tree = create();
    build(tree, g);
    const Rays rays({0, 1}, kN, 33);
    const auto hits = closest(tree, rays);
    const auto points = points_about({0, 1}, kN, 34);
    std::vector<float> distances(kN);
    const auto in = packed(points);
    const tl_closest_points out{sizeof(tl_closest_points), distances.data(), nullptr, nullptr,
                                nullptr};
    ASSERT_EQ(tl_tree_closest_point(tree.get(), &in, kN, kInf, &out, nullptr), TL_OK);
    std::size_t n_hits = 0;
    for (std::size_t i = 0; i < kN - 2; ++i) {
        const Point o = point_at(rays.origins, i), d = point_at(rays.directions, i);
        double first = kInf, least = kInf;
        for (std::size_t k = 0; k < kBoxes - 2; ++k) {
            const Point lo = point_at(lower, k), hi = point_at(upper, k), p = point_at(points, i);
            double enter = -kInf, leave = kInf;
            Point outside{};
            for (std::size_t axis = 0; axis < 3; ++axis) {
                double a = (lo[axis] - o[axis]) / d[axis], b = (hi[axis] - o[axis]) / d[axis];
                enter = std::max(enter, std::min(a, b));
                leave = std::min(leave, std::max(a, b));
                outside[axis] = std::max({lo[axis] - p[axis], p[axis] - hi[axis], 0.0});
            }
            least = std::min(least, length(outside));
            double t = enter > 0 ? enter : leave;
            if (enter <= leave && t > 0) first = std::min(first, t);
        }
        ASSERT_NEAR(distances[i], least, 1e-6);
        if (first < kInf) {
            ++n_hits;
            ASSERT_NEAR(hits.t[i], first, 1e-5) << i;
            Point normal = point_at(hits.normals, i);
            ASSERT_NEAR(length(normal), 1, 1e-6);
        } else {
            ASSERT_EQ(hits.primitives[i], TL_NONE);
        }
    }
    EXPECT_GT(n_hits, 50u);
}

TEST_P(TreeKinds, NeighboursAreThoseOfBruteForce) {
    constexpr std::size_t kPoints = 700, kN = 200;
    auto positions = points_about({0, 1}, kPoints, 41);
    // Points that coincide.
    for (std::size_t i = 0; i < 30; ++i) positions[i] = positions[30 + i];
    positions[300] = kNan;
    auto tree = create();
    build(tree, geometry_of_points(positions));
    EXPECT_EQ(about(tree).n_dropped, 3u);
    const auto queries = points_about({0, 1}, kN, 42);
    const auto in = packed(queries);
    auto is_finite = [&](std::size_t k) {
        const Point p = point_at(positions, k);
        return std::isfinite(p[0] + p[1] + p[2]);
    };
    for (int k : {1, 7, 128})
        for (float radius : {kInf, 0.3f}) {
            const auto size = static_cast<std::size_t>(k);
            std::vector<std::uint32_t> indices(kN * size);
            std::vector<float> distances(kN * size);
            ASSERT_EQ(tl_tree_nearest(tree.get(), &in, kN, k, radius, indices.data(),
                                      distances.data(), nullptr),
                      TL_OK)
                << tl_last_error();
            for (std::size_t i = 0; i < kN; ++i) {
                std::vector<double> all;
                for (std::size_t p = 0; p < kPoints && i < kN - 2; ++p) {
                    double d = length(minus(point_at(positions, p), point_at(queries, i)));
                    if (is_finite(p) && d < static_cast<double>(radius)) all.push_back(d);
                }
                std::ranges::sort(all);
                for (std::size_t j = 0; j < size; ++j) {
                    if (j >= all.size()) {
                        ASSERT_EQ(indices[size * i + j], TL_NONE);
                        ASSERT_EQ(distances[size * i + j], kInf);
                        continue;
                    }
                    ASSERT_NEAR(distances[size * i + j], all[j], 1e-6);
                    const Point p = point_at(positions, indices[size * i + j]);
                    ASSERT_NEAR(length(minus(p, point_at(queries, i))), all[j], 1e-6);
                }
            }
        }
    constexpr float kRadius = 0.4f;
    std::vector<std::uint32_t> counts(kN);
    ASSERT_EQ(tl_tree_count_within(tree.get(), &in, kN, kRadius, counts.data(), nullptr), TL_OK);
    const auto offsets = offsets_of(counts);
    std::vector<std::uint32_t> list(offsets[kN]);
    std::vector<float> distances(offsets[kN]), densities(kN);
    ASSERT_EQ(tl_tree_list_within(tree.get(), &in, kN, kRadius, offsets.data(), list.data(),
                                  distances.data(), nullptr),
              TL_OK);
    ASSERT_EQ(tl_tree_density(tree.get(), &in, kN, 10, densities.data(), nullptr), TL_OK);
    for (std::size_t i = 0; i < kN - 2; ++i) {
        std::set<std::uint32_t> expected;
        std::vector<double> all;
        for (std::uint32_t p = 0; p < kPoints; ++p) {
            if (!is_finite(p)) continue;
            double d = length(minus(point_at(positions, p), point_at(queries, i)));
            all.push_back(d);
            if (d < static_cast<double>(kRadius)) expected.insert(p);
        }
        const auto first = list.begin() + static_cast<std::ptrdiff_t>(offsets[i]);
        ASSERT_EQ(std::set(first, first + counts[i]), expected);
        std::ranges::sort(all);
        const double volume = 4.0 / 3 * 3.14159265358979 * std::pow(all[9], 3);
        ASSERT_NEAR(static_cast<double>(densities[i]) * volume / 10, 1, 1e-4);
    }
}

TEST_P(TreeKinds, RefitsFindWhatBuildsFind) {
    for (const char* layout : {"auto", "bvh2", "bvh4"}) {
        auto mesh = random_soup(400, 0, 1, 61);
        auto tree = tree_of(mesh, {{"layout", layout}});
        std::mt19937 random(62);
        std::uniform_real_distribution<float> unit(-0.3f, 0.3f);
        for (float& x : mesh.vertices) x += unit(random);
        auto moved = geometry_of(mesh);
        moved.faces = nullptr;
        ASSERT_EQ(tl_tree_refit(tree.get(), &moved, nullptr), TL_OK) << tl_last_error();
        auto fresh = tree_of(mesh, {{"layout", layout}});
        const Rays rays({0, 1}, 300, 63);
        const auto a = closest(tree, rays), b = closest(fresh, rays);
        EXPECT_EQ(a.primitives, b.primitives);
        EXPECT_EQ(a.t, b.t);
        const auto points = packed(rays.origins);
        std::vector<float> refitted(300), built(300);
        for (auto [of, to] : {std::pair{&tree, &refitted}, {&fresh, &built}})
            ASSERT_EQ(tl_tree_winding_number(of->get(), &points, 300, 8, to->data(), nullptr),
                      TL_OK);
        for (std::size_t i = 0; i < 300; ++i) ASSERT_NEAR(refitted[i], built[i], 1e-3);
    }
}

TEST_P(TreeKinds, ArraysMayHaveStrides) {
    const auto mesh = random_soup(200, 0, 1, 71);
    // Vertices of five numbers, rays as one array of structures, and components apart.
    std::vector<float> vertices(5 * mesh.n_vertices(), kNan), structures, apart(3 * 100);
    for (std::size_t i = 0; i < mesh.n_vertices(); ++i)
        for (std::size_t c = 0; c < 3; ++c) vertices[5 * i + c] = mesh.vertices[3 * i + c];
    const Rays rays({0, 1}, 100, 72);
    for (std::size_t i = 0; i < 100; ++i) {
        for (std::size_t c = 0; c < 3; ++c) {
            structures.push_back(rays.origins[3 * i + c]);
            apart[100 * c + i] = rays.directions[3 * i + c];
        }
        structures.push_back(0.25f);
    }
    auto g = geometry_of(mesh);
    g.positions = {vertices.data(), 5 * sizeof(float), 0};
    auto tree = create();
    build(tree, g);
    tl_rays strided = rays.in;
    strided.origins = {structures.data(), 4 * sizeof(float), 0};
    strided.directions = {apart.data(), sizeof(float), 100 * sizeof(float)};
    Hits hits(100);
    const auto out = hits.out();
    ASSERT_EQ(tl_tree_closest(tree.get(), &strided, &out, nullptr), TL_OK) << tl_last_error();
    const auto expected = closest(tree_of(mesh), rays);
    EXPECT_EQ(hits.primitives, expected.primitives);
    EXPECT_EQ(hits.t, expected.t);
}

TEST_P(TreeKinds, EmptyTreesFindNothing) {
    auto tree = create();
    const Rays rays({0, 1}, 50, 81);
    for (auto primitive : closest(tree, rays).primitives) EXPECT_EQ(primitive, TL_NONE);
    std::vector<float> distances(50, 0), numbers(50, 7);
    const auto points = packed(rays.origins);
    const tl_closest_points out{sizeof(tl_closest_points), distances.data(), nullptr, nullptr,
                                nullptr};
    ASSERT_EQ(tl_tree_closest_point(tree.get(), &points, 50, kInf, &out, nullptr), TL_OK);
    ASSERT_EQ(tl_tree_winding_number(tree.get(), &points, 50, 0, numbers.data(), nullptr), TL_OK);
    for (float d : distances) EXPECT_EQ(d, kInf);
    for (float w : numbers) EXPECT_EQ(w, 0);
    std::size_t n = 1;
    ASSERT_EQ(tl_tree_pairs(tree.get(), tree.get(), 0, nullptr, &n, nullptr), TL_OK);
    EXPECT_EQ(n, 0u);
    auto nan = random_soup(1, kNan, 1, 1);
    build(tree, geometry_of(nan));
    EXPECT_EQ(about(tree).n_dropped, 1u);
    for (auto primitive : closest(tree, rays).primitives) EXPECT_EQ(primitive, TL_NONE);
    build(tree, geometry_of_points({}));
    std::vector<std::uint32_t> indices(50);
    ASSERT_EQ(tl_tree_nearest(tree.get(), &points, 50, 1, kInf, indices.data(), nullptr, nullptr),
              TL_OK);
    for (auto index : indices) EXPECT_EQ(index, TL_NONE);
    // No queries at all.
    ASSERT_EQ(tl_tree_nearest(tree.get(), nullptr, 0, 1, kInf, nullptr, nullptr, nullptr), TL_OK);
}

TEST_P(TreeKinds, FaultsAreRefused) {
    auto mesh = random_soup(20, 0, 1, 91);
    auto tree = tree_of(mesh);
    const Rays rays({0, 1}, 10, 92);
    mesh.faces[16] = static_cast<std::uint32_t>(mesh.n_vertices());
    auto g = geometry_of(mesh);
    EXPECT_EQ(tl_tree_build(tree.get(), &g, nullptr), TL_INVALID);
    EXPECT_NE(std::string(tl_last_error()).find("face 5 "), std::string::npos) << tl_last_error();
    EXPECT_EQ(about(tree).n_primitives, 0u);
    for (auto primitive : closest(tree, rays).primitives) EXPECT_EQ(primitive, TL_NONE);
    auto unchecked = create({{"check-indices", "false"}});
    build(unchecked, g);
    EXPECT_EQ(about(unchecked).n_dropped, 3u);  // this face, and two with NaN or infinity
    g.faces = nullptr;
    g.count = 21;
    EXPECT_EQ(tl_tree_build(tree.get(), &g, nullptr), TL_INVALID);
    g.positions.data = nullptr;
    EXPECT_EQ(tl_tree_build(tree.get(), &g, nullptr), TL_INVALID);
    tl_tree* none = nullptr;
    const tl_setting bad[] = {{"builder", "bhv"}, {"colour", "red"}, {"layout", "bvh3"}};
    for (const auto& setting : bad) {
        EXPECT_NE(tl_tree_create(GetParam(), &setting, 1, &none), TL_OK) << setting.name;
        EXPECT_EQ(none, nullptr);
    }
    EXPECT_EQ(tl_tree_create("gpu", nullptr, 0, &none), TL_UNKNOWN);
    std::vector<std::uint32_t> counts(10);
    EXPECT_EQ(tl_tree_count_within(tree.get(), &rays.in.origins, 10, 1, counts.data(), nullptr),
              TL_INVALID);
    EXPECT_EQ(tl_tree_count_hits(nullptr, &rays.in, counts.data(), nullptr), TL_INVALID);
    Hits hits(10);
    const auto out = hits.out();
    EXPECT_EQ(tl_tree_all_hits(tree.get(), &rays.in, 0, &out, nullptr, nullptr), TL_INVALID);
    auto splits = create({{"builder", "kd-sah"}});
    build(splits, geometry_of(random_soup(20, 0, 1, 91)));
    EXPECT_EQ(tl_tree_count_hits(splits.get(), &rays.in, counts.data(), nullptr), TL_INVALID);
    EXPECT_EQ(closest(splits, rays).primitives.size(), 10u);
}

TEST_P(TreeKinds, FilesKeepTrees) {
    const TempFolder folder;
    const std::string path = folder.path("a.tree");
    const auto mesh = random_soup(200, 0, 1, 101);
    const Spheres spheres(100);
    const Rays rays({0, 1}, 200, 102);
    for (int kind = 0; kind < 2; ++kind) {
        auto tree = create({{"binned-bins", "16"}, {"tree-robust", "true"}});
        build(tree, kind == 0 ? geometry_of(mesh) : spheres.geometry);
        ASSERT_EQ(tl_tree_save(tree.get(), path.c_str()), TL_OK) << tl_last_error();
        tl_tree* opened = nullptr;
        ASSERT_EQ(tl_tree_open(GetParam(), path.c_str(), &opened), TL_OK) << tl_last_error();
        const TreeOwner owner(opened);
        const auto a = closest(tree, rays), b = closest(owner, rays);
        EXPECT_EQ(a.primitives, b.primitives);
        EXPECT_EQ(a.t, b.t);
        EXPECT_EQ(about(owner).n_dropped, about(tree).n_dropped);
        EXPECT_STREQ(about(owner).builder, "binned");
    }
    // A damaged byte, an end cut off, another file.
    std::string bytes = read_file(path);
    tl_tree* none = nullptr;
    for (const std::string& text : {bytes.substr(0, 1000), std::string("ply"),
                                    bytes.substr(0, 700) + "x" + bytes.substr(701)}) {
        write_file(path, text);
        EXPECT_EQ(tl_tree_open(GetParam(), path.c_str(), &none), TL_BAD_FILE);
        EXPECT_NE(std::string(tl_last_error()).find("a.tree"), std::string::npos);
    }
    EXPECT_EQ(tl_tree_open(GetParam(), "/nowhere/b.tree", &none), TL_BAD_FILE);
    EXPECT_EQ(none, nullptr);
    auto tree = tree_of(mesh);
    EXPECT_EQ(tl_tree_save(tree.get(), "/nowhere/b.tree"), TL_BAD_FILE);
}

INSTANTIATE_TEST_SUITE_P(OnCpu, TreeKinds, testing::Values("cpu"));
INSTANTIATE_TEST_SUITE_P(OnCuda, TreeKinds, testing::Values("cuda"));

}  // namespace tl::tree_kinds_tests
