// Visibility cache: stores the visibility of pairs of nodes for the next search. A result stays
// valid while both nodes have the same points and nothing has moved in their convex hull. All rays
// between the two are in that hull. A result is also valid if all of these rays miss whatever
// moved. Pairs are identified by content hashes of their nodes (node_names.h), not by indices.
#pragma once

#include "renderer/radiosity/points/scene_parts.h"
#include "renderer/radiosity/transport/node_names.h"
#include "renderer/radiosity/transport/node_pairs.h"
#include "renderer/radiosity/transport/visibility_table.h"

TL_DEVICE_BEGIN

/// Whether the convex hull of two boxes intersects a third one. The hull is the union of all boxes
/// between the two, interpolated linearly.
TL_HD inline bool hull_meets(const Box& a, const Box& b, const Box& other) {
    float first = 0, last = 1;  // interpolation parameters whose boxes intersect the third
    auto clip = [&](float slope, float most) {
        if (slope > 0) last = minimum(last, most / slope);
        if (slope < 0) first = maximum(first, most / slope);
        if (slope == 0 && most < 0) last = -1;
    };
    for (int axis = 0; axis < 3; ++axis) {
        clip(b.lo[axis] - a.lo[axis], other.hi[axis] - a.lo[axis]);
        clip(a.hi[axis] - b.hi[axis], a.hi[axis] - other.lo[axis]);
    }
    return first <= last;
}

/// Tests whether rays between points miss all boxes in which something has moved.
struct ClearWay {
    static constexpr int kResidentBlocks = 0;

    View<const Box> moved;
    View<const vec3> starts;  ///< origins of the points' rays

    [[nodiscard]] TL_D bool sees(std::uint32_t a, std::uint32_t b) const {
        return !is_between({starts[a], starts[a]}, {starts[b], starts[b]});
    }
    /// Whether something has moved in the convex hull of two nodes.
    [[nodiscard]] TL_D bool is_in_hull(const OctreeView& tree, std::uint32_t a,
                                       std::uint32_t b) const {
        return is_between(tree.attributes[a].box, tree.attributes[b].box);
    }

  private:
    [[nodiscard]] TL_D bool is_between(const Box& a, const Box& b) const {
        for (std::size_t k = 0; k < moved.size; ++k)
            if (hull_meets(a, b, moved[k])) return true;
        return false;
    }
};

class VisibilityCache {
  public:
    /// Cache state of a pair. `known`: the cached result is valid; `unknown`: none is cached;
    /// `doubtful`: valid only if the pair's rays miss everything that moved.
    enum Mark : std::uint32_t { known, unknown, doubtful };

    /// Maximum number of cached pairs; a search of more caches none. A pair takes 20 bytes, and
    /// twice that during the next search.
    static constexpr std::uint64_t kMostPairs = std::uint64_t{1} << 27;

    /// Begins a search; its results are cached only if end() follows. `parts` of the scene are
    /// compared with those of the previous search; if empty, nothing is recalled or cached.
    /// `n_expected`: approximate number of pairs. Waits for the stream.
    void begin(Scratch& scratch, const DiffusePointsView& points, const OctreeHeader& header,
               std::span<const ScenePart> parts, std::uint64_t n_expected);
    /// Looks the pairs of a queue up in the cache: sets `seen` to the previous results and `marks`
    /// to a Mark each. The fraction of a partial pair is the bit-cast index of its previous
    /// LeafBits. Pairs that are not cached are set to hidden.
    void recall(Stream& stream, View<const std::uint64_t> queue, View<Seen> seen,
                View<std::uint32_t> marks);
    /// Caches the results of a queue's pairs.
    void keep(Stream& stream, View<const std::uint64_t> queue, View<const Seen> seen);
    /// Caches the indices of partial pairs' LeafBits, ascending from `first`. Pairs are in the
    /// format of LooseLinks.
    void keep_numbers(Stream& stream, View<const std::uint64_t> pairs, std::uint32_t first);
    /// Ends a search: its results replace the previous ones.
    void end(std::span<const ScenePart> parts);
    /// Invalidates all cached results.
    void forget() { known_.clear(); }

    /// Whether results of the previous search are cached.
    [[nodiscard]] bool knows() const { return known_.size() > 0; }
    [[nodiscard]] ClearWay clear_way() { return {moved_.view(), starts_}; }
    /// Content hashes of the nodes of the current search.
    [[nodiscard]] View<const std::uint64_t> names() const { return names_.view(); }
    [[nodiscard]] std::size_t bytes() const {
        return known_.bytes() + names_.bytes() + moved_.bytes();
    }

  private:
    DeviceArray<std::uint64_t> names_;
    DeviceArray<Box> moved_;  ///< where something has moved, with a margin for rays and rounding
    OctreeView tree_{};
    View<const vec3> starts_;
    VisibilityTable known_, kept_;  ///< results of the previous and the current search
    std::vector<ScenePart> parts_;  ///< of the previous search
    std::uint64_t n_expected_ = 0;
    bool keeps_ = false;
};

TL_DEVICE_END
