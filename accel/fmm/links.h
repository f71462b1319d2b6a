// Links between nodes of an octree: which of them exchange what, and how.
//
// A link says that a target node gets what a source node sends, weighted by the fraction of the
// source that the target sees. Far links are summed by expansions of both nodes, near links, which
// are of leaves only, point by point. Every ordered pair of leaves (t, s), also of a leaf with
// itself, is covered exactly once: by a near link from s to t, or by one far link from s or a node
// above it to t or a node above it; or it is dropped, and then exchanges exactly 0. So the sums
// over a table are those over all pairs of points that it covers.
#pragma once

#include "accel/octree/octree.h"
#include "accel/parallel/operators/operators.h"

namespace tl {

struct NodeLink {
    std::uint32_t source;  ///< a node
    float weight;          ///< the visible fraction: 0 to 1
};
static_assert(sizeof(NodeLink) == 8);

/// Links by target: those of node t are from begin[t] up to begin[t + 1], by ascending sources.
struct LinkRows {
    View<std::uint32_t> begin;  ///< of each node, and the end
    View<NodeLink> links;
    View<std::uint32_t> order;  ///< all nodes, those with most links first
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

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Sorts links, of which no two have the same pair, into rows for `n_nodes` targets; `loose` is
    /// overwritten. The rows are the same whatever the order of `loose`. Never waits.
    void make_rows(Scratch& scratch, const LooseLinks& loose, std::uint32_t n_nodes, LinkList& out);
)
// clang-format on
