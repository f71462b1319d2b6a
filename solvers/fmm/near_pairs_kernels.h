// The loop over targets and sources of near pairs, for one kind of kernel and one precision.
#pragma once

#include <algorithm>

#include "core/device/block.h"
#include "solvers/fmm/near_pairs.h"

TL_DEVICE_BEGIN

namespace pairs {

/// A block has the targets of one group. On a GPU a thread has one of them, and as many copies of
/// all are summed as the block has room for: each adds every n-th source, and the copies' sums are
/// added in a fixed order. On the CPU a block is one thread, with a register's lanes of targets.
template <class Kernel, class Real, bool gradient>
struct PairPass {
    static constexpr int kThreads = 128, kTile = 128;
    static constexpr int kSums = gradient ? 4 : 1;

    Kernel kernel;
    PairPoints<Real> points;
    View<const TargetGroup> groups;
    View<const SourceList> lists;
    View<Real> sums;

    struct Shared {
        SumPoint<Real> sources[kTile];
        Real sums[kSums][kThreads];
    };

    /// Corner of a group's node: positions relative to it lose no digits in single precision.
    struct Base {
        Real x = 0, y = 0, z = 0;
    };

    TL_D void operator()(const Block<kThreads>& block, Shared& shared) const {
        const TargetGroup& group = groups[block.index];
        Base base;
        if (group.node != kNoNode) {
            LatticePlace<Real> place(points.frame, points.nodes[group.node], points.size);
            base = {place.corner[0], place.corner[1], place.corner[2]};
        }
        std::uint32_t n =
            group.n == SourceList::kLattice
                ? static_cast<std::uint32_t>(points.size.p * points.size.p * points.size.p)
                : group.n;
        constexpr std::uint32_t kAtOnce = kOnHost ? kRegisters * kWideLanes<Real> : kThreads;
        for (std::uint32_t first = 0; first < n; first += kAtOnce)
            sum(block, shared, group, base, first, n - first < kAtOnce ? n - first : kAtOnce);
    }

  private:
#if defined(__CUDACC__)
    static constexpr bool kOnHost = false;
#else
    static constexpr bool kOnHost = true;
#endif
    static constexpr int kRegisters = gradient ? 1 : 2;  ///< of targets at a time, on the CPU

    [[nodiscard]] TL_D SumPoint<Real> target(const TargetGroup& group, const Base& base,
                                             std::uint32_t t) const {
        if (group.n == SourceList::kLattice) return lattice_point(group.node, base, t);
        SumPoint<Real> point = points.targets[group.first + t];
        return {point.x - base.x, point.y - base.y, point.z - base.z, Real(0)};
    }
    [[nodiscard]] TL_D SumPoint<Real> source(const SourceList& list, const Base& base,
                                             std::uint32_t i) const {
        if (list.n == SourceList::kLattice) {
            SumPoint<Real> point = lattice_point(list.first, base, i);
            point.strength = points.strengths[lattice_at(list.first, i)];
            return point;
        }
        SumPoint<Real> point = points.sources[list.first + i];
        return {point.x - base.x, point.y - base.y, point.z - base.z, point.strength};
    }
    [[nodiscard]] TL_D SumPoint<Real> lattice_point(std::uint32_t node, const Base& base,
                                                    std::uint32_t i) const {
        LatticePlace<Real> place(points.frame, points.nodes[node], points.size);
        auto p = static_cast<std::uint32_t>(points.size.p);
        return {place.corner[0] - base.x + place.offset(static_cast<int>(i / (p * p))),
                place.corner[1] - base.y + place.offset(static_cast<int>(i / p % p)),
                place.corner[2] - base.z + place.offset(static_cast<int>(i % p)), Real(0)};
    }
    [[nodiscard]] TL_D std::size_t lattice_at(std::uint32_t node, std::uint32_t i) const {
        auto p = static_cast<std::uint32_t>(points.size.p);
        return node * lattice_words<Real>(points.size.p) +
               std::size_t(i / p) * whole_lanes<Real>(points.size.p) + i % p;
    }
    [[nodiscard]] TL_D std::uint32_t size_of(const SourceList& list) const {
        return list.n == SourceList::kLattice
                   ? static_cast<std::uint32_t>(points.size.p * points.size.p * points.size.p)
                   : list.n;
    }
    TL_D void add(const Wide<Real> (&at)[3], const SumPoint<Real>& source,
                  Wide<Real> (&own)[kSums]) const {
        Wide<Real> x = at[0] - Wide<Real>(source.x), y = at[1] - Wide<Real>(source.y),
                   z = at[2] - Wide<Real>(source.z);
        Wide<Real> square = x * x + y * y + z * z, value, slope, strength(source.strength);
        kernel(square, value, slope);
        if constexpr (Kernel::kSkipsZero) value = where_positive(square, value);
        own[0] = own[0] + strength * value;
        if constexpr (gradient) {
            slope = strength * where_positive(square, slope);
            own[1] = own[1] + slope * x;
            own[2] = own[2] + slope * y;
            own[3] = own[3] + slope * z;
        }
    }
    TL_D void store(const TargetGroup& group, std::uint32_t t, const Real* own) const {
        if (group.n == SourceList::kLattice) {
            sums[lattice_at(group.node, t)] += own[0];
            return;
        }
        for (int c = 0; c < kSums; ++c) sums[std::size_t(kSums) * (group.out + t) + c] = own[c];
    }

