// Links between nodes of an octree: pairs that interact by expansions or point by point.
//
// A link transports from a source node to a target node, weighted by the fraction of the source
// visible from the target. Far links are summed by expansions of both nodes. Near links are between
// leaves and summed point by point. Every ordered pair of leaves (t, s), also of a leaf with
// itself, is covered exactly once. It is covered by a near link from s to t, or by one far link
// between these leaves or their ancestors; or it is dropped and exchanges exactly 0. So the sums
// over a table are those over all pairs of points that it covers.
#pragma once

#include <span>

#include "accel/octree/octree.h"
#include "core/operators/operators.h"

namespace tl {

struct NodeLink {
    std::uint32_t source;  ///< a node
    float weight;          ///< the visible fraction: 0 to 1
};
static_assert(sizeof(NodeLink) == 8);

/// Links by target: those of node t are from begin[t] up to begin[t + 1], by ascending source.
struct LinkRows {
    View<std::uint32_t> begin;  ///< first link of each node, and the end
    View<NodeLink> links;
    View<std::uint32_t> order;  ///< all nodes, by descending number of links
};

struct LinkTable {
    LinkRows far;   ///< between nodes with expansions
    LinkRows near;  ///< between leaves
};

/// Owns rows on a device.
struct LinkList {
    DeviceArray<std::uint32_t> begin;
    DeviceArray<NodeLink> links;
    DeviceArray<std::uint32_t> order;

    [[nodiscard]] LinkRows view() { return {begin.view(), links.view(), order.view()}; }
    [[nodiscard]] std::size_t bytes() const {
        return begin.bytes() + links.bytes() + order.bytes();
    }
};

struct NodeLinks {
    LinkList far, near;

    [[nodiscard]] LinkTable view() { return {far.view(), near.view()}; }
    [[nodiscard]] std::size_t bytes() const { return far.bytes() + near.bytes(); }
};

/// Links in any order, as kernels append them.
struct LooseLinks {
    View<std::uint64_t> pairs;  ///< pair_of(target, source)
    View<float> weights;

    [[nodiscard]] TL_HD static std::uint64_t pair_of(std::uint32_t target, std::uint32_t source) {
        return std::uint64_t(target) << 32 | source;
    }
};

/// Pairs of nodes that are linked in both directions, in any order; a node may be paired with
/// itself.
struct WeightedPairs {
    /// Number of links that are sorted in one batch, which takes 6 GB with its copies.
    static constexpr std::uint32_t kBatch = 1u << 28;

    View<const std::uint64_t> pairs;  ///< each once, as pair_of() has it
    View<const float> weights;
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Sorts links, of which no two have the same pair, into rows for `n_nodes` targets; `loose` is
    /// overwritten. The rows are the same whatever the order of `loose`. Never waits.
    void make_rows(Scratch& scratch, const LooseLinks& loose, std::uint32_t n_nodes, LinkList& out);
    /// Rows of the links of all pairs, no two of which are the same. Sorts batches of up to
    /// `batch` links, or the links of one target, so that many links need little more memory than
    /// their rows. The rows are the same whatever the order of pairs. Waits. Throws UserError if
    /// the number of links exceeds 32 bits.
    void make_rows_both_ways(Scratch& scratch, std::span<const WeightedPairs> parts,
                             std::uint32_t n_nodes, std::uint32_t batch, LinkList& out);
)
// clang-format on
