// Traversal of two levels of bvh2 trees in one loop. At an instance the ray continues in the space
// and the tree of its mesh. A mark that was pushed on the stack before returns it to world space.
// All lanes of a warp thus run the same code, whichever level each of them is in.
#pragma once

#include "accel/bvh/layouts/instance.h"
#include "accel/bvh/traversal/traversal.h"

TL_DEVICE_BEGIN

#if defined(__CUDACC__)
/// Loads an instance through the read-only cache, as five 16-byte loads.
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

/// Tracer (accel/bvh/traversal/tracer.h) of bvh2 trees some of whose primitives are instances.
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
    /// Returns the closest hit or, with `any`, any hit; used by the free function closest_or_any
    /// (accel/bvh/traversal/traversal.h).
    TL_D Hit closest_or_any(const Ray& ray, bool any) const requires(!kPatches) {
        NoStats stats;
        return traverse_levels<false>(ray, stats, any);
    }

  private:
    /// Level that a ray is in: the tree of the world or of a mesh, and the ray in its space.
    struct Level {
        const BvhNode* nodes;
        const Primitive* primitives;
        Ray ray;
        SlabRay<kRobust> slabs;
        PrimitiveRay<kRobust> tester;
        std::uint32_t instance;
    };

    /// Stack entry that marks the end of an instance.
    static constexpr NodeRef kLeave{NodeRef::kLeafBit | NodeRef::kFirstMask};

    TL_D Level world(const Ray& ray) const {
        return {tree.nodes, primitives, ray, SlabRay<kRobust>(ray), PrimitiveRay<kRobust>(ray),
                Hit::kNone};
    }

    /// Returns the closest hit or, with kAnyHit or `any`, the first hit found.
    template <bool kAnyHit, class Stats>
    TL_D Hit traverse_levels(const Ray& ray, Stats& stats, bool any = kAnyHit) const {
        if (!is_finite(ray)) return {};
        Hit hit = hit_to_find(ray);
        Level level = world(ray);
        [[maybe_unused]] auto patches = tests.template tester<kAnyHit>(ray);
        TraversalStack stack;
        Traversal way(NodeRef::inner(tree.header->root), stack);
        while (!way.done()) {
            while (!way.ref.is_leaf()) {
                stats.visit_node();
                const BvhNode node = load_words(level.nodes + way.ref.bits);
                way.go_on(Bvh2Nodes<kRobust>::template descend<kAnyHit>(node, level.slabs,
                                                                        ray.t_min, hit.t, way));
            }
            if (way.done()) break;
            NodeRef next = NodeRef::missing();
            if (way.ref.bits == kLeave.bits) {
                level = world(ray);
            } else {
                NodeRef entrance = test_leaf(level, way.ref, patches, hit, way, stats);
                if (any && hit.found()) break;
                bool enters = !entrance.is_missing() && !way.is_full();
                if (!entrance.is_missing()) way.push(kLeave);
                if (enters) {
                    std::uint32_t id = primitives[entrance.first()].id;
                    const InstanceData instance = load_instance(instances + id);
                    Ray inside = instance.enter(ray);
                    level = {instance.nodes,           instance.primitives,           inside,
                             SlabRay<kRobust>(inside), PrimitiveRay<kRobust>(inside), id};
                    next = NodeRef::inner(instance.root);
                }
            }
            way.go_on(next);
        }
        way.report(tree.header);
        return found_hit(hit);
    }

    /// Tests a leaf's triangles, spheres and splats. Returns its first instance, as a leaf of its
    /// own, or a missing reference; pushes further instances on the stack. Patches are never
    /// instanced: they are tested by `world`, the tester of the ray in world space.
    template <class Tester, class Stats>
    TL_D NodeRef test_leaf(const Level& level, NodeRef leaf, const Tester& world, Hit& hit,
                           Traversal& way, Stats& stats) const {
        NodeRef entrance = NodeRef::missing();
        std::uint32_t last = leaf.first() + leaf.count();
        for (std::uint32_t place = leaf.first(); place < last; ++place) {
            const Primitive p = load_words(level.primitives + place);
            if (p.kind == Primitive::kInstance) {
                if (entrance.is_missing())
                    entrance = NodeRef::leaf(place, 1);
                else
                    way.push(NodeRef::leaf(place, 1));
                continue;
            }
            stats.test_primitives(1);
            if constexpr (kPatches) {
                if (p.kind == Primitive::kPatch) {
                    world.meets(p, level.ray, hit.t, hit);
                    continue;
                }
            }
            if (level.tester.meets(p, level.ray, hit.t, hit)) hit.instance = level.instance;
        }
        // Entering an instance counts as a primitive test.
        if (!entrance.is_missing()) stats.test_primitives(1);
        return entrance;
    }
};

TL_DEVICE_END
