// Ray traversal of a Bvh2, a template over {any-hit} with a functor for the leaves.
#pragma once

#include "accel/bvh/bvh2.h"
#include "accel/primitives.h"

TL_DEVICE_BEGIN

/// Deepest stack: 63 levels of Morton bits and 28 of places bound every tree that the builders
/// write.
inline constexpr int kTraversalStack = 96;

/// A ray's reciprocal direction, with tiny components replaced so that no slab gives 0 * infinity.
struct SlabRay {
    vec3 origin;
    vec3 inverse_direction;

    TL_HD explicit SlabRay(const Ray& ray) : origin(ray.origin) {
        for (int axis = 0; axis < 3; ++axis) {
            float d = ray.direction[axis];
            inverse_direction[axis] = 1.0f / (fabsf(d) > 1e-20f ? d : copysignf(1e-20f, d));
        }
    }
    /// Whether the ray meets the box within [t_min, t_max]; `entry` is where. Differences are taken
    /// before the product and the exit is widened by a few units in the last place, so that
    /// rounding never loses a box (Ize 2013, "Robust BVH ray traversal").
    TL_HD bool meets(vec3 lo, vec3 hi, float t_min, float t_max, float& entry) const {
        vec3 a = (lo - origin) * inverse_direction;
        vec3 b = (hi - origin) * inverse_direction;
        entry = maximum(maximum(minimum(a.x, b.x), minimum(a.y, b.y)),
                        maximum(minimum(a.z, b.z), t_min));
        float exit = minimum(minimum(maximum(a.x, b.x), maximum(a.y, b.y)), maximum(a.z, b.z));
        return entry <= minimum(exit * 1.0000004f, t_max);
    }
};

/// Visits the leaves that the ray meets, nearest child first. `leaf(first, count, t_max)` tests the
/// primitives at places [first, first + count), lowers t_max to the nearest hit and returns whether
/// it found one. With kAnyHit the first hit ends it. Returns whether any leaf reported a hit.
template <bool kAnyHit, class Leaf>
TL_HD bool traverse(const Bvh2View& tree, const Ray& ray, Leaf&& leaf) {
    if (tree.n_primitives == 0) return false;
    SlabRay slabs(ray);
    float t_max = ray.t_max;
    bool found = false;
    std::uint32_t stack[kTraversalStack];
    int depth = 0;
    NodeRef ref = NodeRef::inner(*tree.root);
    for (;;) {
        if (ref.is_leaf()) {
            if (leaf(ref.first(), ref.count(), t_max)) {
                found = true;
                if (kAnyHit) return true;
            }
        } else {
            const BvhNode& node = tree.nodes[ref.node()];
            float entry0, entry1;
            bool meets0 = slabs.meets(node.lo0, node.hi0, ray.t_min, t_max, entry0);
            bool meets1 = slabs.meets(node.lo1, node.hi1, ray.t_min, t_max, entry1);
            if (meets0 && meets1) {
                bool first0 = kAnyHit || entry0 <= entry1;
                stack[depth++] = (first0 ? node.child1 : node.child0).bits;
                ref = first0 ? node.child0 : node.child1;
                continue;
            }
            if (meets0 || meets1) {
                ref = meets0 ? node.child0 : node.child1;
                continue;
            }
        }
        if (depth == 0) return found;
        ref = NodeRef{stack[--depth]};
    }
}

/// The nearest hit of the ray with primitives gathered in leaf order.
TL_HD inline Hit trace_closest(const Bvh2View& tree, const Primitive* primitives, const Ray& ray) {
    Hit hit;
    traverse<false>(tree, ray, [&](std::uint32_t first, std::uint32_t count, float& t_max) {
        bool found = false;
        for (std::uint32_t i = first; i < first + count; ++i)
            if (intersect(primitives[i], ray, t_max, hit)) {
                t_max = hit.t;
                found = true;
            }
        return found;
    });
    return hit;
}

/// Whether anything lies on the ray.
TL_HD inline bool trace_any(const Bvh2View& tree, const Primitive* primitives, const Ray& ray) {
    return traverse<true>(tree, ray, [&](std::uint32_t first, std::uint32_t count, float& t_max) {
        Hit hit;
        for (std::uint32_t i = first; i < first + count; ++i)
            if (intersect(primitives[i], ray, t_max, hit)) return true;
        return false;
    });
}

TL_DEVICE_END
