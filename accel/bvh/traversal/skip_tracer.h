// Stackless traversal of depth-first nodes with skip pointers (accel/bvh/layouts/skip_tree.h). The
// order of the leaves is the same for all rays. A closest-hit search shortens the ray at each hit,
// so that boxes behind it are skipped.
#pragma once

#include "accel/bvh/layouts/skip_tree.h"
#include "accel/bvh/traversal/traversal.h"

TL_DEVICE_BEGIN

/// Position of a ray in the tree. The slab test is robust with kRobust.
template <bool kRobust>
class SkipWalk {
  public:
    TL_D SkipWalk(SkipTreeView tree, const Ray& ray)
        : nodes_(tree.nodes), slabs_(ray), t_min_(ray.t_min) {}

    /// Returns the next leaf whose box the ray intersects before `t_max`, or missing() after the
    /// last one. The lanes of a warp search for their leaves together, and test them together.
    template <class Stats>
    TL_D NodeRef next_leaf(float t_max, Stats& stats) {
        while (at_ != SkipNode::kEnd) {
            stats.visit_node();
            const SkipNode node = load_words(nodes_ + at_);
            float entry;
            bool meets = slabs_.meets(node.lo, node.hi, t_min_, t_max, entry);
            bool enters = meets && node.leaf.is_missing();
            at_ = enters ? at_ + 1 : node.skip;
            if (meets && !enters) return node.leaf;
        }
        return NodeRef::missing();
    }

  private:
    const SkipNode* nodes_;
    SlabRay<kRobust> slabs_;
    float t_min_;
    std::uint32_t at_ = 0;
};

/// Calls leaf(first, count) for each leaf whose box the ray intersects.
template <bool kRobust, class Leaf>
TL_D void for_each_skip_leaf(SkipTreeView tree, const Ray& ray, Leaf&& leaf) {
    if (!is_finite(ray)) return;
    NoStats stats;
    SkipWalk<kRobust> walk(tree, ray);
    float t_max = box_t_max(ray);
    for (NodeRef ref = walk.next_leaf(t_max, stats); !ref.is_missing();
         ref = walk.next_leaf(t_max, stats))
        leaf(ref.first(), ref.count());
}

/// Tracer (accel/bvh/traversal/tracer.h) of skip trees; primitives are in leaf order.
template <bool kRobust, class Tests = PlainTests<kRobust>>
struct SkipTracer {
    static constexpr bool kPatches = Tests::kPatches;
    SkipTreeView tree;
    const Primitive* primitives;
    Tests tests{};

    template <class Stats = NoStats>
    TL_D Hit closest(const Ray& ray, Stats&& stats = {}) const {
        return trace<false>(ray, stats);
    }
    template <class Stats = NoStats>
    TL_D bool occluded(const Ray& ray, Stats&& stats = {}) const {
        return trace<true>(ray, stats).found();
    }
    /// Returns the closest hit or, with `any`, any hit; used by the free function closest_or_any
    /// (accel/bvh/traversal/traversal.h).
    TL_D Hit closest_or_any(const Ray& ray, bool any) const requires(!kPatches) {
        NoStats stats;
        return trace<false>(ray, stats, any);
    }

  private:
    /// Returns the closest hit or, with kAnyHit or `any`, one in the first leaf with any.
    template <bool kAnyHit, class Stats>
    TL_D Hit trace(const Ray& ray, Stats& stats, bool any = kAnyHit) const {
        if (!is_finite(ray)) return {};
        Hit hit = hit_to_find(ray);
        auto tester = tests.template tester<kAnyHit>(ray);
        SkipWalk<kRobust> walk(tree, ray);
        for (NodeRef leaf = walk.next_leaf(hit.t, stats); !leaf.is_missing();
             leaf = walk.next_leaf(hit.t, stats)) {
            stats.test_primitives(leaf.count());
            for (std::uint32_t k = 0; k < leaf.count(); ++k)
                tester.meets(load_words(primitives + leaf.first() + k), ray, hit.t, hit);
            if (any && hit.found()) break;
        }
        return found_hit(hit);
    }
};

TL_DEVICE_END
