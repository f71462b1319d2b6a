// What rays have told of pairs of nodes, kept for the next search: when something has moved, a pair
// is known from before if both nodes have the same points as then, and nothing has moved in the
// hull of the two, where all rays between them are, or all of these rays miss it. It is found again
// by the names of its nodes (node_names.h), whatever their numbers have become.
#pragma once

#include "renderer/radiosity/node_names.h"
#include "renderer/radiosity/node_pairs.h"
#include "renderer/radiosity/scene_parts.h"
#include "renderer/radiosity/sight_table.h"

TL_DEVICE_BEGIN

/// Whether the hull of two boxes meets a third one. It is all of the boxes between: each of their
/// ends is as large a part of the way from the one's to the other's.
TL_HD inline bool hull_meets(const Box& a, const Box& b, const Box& other) {
    float first = 0, last = 1;  // the parts at which boxes between meet the third
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

/// Whether rays between points miss all boxes within which something has moved.
struct ClearWay {
    static constexpr int kResidentBlocks = 0;

    View<const Box> moved;
    View<const vec3> starts;  ///< of the points' rays

    [[nodiscard]] TL_D bool sees(std::uint32_t a, std::uint32_t b) const {
        return !is_between({starts[a], starts[a]}, {starts[b], starts[b]});
    }
    /// Whether something has moved in the hull of two nodes.
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

class SightMemory {
  public:
    /// What recall() knows of a pair; `doubtful`: all, if its rays miss what has moved.
    enum Mark : std::uint32_t { known, unknown, doubtful };

    /// If more pairs are looked at, none are kept: they take 20 bytes each, and twice as many while
    /// the next ones are found.
    static constexpr std::uint64_t kMostPairs = std::uint64_t{1} << 27;

    /// Begins a search, which ends with end(), or else counts for nothing. `parts`: of the scene,
    /// for comparison with those of the search before; none: nothing is known, and nothing is kept.
    /// `n_expected`: of pairs, roughly. Waits for the stream.
    void begin(Scratch& scratch, const DiffusePointsView& points, const OctreeHeader& header,
               std::span<const ScenePart> parts, std::uint64_t n_expected);
    /// Sets what has been seen of the pairs of a queue in the search before, and marks them:
    /// fractions of partial pairs are the numbers of their LeafBits of then, as bits; pairs that
    /// are not found again are hidden.
    void recall(Stream& stream, View<const std::uint64_t> queue, View<Seen> seen,
                View<std::uint32_t> marks);
    /// Keeps what is seen of the pairs of a queue.
    void keep(Stream& stream, View<const std::uint64_t> queue, View<const Seen> seen);
    /// Keeps numbers of LeafBits, of pairs as LooseLinks has them: they ascend from `first`.
    void keep_numbers(Stream& stream, View<const std::uint64_t> pairs, std::uint32_t first);
    void end(std::span<const ScenePart> parts);
    /// Nothing is known any more.
    void forget() { known_.clear(); }

    /// Whether anything is known from the search before.
    [[nodiscard]] bool knows() const { return known_.size() > 0; }
    [[nodiscard]] ClearWay clear_way() { return {moved_.view(), starts_}; }
    /// Of the nodes of the search.
    [[nodiscard]] View<const std::uint64_t> names() const { return names_.view(); }
    [[nodiscard]] std::size_t bytes() const {
        return known_.bytes() + names_.bytes() + moved_.bytes();
    }

  private:
    DeviceArray<std::uint64_t> names_;
    DeviceArray<Box> moved_;  ///< where something has moved, with room for rays and rounding
    OctreeView tree_{};
    View<const vec3> starts_;
    SightTable known_, kept_;
    std::vector<ScenePart> parts_;  ///< of the search before
    std::uint64_t n_expected_ = 0;
    bool keeps_ = false;
};

TL_DEVICE_END
