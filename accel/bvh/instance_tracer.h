// Rays through two levels of bvh2 trees in one loop: at an instance the ray goes on in the space
// and the tree of its mesh, under a mark on the stack at which it comes back to the world. So the
// lanes of a warp run the same code whichever level each of them is in.
#pragma once

#include "accel/bvh/instance.h"
#include "accel/bvh/traversal.h"

TL_DEVICE_BEGIN

#if defined(__CUDACC__)
/// Through the read-only cache, as five 16-byte loads.
__device__ inline InstanceData load_instance(const InstanceData* at) {
    auto quads = reinterpret_cast<const float4*>(at);
    float4 loaded[5];
    for (int k = 0; k < 5; ++k) loaded[k] = __ldg(quads + k);
    InstanceData instance;
    memcpy(&instance, loaded, sizeof instance);
    return instance;
}
#else
inline const InstanceData& load_instance(const InstanceData* at) {
    return *at;
}
#endif

/// A tracer (accel/tracer.h) of bvh2 trees some of whose primitives are instances.
template <bool kRobust, class Tests = PlainTests<kRobust>>
struct InstanceTracer {
    static constexpr bool kPatches = Tests::kPatches;
    Bvh2View tree;
    const Primitive* primitives;
    const InstanceData* instances;
    Tests tests{};

    template <class Stats = NoStats>
    TL_D Hit closest(const Ray& ray, Stats&& stats = {}) const {
        return traverse_levels<false>(ray, stats);
    }
    template <class Stats = NoStats>
    TL_D bool occluded(const Ray& ray, Stats&& stats = {}) const {
        return traverse_levels<true>(ray, stats).found();
    }
    /// As closest_or_any (accel/bvh/traversal.h) asks for it.
    TL_D Hit closest_or_any(const Ray& ray, bool any) const requires(!kPatches) {
        NoStats stats;
        return traverse_levels<false>(ray, stats, any);
    }

  private:
    /// Where a ray is: a level's tree, and the ray in its space.
    struct Level {
        const BvhNode* nodes;
        const Primitive* primitives;
        Ray ray;
        SlabRay<kRobust> slabs;
        PrimitiveRay<kRobust> tester;
        std::uint32_t instance;
    };

    struct Stack {
        std::uint32_t refs[kTraversalStack];
        std::uint32_t depth = 0;
        TreeHeader* header;

        TL_D explicit Stack(TreeHeader* header) : header(header) {}
        /// False where there is no room, which the tree's header then says.
        TL_D bool push(NodeRef ref) {
            if (depth == kTraversalStack) {
                atomic_or(&header->errors, kTraversalStackFull);
                return false;
            }
            refs[depth++] = ref.bits;
            return true;
        }
        TL_D bool pop(NodeRef& ref) {
            if (depth == 0) return false;
            ref = NodeRef{refs[--depth]};
            return true;
        }
    };

    TL_D Level world(const Ray& ray) const {
        return {tree.nodes, primitives, ray, SlabRay<kRobust>(ray), PrimitiveRay<kRobust>(ray),
                Hit::kNone};
    }

    /// Nearest hit, or with kAnyHit or `any` the first one met. A missing NodeRef on the stack
    /// marks the end of an instance.
    template <bool kAnyHit, class Stats>
    TL_D Hit traverse_levels(const Ray& ray, Stats& stats, bool any = kAnyHit) const {
        Hit hit;
        if (!is_finite(ray)) return hit;
        float t_max = box_t_max(ray);
        Level level = world(ray);
        [[maybe_unused]] auto patches = tests.template tester<kAnyHit>(ray);
        Stack stack(tree.header);
        NodeRef ref = NodeRef::inner(tree.header->root);
        for (;;) {
            while (!ref.is_leaf()) {
                stats.visit_node();
                const BvhNode node = load_node(level.nodes + ref.bits);
                float entry0, entry1;
                bool meets0 = level.slabs.meets(node.lo0, node.hi0, ray.t_min, t_max, entry0);
                bool meets1 = level.slabs.meets(node.lo1, node.hi1, ray.t_min, t_max, entry1);
                if (meets0 && meets1) {
                    bool first0 = entry0 <= entry1;
                    ref = first0 ? node.child0 : node.child1;
                    stack.push(first0 ? node.child1 : node.child0);
                } else if (meets0 || meets1) {
                    ref = meets0 ? node.child0 : node.child1;
                } else if (!stack.pop(ref)) {
                    return hit;
                }
            }
            if (ref.is_missing()) {
                level = world(ray);
            } else {
                NodeRef entrance = test_leaf(level, ref, patches, t_max, hit, stack, stats);
                if (any && hit.found()) return hit;
                if (!entrance.is_missing() && stack.push(NodeRef::missing())) {
                    std::uint32_t id = primitives[entrance.first()].id;
                    const InstanceData instance = load_instance(instances + id);
                    Ray inside = instance.enter(ray);
                    level = {instance.nodes,           instance.primitives,           inside,
                             SlabRay<kRobust>(inside), PrimitiveRay<kRobust>(inside), id};
                    ref = NodeRef::inner(instance.root);
                    continue;
                }
            }
            if (!stack.pop(ref)) return hit;
        }
    }

    /// Tests triangles and spheres. Returns the place of the leaf's first instance, as a leaf of
    /// its own, or a missing one; further instances wait on the stack.
    /// Patches are never instanced: `world` is the ray's tester of them.
    template <class Tester, class Stats>
    TL_D NodeRef test_leaf(const Level& level, NodeRef leaf, const Tester& world, float& t_max,
                           Hit& hit, Stack& stack, Stats& stats) const {
        NodeRef entrance = NodeRef::missing();
        std::uint32_t last = leaf.first() + leaf.count();
        for (std::uint32_t place = leaf.first(); place < last; ++place) {
            const Primitive& p = level.primitives[place];
            if (p.kind == Primitive::kInstance) {
                if (entrance.is_missing())
                    entrance = NodeRef::leaf(place, 1);
                else
                    stack.push(NodeRef::leaf(place, 1));
                continue;
            }
            stats.test_primitives(1);
            if constexpr (kPatches) {
                if (p.kind == Primitive::kPatch) {
                    if (world.meets(p, level.ray, t_max, hit)) t_max = hit.t;
                    continue;
                }
            }
            if (!level.tester.meets(p, level.ray, t_max, hit)) continue;
            hit.instance = level.instance;
            t_max = hit.t;
        }
        // Entering is the instance's test.
        if (!entrance.is_missing()) stats.test_primitives(1);
        return entrance;
    }
};

TL_DEVICE_END