    TL_D void sum(const Block<kThreads>& block, Shared& shared, const TargetGroup& group,
                  const Base& base, std::uint32_t first, std::uint32_t n) const {
#if defined(__CUDACC__)
        std::uint32_t n_copies = kThreads / n, copy = block.rank / n, t = block.rank % n;
        SumPoint<Real> own_target = target(group, base, first + t);
        Real at[3] = {own_target.x, own_target.y, own_target.z}, own[kSums] = {};
        for (std::uint32_t l = group.first_list; l < group.end_list; ++l) {
            SourceList list = lists[l];
            std::uint32_t n_sources = size_of(list);
            for (std::uint32_t begin = 0; begin < n_sources; begin += kTile) {
                std::uint32_t n_loaded = n_sources - begin < kTile ? n_sources - begin : kTile;
                block.sync();
                for (std::uint32_t i = block.rank; i < n_loaded; i += kThreads)
                    shared.sources[i] = source(list, base, begin + i);
                block.sync();
                if (copy < n_copies)
                    for (std::uint32_t i = copy; i < n_loaded; i += n_copies)
                        add(at, shared.sources[i], own);
            }
        }
        block.sync();
        for (int c = 0; c < kSums; ++c) shared.sums[c][block.rank] = own[c];
        block.sync();
        if (block.rank < n) {
            for (int c = 0; c < kSums; ++c) {
                own[c] = 0;
                for (std::uint32_t s = 0; s < n_copies; ++s)
                    own[c] += shared.sums[c][s * n + block.rank];
            }
            store(group, first + block.rank, own);
        }
        block.sync();
#else
        constexpr int kLanes = kWideLanes<Real>;
        Wide<Real> at[kRegisters][3], own[kRegisters][kSums];
        for (int r = 0; r < kRegisters; ++r) {
            for (auto& sum : own[r]) sum = Wide<Real>(Real(0));
            for (int lane = 0; lane < kLanes; ++lane) {
                auto t = static_cast<std::uint32_t>(r * kLanes + lane);
                SumPoint<Real> point = target(group, base, first + (t < n ? t : n - 1));
                set_lane(at[r][0], lane, point.x);
                set_lane(at[r][1], lane, point.y);
                set_lane(at[r][2], lane, point.z);
            }
        }
        const bool has_one = n <= kLanes;
        for (std::uint32_t l = group.first_list; l < group.end_list; ++l) {
            SourceList list = lists[l];
            std::uint32_t n_sources = size_of(list);
            for (std::uint32_t begin = 0; begin < n_sources; begin += kTile) {
                std::uint32_t n_loaded = std::min<std::uint32_t>(kTile, n_sources - begin);
                for (std::uint32_t i = 0; i < n_loaded; ++i)
                    shared.sources[i] = source(list, base, begin + i);
                for (int r = 0; r < (has_one ? 1 : kRegisters); ++r)
                    add_tile(at[r], shared.sources, n_loaded, own[r]);
            }
        }
        for (std::uint32_t t = 0; t < n; ++t) {
            Real all[kSums];
            for (int c = 0; c < kSums; ++c)
                all[c] = lane_of(own[t / kLanes][c], static_cast<int>(t % kLanes));
            store(group, first + t, all);
        }
        (void)block;
#endif
    }
#if !defined(__CUDACC__)
    void add_tile(const Wide<Real> (&at)[3], const SumPoint<Real>* sources, std::uint32_t n,
                  Wide<Real> (&sums_of)[kSums]) const {
        Wide<Real> own[kSums];
        for (int c = 0; c < kSums; ++c) own[c] = sums_of[c];
        for (std::uint32_t i = 0; i < n; ++i) add(at, sources[i], own);
        for (int c = 0; c < kSums; ++c) sums_of[c] = own[c];
    }
#endif
};

template <class Real>
void launch_pairs(Stream& stream, const ScaledKernel& scaled, const PairPoints<Real>& points,
                  View<const TargetGroup> groups, View<const SourceList> lists, View<Real> sums,
                  bool gradient) {
    with_kernel<Real>(scaled, [&](auto kernel) {
        using Kernel = decltype(kernel);
        auto n = static_cast<std::uint32_t>(groups.size);
        if (gradient) {
            PairPass<Kernel, Real, true> pass{kernel, points, groups, lists, sums};
            launch_blocks<pass.kThreads>(stream, "near pairs", n, pass);
        } else {
            PairPass<Kernel, Real, false> pass{kernel, points, groups, lists, sums};
            launch_blocks<pass.kThreads>(stream, "near pairs", n, pass);
        }
    });
}

}  // namespace pairs

