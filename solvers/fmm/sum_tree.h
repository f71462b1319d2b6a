// Octree over the sources and targets of sums over pairs, adaptive: nodes with many points of
// either kind are split. Points in the same place are one place.
#pragma once

#include <array>
#include <vector>

#include "core/device/array.h"

namespace tl {

/// Cube around all points, after scaling by a power of two: its edge is 1. Positions are kept
/// relative to a point that loses no digits of them: the origin, or the box's nearest to it.
struct SumFrame {
    std::array<double, 3> origin{};  ///< subtracted before scaling
    std::array<double, 3> corner{};  ///< of the cube, scaled
    double scale = 1;

    SumFrame() = default;
    /// Of the box of all points; throws UserError if it has no finite size.
    SumFrame(const std::array<double, 3>& lo, const std::array<double, 3>& hi);
};

/// A position, and the strength of a source.
template <class Real>
struct alignas(16) SumPoint {
    Real x, y, z, strength;
};

/// Distinct positions in the order of a space-filling curve.
template <class Real>
struct Places {
    std::uint32_t count = 0;
    DeviceArray<std::uint64_t> codes;  ///< Morton codes of 63 bits
    DeviceArray<SumPoint<Real>> points;
    DeviceArray<std::uint32_t> order;     ///< indices of the input, sorted by places
    DeviceArray<std::uint32_t> place_of;  ///< place of each of these
    DeviceArray<std::uint32_t> first;     ///< first of these of each place, and their number
};

inline constexpr std::uint32_t kNoNode = ~0u;

struct SumNode {
    std::uint32_t source_begin, source_end;  ///< places
    std::uint32_t target_begin, target_end;
    std::uint32_t parent, first_child;
    std::uint32_t family;  ///< index among nodes with children, or kNoNode
    std::uint8_t level, children, source_children, target_children;  ///< a bit for each octant
    std::uint32_t cell[3];  ///< coordinates among the cells of the level
    std::uint32_t unused;

    [[nodiscard]] TL_HD bool is_leaf() const { return children == 0; }
    [[nodiscard]] TL_HD std::uint32_t n_sources() const { return source_end - source_begin; }
    [[nodiscard]] TL_HD std::uint32_t n_targets() const { return target_end - target_begin; }
    [[nodiscard]] TL_HD int octant() const {
        return static_cast<int>((cell[0] & 1) | (cell[1] & 1) << 1 | (cell[2] & 1) << 2);
    }
    /// The child at an octant that has one.
    [[nodiscard]] TL_HD std::uint32_t child(int octant) const {
        std::uint32_t before = children & ((1u << octant) - 1), n = 0;
        for (; before != 0; before &= before - 1) ++n;
        return first_child + n;
    }
};
static_assert(sizeof(SumNode) == 48);

/// Nodes level by level, the root first. Node k has neighbours[27 k + d]: the node of its size one
/// step away, d = (dx + 1) + 3 (dy + 1) + 9 (dz + 1), or kNoNode.
struct SumTree {
    static constexpr int kMostLevel = 21;

    DeviceArray<SumNode> nodes;
    DeviceArray<std::uint32_t> neighbours;
    DeviceArray<std::uint32_t> families;  ///< the node of each family
    std::vector<std::uint32_t> level_begin{0}, family_begin{0};

    [[nodiscard]] std::uint32_t n_nodes() const { return level_begin.back(); }
    [[nodiscard]] int n_levels() const { return static_cast<int>(level_begin.size()) - 1; }
    [[nodiscard]] std::uint32_t level_size(int level) const {
        return level_begin[level + 1] - level_begin[level];
    }
    [[nodiscard]] std::uint32_t n_families(int level) const {
        return family_begin[level + 1] - family_begin[level];
    }
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// The frame of all points and targets, three numbers each. There are points. Waits.
    [[nodiscard]] SumFrame frame_of(Scratch& scratch, View<const double> points,
                                    View<const double> targets);
    /// The largest magnitude of some numbers; 0 for none. Waits.
    [[nodiscard]] double largest_magnitude(Scratch& scratch, View<const double> numbers);
    /// Sorts positions, three numbers a point. Waits.
    template <class Real>
    void sort_places(Scratch& scratch, const SumFrame& frame, View<const double> positions,
                     Places<Real>& places);
    /// Splits nodes of more than `leaf` sources or targets. Waits at each level.
    void build_sum_tree(Scratch& scratch, View<const std::uint64_t> sources,
                        View<const std::uint64_t> targets, std::uint32_t leaf, SumTree& tree);
)
// clang-format on
