// Which nodes of an octree are linked, and how: see links.h.
#pragma once

#include "accel/fmm/links.h"
#include "accel/parallel/stage_timer.h"

namespace tl {

/// Up to how many pairs of points leaves are summed point by point, since a link by expansions
/// would take longer.
struct FewPairs {
    std::uint32_t of_whole = 0;  ///< where neither box is flat
    /// Places along an axis, of which one counts along axes on which a box is flat; 0: as many
    /// count.
    int order = 0;

    bool operator==(const FewPairs&) const = default;
};

struct LinkConfig {
    /// Nodes are linked by expansions where the radii of their boxes together are at most this part
    /// of the distance between the boxes' middles: above 0 and below 1.
    float theta = 0.5f;
    FewPairs few;
    /// The negative cosines that expansions may take for what they are, not for 0, and the cosines
    /// of one end of a link below which nothing is exchanged: radiosity only.
    float slack = 1e-5f;
};

/// How many links there was room for: searched again with more where there were more. Keep it from
/// one search to the next.
struct LinkRoom {
    std::uint32_t queue = 0, far = 0, near = 0;
};

/// What a search has found.
struct LinkCounts {
    std::uint64_t far = 0, near = 0;
    std::uint64_t visited = 0;  ///< pairs of nodes that were looked at, each for both directions
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
    std::uint64_t n_visited = 0;  ///< pairs that were looked at
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// What find_facing_links() links, as pairs.
    LinkPairs find_facing_pairs(Scratch& scratch, const OctreeView& tree,
                                const OctreeHeader& header, const LinkConfig& config,
                                LinkRoom& room, StageTimer& timer);
    /// Links every pair of leaves, for sums of inverse distances. `header` is the tree's. Waits.
    LinkCounts find_links(Scratch& scratch, const OctreeView& tree, const OctreeHeader& header,
                          const LinkConfig& config, LinkRoom& room, NodeLinks& out,
                          StageTimer& timer);
    /// The same for radiosity, with weight 1, as if nothing were in the way: pairs of nodes are far
    /// only if no point of one is behind any point of the other, and dropped if all points of one
    /// are behind, or in the plane of, all points of the other.
    LinkCounts find_facing_links(Scratch& scratch, const OctreeView& tree,
                                 const OctreeHeader& header, const LinkConfig& config,
                                 LinkRoom& room, NodeLinks& out, StageTimer& timer);
)
// clang-format on
