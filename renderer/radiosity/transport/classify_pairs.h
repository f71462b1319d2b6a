// Visibility tests of the V-map. Rays between sampled points of two nodes classify the pair; rays
// between all points of two leaves give their visibility bits.
#pragma once

#include "accel/fmm/few_pairs.h"
#include "core/device/team.h"
#include "renderer/radiosity/transport/node_names.h"
#include "renderer/radiosity/transport/node_pairs.h"
#include "renderer/radiosity/transport/pair_visibility.h"
#include "renderer/radiosity/transport/point_kernel.h"
#include "renderer/radiosity/transport/visibility_map.h"
#include "renderer/shading/sampler.h"

TL_DEVICE_BEGIN

/// A single thread that traces all rays of a pair of nodes.
struct OneThread {
    static constexpr std::uint32_t kThreads = 1;

    [[nodiscard]] TL_D static std::uint32_t rank() { return 0; }
    [[nodiscard]] TL_D static std::uint32_t from(std::uint32_t value, int) { return value; }
};
/// Threads that share the rays of a pair of nodes: a team on a GPU, one thread on the CPU.
#if defined(__CUDACC__)
using PairTeam = Team;
#else
using PairTeam = OneThread;
#endif

/// Sums over the tested pairs of points of two nodes.
struct RaySums {
    float light = 0,             ///< unoccluded light of all pairs
        passed = 0;              ///< light of the visible pairs
    float n = 0;                 ///< pairs of points
    std::uint32_t n_rays = 0;    ///< pairs that face each other
    std::uint32_t n_passed = 0;  ///< visible pairs

    TL_D void add(float light_of_pair, bool is_visible) {
        if (!(light_of_pair > 0)) return;
        light += light_of_pair;
        ++n_rays;
        if (!is_visible) return;
        passed += light_of_pair;
        ++n_passed;
    }
    [[nodiscard]] TL_D float mean() const { return n > 0 ? light / n : 0.0f; }
    [[nodiscard]] TL_D bool is_all() const { return passed >= light; }
    [[nodiscard]] TL_D bool is_even() const { return is_all() || !(passed > 0); }
};

/// Classifies pairs of nodes by the light that passes between them.
struct PairJudge {
    OctreeView tree;
    float negligible;
    FewPairs few;

    /// Sets the fraction and the visibility of `found`.
    TL_D void judge(const NodePair& pair, const OctreeNode& a, const OctreeNode& b,
                    const RaySums& sums, Seen& found) const {
        float area = maximum(tree.attributes[pair.a].area, tree.attributes[pair.b].area);
        if (sums.light > 0) found.fraction = sums.is_all() ? 1.0f : sums.passed / sums.light;
        found.visibility = visibility_of(pair, a, b, found.fraction, sums.mean() * area);
    }

  private:
    [[nodiscard]] TL_D NodeVisibility visibility_of(const NodePair& pair, const OctreeNode& a,
                                                    const OctreeNode& b, float fraction,
                                                    float form_factor) const {
        bool are_leaves = a.is_leaf() && b.is_leaf();
        if (fraction >= 1) {
            if (are_leaves) return NodeVisibility::visible;
            const Box &box_a = tree.attributes[pair.a].box, &box_b = tree.attributes[pair.b].box;
            bool is_few = std::uint64_t(a.count()) * b.count() <= few_pairs(few, box_a, box_b);
            return is_few ? NodeVisibility::few : NodeVisibility::visible;
        }
        if (form_factor <= negligible)
            return fraction > 0 ? NodeVisibility::fraction : NodeVisibility::hidden;
        if (!are_leaves) return fraction > 0 ? NodeVisibility::split : NodeVisibility::hidden;
        bool has_bits =
            pair.a != pair.b && a.count() <= LeafBits::kMost && b.count() <= LeafBits::kMost;
        if (has_bits) return NodeVisibility::partial;
        return fraction > 0 ? NodeVisibility::fraction : NodeVisibility::hidden;
    }
};

/// Classifies one pair of nodes of a queue by rays.
template <class Visibility>
struct ClassifyPair {
    static constexpr int kResidentBlocks = Visibility::kResidentBlocks;
    static constexpr bool kSharesRays = true;  ///< classify() takes several threads

    Visibility visibility;
    PairJudge judge;
    View<const std::uint64_t> names;  ///< content hashes of nodes
    View<const std::uint64_t> queue;
    View<Seen> seen;
    std::uint32_t n_rays;
    float doubt;

    TL_D void operator()(std::uint32_t item) const { classify(OneThread(), item); }
    /// Classifies by all threads of `threads`, which share the rays. The result is the same, bit
    /// for bit, for any number of threads.
    template <class Threads>
    TL_D void classify(const Threads& threads, std::uint32_t item) const {
        NodePair pair(queue[item]);
        const OctreeView& tree = judge.tree;
        OctreeNode a = load_vectorized(tree.nodes[pair.a]), b = load_vectorized(tree.nodes[pair.b]);
        Seen found{1, 0, NodeVisibility::visible, true};
        RaySums sums;
        if (!pair.is_seen()) sums = trace(threads, pair, a, b, n_rays, found);
        judge.judge(pair, a, b, sums, found);
        if (threads.rank() == 0) seen[item] = found;
    }
    /// Tests at least `n` pairs of points, or all if there are fewer. Adds the rays to `found`.
    template <class Threads>
    TL_D RaySums trace(const Threads& threads, const NodePair& pair, const OctreeNode& a,
                       const OctreeNode& b, std::uint32_t n, Seen& found) const {
        const OctreeView& tree = judge.tree;
        float area = maximum(tree.attributes[pair.a].area, tree.attributes[pair.b].area);
        RaySums sums;
        std::uint64_t n_pairs = std::uint64_t(a.count()) * b.count();
        for (bool looks = true; looks;) {
            bool is_every = n_pairs <= n;
            sums = look(threads, pair, a, b, is_every ? static_cast<std::uint32_t>(n_pairs) : n,
                        is_every);
            found.n_rays = static_cast<std::uint16_t>(found.n_rays + sums.n_rays);
            found.is_clear = found.is_clear && sums.n_passed == sums.n_rays;
            // If all rays agree, a part as large as one ray's may still differ. More rays are sent
            // while its form factor exceeds `doubt`.
            auto wanted = static_cast<std::uint32_t>(
                minimum(sums.mean() * area / doubt, static_cast<float>(kMostRays)));
            looks = !is_every && sums.is_even() && wanted > n;
            n = wanted;
        }
        return sums;
    }

