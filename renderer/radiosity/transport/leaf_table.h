// Table of the light that passes between all pairs of leaves (Goradia 2008, figure 6.10). Thousands
// of threads trace the rays of pairs of leaves first; the visibility of nodes above is then found
// in it: all, none or a part of the light between their leaves. Unlike Goradia's, entries are sums
// of light, so that a part has a known fraction.
#pragma once

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/device/atomics.h"
#include "core/operators/operators.h"
#include "renderer/radiosity/transport/classify_pairs.h"

TL_DEVICE_BEGIN

/// Light between the points of two leaves, summed over all pairs of points.
struct LeafLight {
    float light,  ///< if nothing were occluded
        passed;   ///< of the visible pairs alone
};

struct LeafTableView {
    OctreeView tree;
    View<const std::uint32_t> ranks;   ///< leaf of each point, counted in the points' order
    View<const std::uint32_t> leaves;  ///< node of each leaf
    View<LeafLight> lights;            ///< of leaves i and j <= i: entry i (i + 1) / 2 + j

    [[nodiscard]] TL_HD static std::uint32_t entry_of(std::uint32_t i, std::uint32_t j) {
        std::uint32_t most = i > j ? i : j, least = i > j ? j : i;
        return most * (most + 1) / 2 + least;
    }
    /// Leaf i of an entry.
    [[nodiscard]] TL_HD static std::uint32_t row_of(std::uint32_t entry) {
        auto row = static_cast<std::uint32_t>((std::sqrt(8.0 * entry + 1) - 1) / 2);
        while (entry_of(row, 0) > entry) --row;
        while (entry_of(row + 1, 0) <= entry) ++row;
        return row;
    }
    /// Sums over the leaves of two nodes.
    [[nodiscard]] TL_D RaySums between(const OctreeNode& a, const OctreeNode& b) const {
        RaySums sums;
        sums.n = static_cast<float>(a.count()) * static_cast<float>(b.count());
        double light = 0, passed = 0;  // there may be a million terms
        std::uint32_t last_a = ranks[a.end - 1], last_b = ranks[b.end - 1];
        bool is_all = true;
        for (std::uint32_t i = ranks[a.first]; i <= last_a; ++i)
            for (std::uint32_t j = ranks[b.first]; j <= last_b; ++j) {
                LeafLight of_leaves = lights[entry_of(i, j)];
                light += double(of_leaves.light);
                passed += double(of_leaves.passed);
                is_all = is_all && of_leaves.passed >= of_leaves.light;
            }
        sums.light = static_cast<float>(light);
        sums.passed = static_cast<float>(passed);
        // A small hidden part may be lost in the rounding of the sums.
        constexpr float kBelowOne = 0.9999999f;
        if (!is_all) sums.passed = minimum(sums.passed, kBelowOne * sums.light);
        return sums;
    }
};

/// Computes one entry of a table by rays: between all pairs of points of leaves of up to
/// LeafBits::kMost points, else between sampled ones.
template <class Visibility>
struct FillLeafTable {
    ClassifyPair<Visibility> rays;
    LeafTableView table;
    std::uint32_t first;         ///< first entry of the launch
    View<std::uint32_t> n_rays;  ///< of each row of the table

    template <class Threads>
    TL_D void fill(const Threads& threads, std::uint32_t item) const {
        std::uint32_t entry = first + item, i = LeafTableView::row_of(entry);
        const NodePair pair(table.leaves[i], table.leaves[entry - LeafTableView::entry_of(i, 0)],
                            0);
        OctreeNode a = load_vectorized(table.tree.nodes[pair.a]),
                   b = load_vectorized(table.tree.nodes[pair.b]);
        constexpr std::uint32_t kEvery = LeafBits::kMost * LeafBits::kMost;
        Seen found{1, 0, NodeVisibility::visible, true};
        RaySums sums =
            rays.trace(threads, pair, a, b, rays.n_rays > kEvery ? rays.n_rays : kEvery, found);
        if (threads.rank() != 0) return;
        float scale = static_cast<float>(a.count()) * static_cast<float>(b.count()) / sums.n;
        table.lights[entry] = {scale * sums.light, scale * sums.passed};
        if (found.n_rays > 0) atomic_add(&n_rays[i], std::uint32_t(found.n_rays));
    }
};

/// Classifies one pair of nodes of a queue by its leaves' entries in a table.
struct LookUpPair {
    static constexpr int kResidentBlocks = 0;
    static constexpr bool kSharesRays = false;  ///< several threads would have nothing to share

