// Traversal of the compressed 8-wide BVH (Ylitie et al. 2017), one thread per ray. A node's hits
// are a mask: the upper 8 bits are the inner children, nearest octant first, the lower 24 the
// primitives. The stack holds the remaining inner hits of nodes. Unlike in the paper, primitives
// are tested immediately and the lanes of a warp are not synchronised.
#pragma once

#include "accel/bvh/layouts/cwbvh.h"
#include "accel/bvh/traversal/slab.h"
#include "accel/bvh/traversal/traversal.h"
#include "accel/parallel/bits.h"

TL_DEVICE_BEGIN

#if defined(__CUDACC__)
/// Loads a node through the read-only cache, as five 16-byte loads.
__device__ inline CwbvhNode load_node(const CwbvhNode* at) {
    auto quads = reinterpret_cast<const float4*>(at);
    float4 loaded[5] = {__ldg(quads), __ldg(quads + 1), __ldg(quads + 2), __ldg(quads + 3),
                        __ldg(quads + 4)};
    CwbvhNode node;
    memcpy(&node, loaded, sizeof node);
    return node;
}
#else
inline const CwbvhNode& load_node(const CwbvhNode* at) {
    return *at;
}
#endif

/// Ray data precomputed to test the children of a CwbvhNode.
template <bool kRobust>
struct CwbvhSlabs {
    vec3 origin, inverse_direction;
    float t_min;
    std::uint32_t flip;  ///< XOR mask from a slot to its rank: the nearest octant is 7

    TL_HD explicit CwbvhSlabs(const Ray& ray)
        : origin(ray.origin),
          inverse_direction(safe_inverse(ray.direction.x), safe_inverse(ray.direction.y),
                            safe_inverse(ray.direction.z)),
          t_min(ray.t_min) {
        flip = 7u ^ (inverse_direction.x < 0 ? 1u : 0u) ^ (inverse_direction.y < 0 ? 2u : 0u) ^
               (inverse_direction.z < 0 ? 4u : 0u);
    }
    /// Returns the hit mask of the node's children whose boxes the ray intersects before t_max.
    TL_HD std::uint32_t meets(const CwbvhNode& node, float t_max) const {
        vec3 scale(node.scale(0), node.scale(1), node.scale(2));
        vec3 step = scale * inverse_direction;
        vec3 start = (node.origin - origin) * inverse_direction;
        std::uint32_t hits = 0;
#if defined(__CUDACC__)
#pragma unroll
#endif
        for (int slot = 0; slot < kWide; ++slot) {
            float entry = t_min, exit = kInfinity;
            for (int axis = 0; axis < 3; ++axis) {
                bool backward = inverse_direction[axis] < 0;
                auto lo = float(node.lo[axis][slot]), hi = float(node.hi[axis][slot]);
                float near = backward ? hi : lo, far = backward ? lo : hi;
                if (kRobust) {
                    near = (fmaf(near, scale[axis], node.origin[axis]) - origin[axis]) *
                           inverse_direction[axis];
                    far = (fmaf(far, scale[axis], node.origin[axis]) - origin[axis]) *
                          inverse_direction[axis];
                } else {
                    near = fmaf(near, step[axis], start[axis]);
                    far = fmaf(far, step[axis], start[axis]);
                }
                entry = maximum(entry, near);
                exit = minimum(exit, far);
            }
            if (!(entry <= minimum(kRobust ? exit * 1.0000004f : exit, t_max))) continue;
            std::uint32_t meta = node.meta[slot];
            std::uint32_t at = meta & 31;
            hits |= (meta >> 5) << (at >= 24 ? at ^ flip : at);
        }
        return hits;
    }
};

/// Tracer (accel/bvh/traversal/tracer.h) of compressed 8-wide trees.
template <bool kRobust, class Tests = PlainTests<kRobust>>
struct CwbvhTracer {
    static constexpr bool kPatches = Tests::kPatches;
    CwbvhView tree;
    const Primitive* primitives;
    Tests tests{};

    template <class Stats = NoStats>
    TL_D Hit closest(const Ray& ray, Stats&& stats = {}) const {
        return traverse<false>(ray, stats);
    }
    template <class Stats = NoStats>
    TL_D bool occluded(const Ray& ray, Stats&& stats = {}) const {
        return traverse<true>(ray, stats).found();
    }
    /// Returns the closest hit or, with `any`, any hit; used by the free function closest_or_any
    /// (accel/bvh/traversal/traversal.h).
    TL_D Hit closest_or_any(const Ray& ray, bool any) const requires(!kPatches) {
        NoStats stats;
        return traverse<false>(ray, stats, any);
    }

  private:
    static constexpr int kStack = kTraversalStack / 2;
    static constexpr std::uint32_t kInnerHits = 0xff000000u;

    /// Pending children of a node: hits in the upper 8 bits, its inner mask in the lower 8.
    struct alignas(8) Group {
        std::uint32_t first_child;
        std::uint32_t mask;
    };

    template <bool kAnyHit, class Stats>
    TL_D Hit traverse(const Ray& ray, Stats& stats, bool any = kAnyHit) const {
        Hit hit;
        if (!is_finite(ray)) return hit;
        CwbvhSlabs<kRobust> slabs(ray);
        auto tester = tests.template tester<kAnyHit>(ray);
        float t_max = box_t_max(ray);
        Group stack[kStack];
        int depth = 0;
        Group group{0, 1u << 31};  // as if the root were the only child of a node
        for (;;) {
            int bit = highest_bit(group.mask);
            group.mask &= ~(1u << bit);
            std::uint32_t slot = (static_cast<std::uint32_t>(bit) - 24) ^ slabs.flip;
            std::uint32_t lower_slots = group.mask & ((1u << slot) - 1);
            std::uint32_t index =
                group.first_child + static_cast<std::uint32_t>(bit_count(lower_slots));
            if (group.mask & kInnerHits) {
                if (depth == kStack)
                    atomic_or(&tree.header->errors, kTraversalStackFull);
                else
                    stack[depth++] = group;
            }
            stats.visit_node();
            const CwbvhNode node = load_node(tree.nodes + index);
            std::uint32_t hits = slabs.meets(node, t_max);
            group = {node.first_child, (hits & kInnerHits) | node.inner_mask};
            std::uint32_t leaves = hits & ~kInnerHits;
            stats.test_primitives(static_cast<std::uint32_t>(bit_count(leaves)));
            for (; leaves; leaves &= leaves - 1) {
                auto lowest = static_cast<std::uint32_t>(highest_bit(leaves & (~leaves + 1)));
                if (!tester.meets(primitives[node.first_place + lowest], ray, t_max, hit)) continue;
                if (any) return hit;
                t_max = hit.t;
            }
            if (group.mask & kInnerHits) continue;
            if (depth == 0) return hit;
            group = stack[--depth];
        }
    }
};

TL_DEVICE_END
