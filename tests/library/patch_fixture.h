// Bezier patches for tests of the library's trees, with an oracle by subdivision in long double.
#pragma once

#include <cmath>

#include "renderer/scene/loaders/loader.h"
#include "tests/library/tree_fixture.h"
#include "tests/oracle/patch_oracle.h"
#include "tests/source_path.h"

namespace tl::test {

/// Patches as the library takes them, and their oracles.
struct Patches {
    std::vector<float> points, weights;

    [[nodiscard]] std::size_t size() const { return points.size() / 48; }
    [[nodiscard]] tl_geometry geometry() const {
        tl_geometry g{};
        g.kind = TL_PATCHES;
        g.count = size();
        g.positions = packed(points);
        if (!weights.empty()) g.weights = packed(weights);
        return g;
    }
    [[nodiscard]] PatchOracle oracle(std::size_t patch) const {
        PatchPoints net{};
        PatchWeights of_net{};
        for (std::size_t k = 0; k < 16; ++k) {
            of_net.at[k] = weights.empty() ? 1 : weights[16 * patch + k];
            for (std::size_t axis = 0; axis < 3; ++axis)
                net.of_axis[axis][k] = points[48 * patch + 3 * k + axis] * of_net.at[k];
        }
        return {net, weights.empty() ? nullptr : &of_net};
    }
    /// Moves a control point.
    void set(std::size_t patch, std::size_t k, float x, float y, float z) {
        float* at = &points[48 * patch + 3 * k];
        at[0] = x, at[1] = y, at[2] = z;
    }
};

/// Nets of about the size extent / 2 with random heights, at random positions.
inline Patches random_patches(std::size_t n, Place place, unsigned seed, bool is_rational) {
    Patches patches;
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> unit(-1, 1);
    for (std::size_t patch = 0; patch < n; ++patch) {
        Point middle, du, dv;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            middle[axis] = place.middle + place.extent * unit(random);
            du[axis] = 0.2 * place.extent * unit(random);
            dv[axis] = 0.2 * place.extent * unit(random);
        }
        for (int k = 0; k < 16; ++k) {
            const Point at = along(along(middle, k / 4 - 1.5, du), k % 4 - 1.5, dv);
            for (double x : at)
                patches.points.push_back(
                    static_cast<float>(x + 0.12 * place.extent * unit(random)));
            if (is_rational) patches.weights.push_back(static_cast<float>(1 + 0.6 * unit(random)));
        }
    }
    return patches;
}

inline Patches teapot() {
    Patches patches;
    const Scene scene = load_scene(source_path("assets/teapot.bpt"));
    for (const vec3& p : scene.patches[0].points)
        for (int axis = 0; axis < 3; ++axis) patches.points.push_back(p[axis]);
    return patches;
}

struct RootOfPatch {
    OracleRoot root;
    std::uint32_t patch;
};

/// All intersections of a ray, nearest first. `is_clear`: none is a tangent or on a border, so that
/// rounding cannot add or remove one.
struct RootsOfRay {
    std::vector<RootOfPatch> all;
    bool is_clear = true;

    RootsOfRay(const std::vector<PatchOracle>& oracles, const Ray& ray) {
        constexpr double kBorder = 1e-6, kTangent = 1e-9;
        for (std::uint32_t patch = 0; patch < oracles.size(); ++patch)
            for (const OracleRoot& root : oracles[patch].roots(ray)) {
                all.push_back({root, patch});
                for (double t : {root.u, root.v})
                    is_clear = is_clear && t > kBorder && t < 1 - kBorder;
                is_clear = is_clear && root.spread < kTangent;
            }
        std::ranges::sort(all, {}, [](const RootOfPatch& r) { return r.root.t; });
    }
};

inline Ray ray_at(const Rays& rays, std::size_t i) {
    Ray ray;
    for (int axis = 0; axis < 3; ++axis) {
        ray.origin[axis] = rays.origins[3 * i + static_cast<std::size_t>(axis)];
        ray.direction[axis] = rays.directions[3 * i + static_cast<std::size_t>(axis)];
    }
    return ray;
}

inline constexpr int kListed = 24;

struct HitLists {
    Hits hits;
    std::vector<std::uint32_t> counts;

    HitLists(const TreeOwner& tree, const Rays& rays)
        : hits(kListed * rays.in.count), counts(rays.in.count) {
        const auto out = hits.out();
        EXPECT_EQ(tl_tree_all_hits(tree.get(), &rays.in, kListed, &out, counts.data(), nullptr),
                  TL_OK)
            << tl_last_error();
    }
};

/// Compares closest, any and all hits of a tree with the oracle's. Returns the number of hits.
inline std::size_t expect_hits_of_oracle(const TreeOwner& tree, const Patches& patches, Place place,
                                         std::size_t n_rays, unsigned seed) {
    std::vector<PatchOracle> oracles;
    for (std::size_t k = 0; k < patches.size(); ++k) oracles.push_back(patches.oracle(k));
    const Rays rays(place, n_rays, seed);
    const auto first = closest(tree, rays);
    const HitLists lists(tree, rays);
    std::vector<std::uint8_t> occluded(n_rays);
    EXPECT_EQ(tl_tree_occluded(tree.get(), &rays.in, occluded.data(), nullptr), TL_OK);
    std::size_t n_hits = 0, n_clear = 0;
    for (std::size_t i = 0; i < n_rays - 2; ++i) {
        const Ray ray = ray_at(rays, i);
        const RootsOfRay roots(oracles, ray);
        if (!roots.is_clear) continue;
        ++n_clear;
        EXPECT_EQ(lists.counts[i], roots.all.size()) << "ray " << i;
        EXPECT_EQ(occluded[i], !roots.all.empty()) << "ray " << i;
        EXPECT_EQ(first.primitives[i], roots.all.empty() ? TL_NONE : roots.all[0].patch);
        if (lists.counts[i] != roots.all.size()) continue;
        for (std::size_t k = 0; k < roots.all.size(); ++k) {
            const auto& [root, patch] = roots.all[k];
            const std::size_t at = kListed * i + k;
            EXPECT_NEAR(lists.hits.t[at] / root.t, 1, 1e-6);
            EXPECT_EQ(lists.hits.primitives[at], patch);
            EXPECT_NEAR(lists.hits.uv[2 * at], root.u, 1e-6);
            EXPECT_NEAR(lists.hits.uv[2 * at + 1], root.v, 1e-6);
            EXPECT_NEAR(length(point_at(lists.hits.normals, at)), 1, 1e-5);
        }
        if (!roots.all.empty()) {
            EXPECT_NEAR(first.t[i] / roots.all[0].root.t, 1, 1e-6);
            EXPECT_EQ(first.uv[2 * i], lists.hits.uv[2 * kListed * i]);
        }
        n_hits += roots.all.size();
    }
    EXPECT_GT(n_clear, n_rays * 9 / 10);
    // Rays that are not finite.
    for (std::size_t i : {n_rays - 2, n_rays - 1}) {
        EXPECT_EQ(first.primitives[i], TL_NONE);
        EXPECT_EQ(lists.counts[i] + occluded[i], 0u);
    }
    return n_hits;
}

}  // namespace tl::test