    PairJudge judge;
    LeafTableView table;
    View<const std::uint64_t> queue;
    View<Seen> seen;

    TL_D void operator()(std::uint32_t item) const {
        NodePair pair(queue[item]);
        OctreeNode a = load_vectorized(table.tree.nodes[pair.a]),
                   b = load_vectorized(table.tree.nodes[pair.b]);
        Seen found{1, 0, NodeVisibility::visible, true};
        RaySums sums;
        if (!pair.is_seen()) sums = table.between(a, b);
        judge.judge(pair, a, b, sums, found);
        seen[item] = found;
    }
};

/// Makes an empty table in memory of `scratch`. Waits for the stream. Throws UserError if there are
/// more than kMostTableLeaves leaves.
inline LeafTableView make_leaf_table(Scratch& scratch, const OctreeView& tree,
                                     const OctreeHeader& header) {
    auto& stream = scratch.stream();
    std::uint32_t n_points = header.n_points;
    LeafTableView table{tree, {}, {}, {}};
    auto ranks = scratch.take<std::uint32_t>(n_points);
    std::uint32_t n_leaves = 0;
    {
        Scratch::Scope scope(scratch);
        auto starts = scratch.take<std::uint32_t>(n_points);
        auto count = scratch.take<std::uint32_t>(1);
        fill<std::uint32_t>(stream, starts, 0);
        parallel_for(
            stream, "starts of leaves", header.n_nodes, TL_LAMBDA(std::uint32_t k) {
                OctreeNode node = load_vectorized(tree.nodes[k]);
                if (node.is_leaf()) starts[node.first] = 1;
            });
        exclusive_scan<std::uint32_t>(scratch, starts, ranks);
        exclusive_scan_tail<std::uint32_t>(stream, starts, ranks, count);
        stream.device().download(stream, &n_leaves, count.data, sizeof n_leaves);
        // The scan counts the leaves before a point's own one only at the first point of a leaf.
        parallel_for(
            stream, "leaves of points", n_points,
            TL_LAMBDA(std::uint32_t i) { ranks[i] = ranks[i] + starts[i] - 1; });
    }
    if (n_leaves > kMostTableLeaves)
        throw UserError("radiosity: link-search leaf-table takes at most " +
                        std::to_string(kMostTableLeaves) + " leaves, and the octree has " +
                        std::to_string(n_leaves) +
                        ": choose fewer points, a larger leaf-size or link-search top-down");
    auto leaves = scratch.take<std::uint32_t>(n_leaves);
    parallel_for(
        stream, "nodes of leaves", header.n_nodes, TL_LAMBDA(std::uint32_t k) {
            OctreeNode node = load_vectorized(tree.nodes[k]);
            if (node.is_leaf()) leaves[ranks[node.first]] = k;
        });
    table.ranks = ranks;
    table.leaves = leaves;
    table.lights = scratch.take<LeafLight>(LeafTableView::entry_of(n_leaves, 0));
    return table;
}

/// Computes all entries of a table, by a team for each if `by_teams`. Returns the rays of each row.
template <class Visibility>
View<const std::uint32_t> fill_leaf_table(Scratch& scratch, const ClassifyPair<Visibility>& rays,
                                          const LeafTableView& table, bool by_teams) {
    constexpr int kBlocks = Visibility::kResidentBlocks;
    constexpr std::size_t kAtOnce = 1u << 21;  // entries between two polls for cancellation
    auto& stream = scratch.stream();
    auto n_rays = scratch.take<std::uint32_t>(table.leaves.size);
    fill<std::uint32_t>(stream, n_rays, 0);
    for (std::size_t first = 0; first < table.lights.size; first += kAtOnce) {
        stream.check_cancelled();
        auto n = static_cast<std::uint32_t>(std::min(kAtOnce, table.lights.size - first));
        const FillLeafTable<Visibility> filler{rays, table, static_cast<std::uint32_t>(first),
                                               n_rays};
        if (by_teams)
            parallel_for<kBlocks>(
                stream, "teams of leaf pairs", n * PairTeam::kThreads,
                TL_LAMBDA(std::uint32_t thread) {
                    filler.fill(PairTeam(), thread / PairTeam::kThreads);
                },
                16);
        else
            parallel_for<kBlocks>(
                stream, "pairs of leaves", n,
                TL_LAMBDA(std::uint32_t item) { filler.fill(OneThread(), item); }, 16);
    }
    return n_rays;
}

TL_DEVICE_END