template <class Real>
void sum_pair_lists(Stream& stream, const ScaledKernel& kernel, const PairPoints<Real>& points,
                    const PairLists& lists, View<Real> sums, bool gradient) {
    pairs::launch_pairs(stream, kernel, points, lists.groups.view(), lists.lists.view(), sums,
                        gradient);
}

template <class Real>
void sum_all_pairs(Scratch& scratch, const ScaledKernel& kernel, View<const SumPoint<Real>> sources,
                   View<const SumPoint<Real>> targets, View<Real> sums, bool gradient) {
    // Sources are shared out among groups where there are few targets, so that they fill a GPU.
    constexpr std::uint32_t kTargets = 128, kGroups = 2048, kLeastSources = 1024;
    Scratch::Scope scope(scratch);
    Stream& stream = scratch.stream();
    auto n_targets = static_cast<std::uint32_t>(targets.size),
         n_sources = static_cast<std::uint32_t>(sources.size);
    std::uint32_t n_chunks = (n_targets + kTargets - 1) / kTargets;
    std::uint32_t n_shares = std::max(
        1u, std::min((kGroups + n_chunks - 1) / std::max(n_chunks, 1u), n_sources / kLeastSources));
    std::uint32_t share = (n_sources + n_shares - 1) / n_shares;
    auto groups = scratch.take<TargetGroup>(std::size_t(n_chunks) * n_shares);
    auto lists = scratch.take<SourceList>(n_shares);
    const std::uint32_t n_sums = gradient ? 4 : 1;
    auto parts =
        n_shares == 1 ? sums : scratch.take<Real>(std::size_t(n_shares) * n_targets * n_sums);
    parallel_for(
        stream, "groups of all pairs", static_cast<std::uint32_t>(groups.size),
        TL_LAMBDA(std::uint32_t i) {
            std::uint32_t first = i / n_shares * kTargets, s = i % n_shares;
            std::uint32_t left = n_targets - first;
            groups[i] = {
                first, left < kTargets ? left : kTargets, s, s + 1, kNoNode, s * n_targets + first};
            std::uint32_t begin = s * share < n_sources ? s * share : n_sources;
            std::uint32_t rest = n_sources - begin;
            if (first == 0) lists[s] = {begin, rest < share ? rest : share};
        });
    PairPoints<Real> points{sources, targets, {}, {}};
    pairs::launch_pairs<Real>(stream, kernel, points, groups, lists, parts, gradient);
    if (n_shares == 1) return;
    parallel_for(
        stream, "sums of shares", n_targets * n_sums, TL_LAMBDA(std::uint32_t i) {
            Real sum = 0;
            for (std::uint32_t s = 0; s < n_shares; ++s)
                sum += parts[std::size_t(s) * n_targets * n_sums + i];
            sums[i] = sum;
        });
}

#define TL_NEAR_PAIR_INSTANCES(Real)                                                       \
    template void sum_pair_lists(Stream&, const ScaledKernel&, const PairPoints<Real>&,    \
                                 const PairLists&, View<Real>, bool);                      \
    template void sum_all_pairs(Scratch&, const ScaledKernel&, View<const SumPoint<Real>>, \
                                View<const SumPoint<Real>>, View<Real>, bool);

TL_DEVICE_END
