// Collapses nodes of a binary BVH into the children of one wide node. The inner child of the
// largest surface area is replaced by its two children until the node is full. This removes the
// node visits that cost most by the surface-area heuristic (Wald, Benthin and Boulos 2008, "Getting
// rid of packets").
#pragma once

#include "accel/bvh/layouts/bvh2.h"

namespace tl {

inline constexpr int kWide = 8;

}  // namespace tl

TL_DEVICE_BEGIN

/// Boxes and references of a wide node's children; the first `count` are set.
template <int kWidth>
struct WideChildren {
    Box boxes[kWidth];
    NodeRef refs[kWidth];
    int count = 0;

    /// Selects the children of the wide node that replaces `node`.
    TL_HD WideChildren(const BvhNode* nodes, std::uint32_t node) {
        float areas[kWidth];
        add(nodes[node], 0, areas, count);
        add(nodes[node], 1, areas, count);
        while (count < kWidth) {
            int largest = -1;
            for (int i = 0; i < count; ++i)
                if (areas[i] >= 0 && (largest < 0 || areas[i] > areas[largest])) largest = i;
            if (largest < 0) return;
            const BvhNode& opened = nodes[refs[largest].node()];
            int at = largest;
            add(opened, 0, areas, at);
            add(opened, 1, areas, count);
        }
    }

  private:
    /// Appends a child at index `at`. A leaf gets a negative area, since it cannot be opened. A
    /// refit puts boxes without valid primitives at infinity; their area counts as 0.
    TL_HD void add(const BvhNode& node, int side, float* areas, int& at) {
        NodeRef ref = node.child(side);
        if (ref.is_missing()) return;
        boxes[at] = node.box(side);
        refs[at] = ref;
        areas[at] = ref.is_leaf() ? -1.0f : maximum(boxes[at].half_area(), 0.0f);
        ++at;
    }
};

TL_DEVICE_END
