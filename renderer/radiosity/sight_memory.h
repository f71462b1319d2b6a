// What rays have told of pairs of nodes, kept for the next search: when something has moved, a pair
// is known from before if both nodes have the same points as then, and nothing has moved in the
// hull of the two, where all rays between them are. It is found again by the names of its nodes
// (node_names.h), whatever their numbers have become.
#pragma once

#include "renderer/radiosity/node_names.h"
#include "renderer/radiosity/node_pairs.h"
#include "renderer/radiosity/scene_parts.h"
#include "renderer/radiosity/sight_table.h"

TL_DEVICE_BEGIN

/// Whether the hull of two boxes meets a third one. It is all of the boxes between: each of their
/// ends is as large a part of the way from the one's to the other's.
TL_D inline bool hull_meets(const Box& a, const Box& b, const Box& other) {
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

class SightMemory {
  public:
    /// If more pairs are looked at, none are kept: they take 20 bytes each, and twice as many while
    /// the next ones are found.
    static constexpr std::uint64_t kMostPairs = std::uint64_t{1} << 27;

    /// Begins a search, which ends with end(), or else counts for nothing. `parts`: of the scene,
    /// for comparison with those of the search before; none: nothing is known, and nothing is kept.
    /// `n_expected`: of pairs, roughly. Waits for the stream.
    void begin(Scratch& scratch, const DiffusePointsView& points, const OctreeHeader& header,
               std::span<const ScenePart> parts, std::uint64_t n_expected);
    /// Sets what is known of the pairs of a queue: fractions of partial ones are the numbers of
    /// their LeafBits of the search before, as bits. Returns the places in the queue of the other
    /// pairs, in the memory of `scratch`. Waits for the stream.
    [[nodiscard]] View<const std::uint32_t> recall(Scratch& scratch,
                                                   View<const std::uint64_t> queue,
                                                   View<Seen> seen);
    /// Keeps what is seen of the pairs of a queue.
    void keep(Stream& stream, View<const std::uint64_t> queue, View<const Seen> seen);
    /// Keeps numbers of LeafBits, of pairs as LooseLinks has them: they ascend from `first`.
    void keep_numbers(Stream& stream, View<const std::uint64_t> pairs, std::uint32_t first);
    void end(std::span<const ScenePart> parts);
    /// Nothing is known any more.
    void forget() { known_.clear(); }

    /// Whether anything is known from the search before.
    [[nodiscard]] bool knows() const { return known_.size() > 0; }
    /// Of the nodes of the search.
    [[nodiscard]] View<const std::uint64_t> names() const { return names_.view(); }
    [[nodiscard]] std::size_t bytes() const {
        return known_.bytes() + names_.bytes() + moved_.bytes();
    }

  private:
    DeviceArray<std::uint64_t> names_;
    DeviceArray<Box> moved_;  ///< where something has moved, with room for rays and rounding
    OctreeView tree_{};
    SightTable known_, kept_;
    std::vector<ScenePart> parts_;  ///< of the search before
    std::uint64_t n_expected_ = 0;
    bool keeps_ = false;
};

TL_DEVICE_END
