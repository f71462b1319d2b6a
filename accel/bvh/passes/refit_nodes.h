// Launch of a refit with leaf boxes from any source, for device files. One such source is the
// primitives themselves, which are then gathered in the same launch.
#pragma once

#include "accel/bvh/passes/refit.h"
#include "core/device/atomics.h"
#include "core/device/parallel_for.h"

TL_DEVICE_BEGIN

#if defined(__CUDACC__)
/// Flips `bits` and returns the old word. Has the memory order of atomic_exchange, without two
/// sequentially consistent fences.
__device__ inline std::uint32_t atomic_flip(std::uint32_t* at, std::uint32_t bits) {
    std::uint32_t old;
#if __CUDA_ARCH__ >= 700
    asm volatile("atom.acq_rel.gpu.xor.b32 %0, [%1], %2;"
                 : "=r"(old)
                 : "l"(at), "r"(bits)
                 : "memory");
#else
    __threadfence();
    old = atomicXor(at, bits);
    __threadfence();
#endif
    return old;
}
/// Stores one side of a node, 32 bytes, by two 16-byte stores.
__device__ inline void store_side(BvhNode* node, int side, const Box& box, NodeRef ref) {
    auto quads = reinterpret_cast<float4*>(node) + 2 * side;
    quads[0] = make_float4(box.lo.x, box.lo.y, box.lo.z, __uint_as_float(ref.bits));
    quads[1] = make_float4(box.hi.x, box.hi.y, box.hi.z, 0.0f);
}
/// Loads the box of one side of a node by two 16-byte loads that bypass the L1 cache. Loads the box
/// of one side of a node by two 16-byte loads that bypass the L1 cache.
__device__ inline Box load_fresh_side(const BvhNode* node, int side) {
    auto quads = reinterpret_cast<const float4*>(node) + 2 * side;
    float4 lo = __ldcg(quads), hi = __ldcg(quads + 1);
    Box box;
    box.lo = vec3(lo.x, lo.y, lo.z);
    box.hi = vec3(hi.x, hi.y, hi.z);
    return box;
}
#else
inline std::uint32_t atomic_flip(std::uint32_t* at, std::uint32_t bits) {
    return std::atomic_ref(*at).fetch_xor(bits, std::memory_order_acq_rel);
}
inline void store_side(BvhNode* node, int side, const Box& box, NodeRef) {
    // The reference is not stored: the node's own thread may be reading it.
    (side ? node->lo1 : node->lo0) = box.lo;
    (side ? node->hi1 : node->hi0) = box.hi;
}
inline Box load_fresh_side(const BvhNode* node, int side) {
    return node->box(side);
}
#endif

/// Refits from one node upwards. `LeafBox` has Box operator()(std::uint32_t first, std::uint32_t
/// count), which returns the union of the valid boxes in these leaf slots.
template <class LeafBox>
struct NodeRefitter {
    RefitView tree;
    LeafBox leaf_box;

    TL_D static bool is_empty(const Box& box) { return !(box.lo.x <= box.hi.x); }
    /// Stores a box; an empty box becomes one at infinity that no ray intersects, as for a missing
    /// child.
    TL_D static void store(BvhNode* node, int side, const Box& box, NodeRef ref) {
        Box stored = box;
        if (is_empty(box)) stored.lo = stored.hi = vec3(kInfinity);
        store_side(node, side, stored, ref);
    }
    TL_D static Box load(const BvhNode* node, int side) {
        Box box = load_fresh_side(node, side);
        return box.lo.x < kInfinity ? box : Box{};
    }

    TL_D void refit_from(std::uint32_t i) const {
        BvhNode* node = tree.nodes.data + i;
        const NodeRef children[2] = {node->child0, node->child1};
        bool inner[2];
        Box box;
        for (int side = 0; side < 2; ++side) {
            NodeRef child = children[side];
            inner[side] = !child.is_leaf();
            if (inner[side] || child.is_missing()) continue;
            Box below = leaf_box(child.first(), child.count());
            store(node, side, below, child);
            box.extend(below);
        }
        // Threads start at nodes with a leaf child; other nodes are reached from their subtrees.
        if (inner[0] && inner[1]) return;
        ParentRef parent;
        if (inner[0] || inner[1]) {
            parent.bits = atomic_flip(&tree.parents[i].bits, ParentRef::kArrivedBit);
            if (!parent.arrived()) return;
            box.extend(load(node, inner[0] ? 0 : 1));
        } else {
            parent = tree.parents[i];
        }
        while (!parent.is_root()) {
            std::uint32_t from = i;
            int side = parent.side();
            i = parent.node();
            node = tree.nodes.data + i;
            store(node, side, box, NodeRef::inner(from));
            parent.bits = atomic_flip(&tree.parents[i].bits, ParentRef::kArrivedBit);
            if (!parent.arrived()) return;
            box.extend(load(node, 1 - side));
        }
    }
};

/// Refits the tree on the stream, without waiting.
template <class LeafBox>
void refit_nodes(Stream& stream, const RefitView& tree, const LeafBox& leaf_box) {
    NodeRefitter<LeafBox> refitter{tree, leaf_box};
    parallel_for(
        stream, "refit", static_cast<std::uint32_t>(tree.nodes.size), TL_LAMBDA(std::uint32_t i) {
            const TreeHeader& header = refitter.tree.header[0];
            if (i < header.n_nodes && header.n_valid > 0) refitter.refit_from(i);
        });
}

TL_DEVICE_END
