// Storage of the expansions and fields of nodes, for every form of expansions.
#pragma once

#include "accel/octree/octree.h"

TL_DEVICE_BEGIN

/// Expansions and fields of a node: channel by channel, term by term.
template <class Kernel, int kTerms, int kChannels>
struct NodeExpansions {
    static constexpr std::uint32_t kNodeSize = kTerms * kChannels;

    OctreeView tree;
    View<const typename Kernel::Value> values;
    View<float> expansions, fields;

    /// Number of elements that a node sums: points, or terms of its children.
    [[nodiscard]] TL_D static std::uint32_t n_elements(const OctreeNode& node) {
        return node.is_leaf() ? node.count() : (node.end_child - node.first_child) * kTerms;
    }
    /// The child that has element e, a term.
    [[nodiscard]] TL_D static std::uint32_t child_of(const OctreeNode& node, std::uint32_t e) {
        return node.first_child + e / kTerms;
    }
    /// Offset of channel 0 of an element that is a child's term; each further channel is kTerms
    /// later.
    [[nodiscard]] TL_D static std::size_t element_at(const OctreeNode& node, std::uint32_t e) {
        return std::size_t(child_of(node, e)) * kNodeSize + e % kTerms;
    }
};

TL_DEVICE_END