  private:
    static constexpr std::uint32_t kMostRays = 1024;

    /// Tests n pairs of points: sampled ones, or all if `is_every`. Each thread tests every
    /// kThreads-th pair; all add the results in the order of the pairs.
    template <class Threads>
    TL_D RaySums look(const Threads& threads, const NodePair& pair, const OctreeNode& a,
                      const OctreeNode& b, std::uint32_t n, bool is_every) const {
        RaySums sums;
        sums.n = static_cast<float>(n);
        for (std::uint32_t first = 0; first < n; first += Threads::kThreads) {
            std::uint32_t k = first + threads.rank();
            float light = 0;
            bool is_visible = false;
            if (k < n) {
                std::uint32_t i = a.first + k / b.count(), j = b.first + k % b.count();
                if (!is_every) choose(pair, a, b, k, n, i, j);
                light = point_kernel(load_vectorized(judge.tree.points[i]),
                                     load_vectorized(judge.tree.points[j]));
                is_visible = light > 0 && visibility.sees(i, j);
            }
            for (int other = 0; other < static_cast<int>(Threads::kThreads); ++other)
                sums.add(float_of_bits(threads.from(bits_of_float(light), other)),
                         threads.from(is_visible ? 1 : 0, other) != 0);
        }
        return sums;
    }
    /// Chooses the points i and j of ray k of n by stratified sampling: each ray has its own
    /// stratum of either node. Depends on the nodes' contents, not on their indices.
    TL_D void choose(const NodePair& pair, const OctreeNode& a, const OctreeNode& b,
                     std::uint32_t k, std::uint32_t n, std::uint32_t& i, std::uint32_t& j) const {
        auto hash = static_cast<std::uint32_t>(name_of_pair(names, judge.tree, pair.a, pair.b));
        // Strata of b are permuted. The stride is coprime to any smaller number of rays.
        constexpr std::uint32_t kStride = 10'007;
        std::uint32_t other = (k * kStride + hash % n) % n;
        i = a.first + place(k, n, hash_bits(hash + 2 * k), a.count());
        j = b.first + place(other, n, hash_bits(hash + 2 * k + 1), b.count());
    }
    [[nodiscard]] TL_D static std::uint32_t place(std::uint32_t part, std::uint32_t n,
                                                  std::uint32_t random, std::uint32_t count) {
        float at = (static_cast<float>(part) + to_unit_float(random)) / static_cast<float>(n);
        auto point = static_cast<std::uint32_t>(at * static_cast<float>(count));
        return point < count ? point : count - 1;
    }
};

/// Computes one row of a pair's visibility bits: those of one point of the first leaf.
template <class Visibility>
struct FindBits {
    Visibility visibility;
    OctreeView tree;
    View<const std::uint64_t> pairs;
    View<const float> known_numbers;  ///< of each pair: index in `known` or kNoNumber, bit-cast
    View<const LeafBits> known;       ///< bits of the previous search; empty: none
    ClearWay clear;                   ///< pairs of points whose visibility is unchanged since then
    View<LeafBits> bits;              ///< of each pair
    View<std::uint32_t> n_rays;       ///< of each pair

    static constexpr std::uint32_t kNoNumber = ~0u;

    TL_D void operator()(std::uint32_t item) const {
        NodePair pair(pairs[item / LeafBits::kMost]);
        std::uint32_t row = item % LeafBits::kMost, seen = 0, rays = 0;
        std::uint32_t before = 0, number = kNoNumber;
        if (!known.empty()) number = bits_of_float(known_numbers[item / LeafBits::kMost]);
        bool is_known = number != kNoNumber;
        if (is_known) before = known[number].rows[row];
        bool is_all_known = is_known && !clear.is_in_hull(tree, pair.a, pair.b);
        OctreeNode a = load_vectorized(tree.nodes[pair.a]), b = load_vectorized(tree.nodes[pair.b]);
        if (is_all_known) {
            seen = before;
        } else if (row < a.count()) {
            std::uint32_t i = a.first + row;
            Surfel own = load_vectorized(tree.points[i]);
            for (std::uint32_t k = 0; k < b.count(); ++k) {
                std::uint32_t j = b.first + k;
                if (!(point_kernel(own, load_vectorized(tree.points[j])) > 0)) continue;
                if (is_known && clear.sees(i, j)) {
                    seen |= before & 1u << k;
                    continue;
                }
                ++rays;
                if (visibility.sees(i, j)) seen |= 1u << k;
            }
        }
        bits[item / LeafBits::kMost].rows[row] = static_cast<std::uint16_t>(seen);
        if (rays > 0) atomic_add(&n_rays[item / LeafBits::kMost], rays);
    }
};

TL_DEVICE_END
