// Searches the pairs of octree nodes that are linked, by expansions or point by point: see links.h.
#pragma once

#include "accel/fmm/links.h"
#include "core/device/stage_timer.h"

namespace tl {

/// Most pairs of points for which leaves are summed point by point, since a link by expansions
/// would take longer.
struct FewPairs {
    std::uint32_t of_whole = 0;  ///< limit where neither box is flat
    /// Interpolation points along an axis, of which only one counts along a flat axis. 0: flat
    /// boxes count like others.
    int order = 0;

    bool operator==(const FewPairs&) const = default;
};

struct LinkConfig {
    /// Opening criterion, above 0 and below 1. Nodes are linked by expansions where the sum of
    /// their boxes' radii is at most this fraction of the distance between the boxes' middles.
    float theta = 0.5f;
    FewPairs few;
    /// Magnitude of negative cosines that far links may take unclamped. Pairs whose cosines at one
    /// end are all below it exchange nothing. Radiosity only.
    float slack = 1e-5f;
};

/// Capacities of the lists of a search. A search that exceeds them is repeated with larger ones.
/// Keep it from one search to the next.
struct LinkRoom {
    std::uint32_t queue = 0, far = 0, near = 0;
};

/// Numbers of links and of visited pairs.
struct LinkCounts {
    std::uint64_t far = 0, near = 0;
    std::uint64_t visited = 0;  ///< pairs of nodes, each for both directions
};

/// Owns pairs of nodes that are linked in both directions: each pair once, in any order, the node
/// of lower index as the target (LooseLinks::pair_of).
struct LinkPairs {
    struct List {
        DeviceArray<std::uint64_t> memory;
        std::size_t size = 0;

        [[nodiscard]] View<std::uint64_t> view() { return {memory.data(), size}; }
    };
    List far, near;
    std::uint64_t n_visited = 0;  ///< pairs of nodes that were tested
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Returns the links of find_facing_links() as pairs.
    LinkPairs find_facing_pairs(Scratch& scratch, const OctreeView& tree,
                                const OctreeHeader& header, const LinkConfig& config,
                                LinkRoom& room, StageTimer& timer);
    /// Links every pair of leaves, for sums of inverse distances. `header` is the tree's. Waits.
    LinkCounts find_links(Scratch& scratch, const OctreeView& tree, const OctreeHeader& header,
                          const LinkConfig& config, LinkRoom& room, NodeLinks& out,
                          StageTimer& timer);
    /// Links for radiosity, with weight 1 and without occlusion. Pairs of nodes are far only if no
    /// point of one is behind any point of the other. They are dropped if all points of one are
    /// behind, or in the plane of, all points of the other. Waits.
    LinkCounts find_facing_links(Scratch& scratch, const OctreeView& tree,
                                 const OctreeHeader& header, const LinkConfig& config,
                                 LinkRoom& room, NodeLinks& out, StageTimer& timer);
)
// clang-format on
