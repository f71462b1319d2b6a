// Ray traversal of BvhNodes: a template over {any hit, robust, statistics} with a functor for the
// leaves.
#pragma once

#include "accel/bvh/atomics.h"
#include "accel/bvh/slab.h"

TL_DEVICE_BEGIN

/// Entries of a ray's stack, more than any tree of these builders was seen to need; a ray that
/// would need another loses that subtree and sets kTraversalStackFull in the tree's header.
inline constexpr int kTraversalStack = 128;

/// Statistics that cost nothing.
struct NoStats {
    TL_D void visit_node() {}
    TL_D void test_primitives(std::uint32_t) {}
};
/// What a ray met on its way.
struct RayStats {
    std::uint32_t n_nodes = 0;       ///< nodes whose children's boxes were tested
    std::uint32_t n_primitives = 0;  ///< primitives tested
    TL_D void visit_node() { ++n_nodes; }
    TL_D void test_primitives(std::uint32_t count) { n_primitives += count; }
};

#if defined(__CUDACC__)
/// Through the read-only cache, as four 16-byte loads.
__device__ inline BvhNode load_node(const BvhNode* at) {
    auto quads = reinterpret_cast<const float4*>(at);
    float4 loaded[4] = {__ldg(quads), __ldg(quads + 1), __ldg(quads + 2), __ldg(quads + 3)};
    BvhNode node;
    memcpy(&node, loaded, sizeof node);
    return node;
}
#else
inline const BvhNode& load_node(const BvhNode* at) {
    return *at;
}
#endif

/// Visits leaves that the ray meets, nearest boxes first. `leaf(first, count, t_max)` tests the
/// primitives at places [first, first + count), shortens t_max to the nearest hit and returns
/// whether it found one. With kAnyHit, the first leaf that finds one ends the traversal.
template <bool kAnyHit, bool kRobust, class Leaf, class Stats>
TL_D bool traverse(const Bvh2View& tree, const Ray& ray, Leaf&& leaf, Stats& stats) {
    if (!is_finite(ray)) return false;
    SlabRay<kRobust> slabs(ray);
    float t_max = ray.t_max;
    bool found = false;
    std::uint32_t stack[kTraversalStack];
    int depth = 0;
    NodeRef ref = NodeRef::inner(tree.header->root);
    for (;;) {
        while (!ref.is_leaf()) {
            stats.visit_node();
            const BvhNode node = load_node(tree.nodes + ref.bits);
            float entry0, entry1;
            bool meets0 = slabs.meets(node.lo0, node.hi0, ray.t_min, t_max, entry0);
            bool meets1 = slabs.meets(node.lo1, node.hi1, ray.t_min, t_max, entry1);
            if (meets0 && meets1) {
                bool first0 = entry0 <= entry1;
                ref = first0 ? node.child0 : node.child1;
                if (depth == kTraversalStack)
                    atomic_or(&tree.header->errors, kTraversalStackFull);
                else
                    stack[depth++] = (first0 ? node.child1 : node.child0).bits;
            } else if (meets0 || meets1) {
                ref = meets0 ? node.child0 : node.child1;
            } else {
                if (depth == 0) return found;
                ref = NodeRef{stack[--depth]};
            }
        }
        stats.test_primitives(ref.count());
        if (leaf(ref.first(), ref.count(), t_max)) {
            found = true;
            if (kAnyHit) return true;
        }
        if (depth == 0) return found;
        ref = NodeRef{stack[--depth]};
    }
}

TL_DEVICE_END
