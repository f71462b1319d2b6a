// Sums over all pairs of points. Where targets are too few to fill a GPU, the sources are split as
// well: several blocks sum a group of targets, and their partial sums are added in a fixed order.
#include "accel/fmm/direct_sum.h"

#include "accel/fmm/gather.h"
#include "accel/fmm/kernels.h"
#include "core/device/vectorized_copy.h"

TL_DEVICE_BEGIN

namespace {

template <class Kernel>
struct DirectPass {
    using Pair = typename Kernel::Near;
    using Sum = typename Kernel::Sum;
    static constexpr std::uint32_t kTargets = 128;  ///< targets of a group
    static constexpr std::uint32_t kList = 256;     ///< sources of a list

    View<const Surfel> points;
    View<const typename Kernel::Value> values;
    View<const std::uint32_t> targets;
    View<Sum> sums;  ///< partial sums of all targets, for each part of the sources
    std::uint32_t n_target_groups, n_shares, share;

    struct List {
        std::uint32_t first, n;
    };

    [[nodiscard]] std::uint32_t n_groups() const { return n_target_groups * n_shares; }
    [[nodiscard]] TL_D std::uint32_t group(std::uint32_t i) const { return i; }
    [[nodiscard]] TL_D std::uint32_t first_target(std::uint32_t group) const {
        return group % n_target_groups * kTargets;
    }
    [[nodiscard]] TL_D std::uint32_t n_targets(std::uint32_t group) const {
        auto left = static_cast<std::uint32_t>(targets.size) - first_target(group);
        return left < kTargets ? left : kTargets;
    }
    [[nodiscard]] TL_D std::uint32_t first_source(std::uint32_t group) const {
        return group / n_target_groups * share;
    }
    [[nodiscard]] TL_D std::uint32_t n_sources(std::uint32_t group) const {
        auto n = static_cast<std::uint32_t>(points.size), first = first_source(group);
        return first >= n ? 0 : n - first < share ? n - first : share;
    }
    [[nodiscard]] TL_D std::uint32_t n_lists(std::uint32_t group) const {
        return (n_sources(group) + kList - 1) / kList;
    }
    [[nodiscard]] TL_D List list(std::uint32_t group, std::uint32_t l) const {
        std::uint32_t left = n_sources(group) - l * kList;
        return {first_source(group) + l * kList, left < kList ? left : kList};
    }
    TL_D void load_target(std::uint32_t group, std::uint32_t target, float* words) const {
        Surfel point = load_vectorized(points[targets[first_target(group) + target]]);
        for (int c = 0; c < Pair::kTargetWords; ++c)
            words[c] = Kernel::target_word(point, c / 3)[c % 3];
    }
    TL_D void load_source(std::uint32_t, const List& list, std::uint32_t i, float* words) const {
        Surfel point = load_vectorized(points[list.first + i]);
        Kernel::load_source(point, values[list.first + i], words);
    }
    TL_D void store(std::uint32_t group, std::uint32_t target, const float* own) const {
        sums[group / n_target_groups * targets.size + first_target(group) + target] =
            Kernel::sum_of_near(own);
    }
};

template <class Kernel>
void sum_all_pairs(Scratch& scratch, View<const Surfel> points,
                   View<const typename Kernel::Value> values, View<const std::uint32_t> targets,
                   View<typename Kernel::Sum> sums) {
    using Pass = DirectPass<Kernel>;
    using Sum = typename Kernel::Sum;
    constexpr std::uint32_t kBlocks = 4096;  // enough to fill a GPU evenly
    if (targets.empty()) return;
    Scratch::Scope scope(scratch);
    Stream& stream = scratch.stream();
    auto n_points = static_cast<std::uint32_t>(points.size);
    auto n_targets = static_cast<std::uint32_t>(targets.size);
    std::uint32_t n_groups = (n_targets + Pass::kTargets - 1) / Pass::kTargets;
    std::uint32_t most_shares = (n_points + 4 * Pass::kList - 1) / (4 * Pass::kList);
    std::uint32_t n_shares =
        std::max(1u, std::min(most_shares, (kBlocks + n_groups - 1) / n_groups));
    auto parts = scratch.take<Sum>(std::size_t(n_shares) * n_targets);
    std::uint32_t share = (n_points + n_shares - 1) / n_shares;
    gather(stream, "all pairs", Pass{points, values, targets, parts, n_groups, n_shares, share});
    parallel_for(
        stream, "sums of shares", n_targets, TL_LAMBDA(std::uint32_t i) {
            Sum sum = parts[i];
            for (std::uint32_t s = 1; s < n_shares; ++s)
                sum += parts[std::size_t(s) * n_targets + i];
            sums[i] = sum;
        });
}

}  // namespace

void sum_directly(Scratch& scratch, View<const Surfel> points, View<const float> values,
                  View<const std::uint32_t> targets, View<float> sums) {
    sum_all_pairs<InverseDistance>(scratch, points, values, targets, sums);
}

void sum_directly(Scratch& scratch, View<const Surfel> points, View<const vec3> values,
                  View<const std::uint32_t> targets, View<vec3> sums) {
    sum_all_pairs<Radiosity>(scratch, points, values, targets, sums);
}

TL_DEVICE_END
