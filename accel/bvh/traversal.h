// Ray traversal: a template over {kind of nodes, any hit, robust, statistics} with a functor for
// the leaves. It goes step by step, one node or one leaf's primitive at a time, so that the lanes
// of a warp do not wait for each other's leaves and a queue of rays can refill idle lanes between
// steps.
#pragma once

#include "accel/bvh/atomics.h"
#include "accel/bvh/slab.h"

TL_DEVICE_BEGIN

/// Entries of a ray's stack, a power of two, more than any tree of these builders was seen to need;
/// a ray that would need another loses a subtree and sets kTraversalStackFull in the tree's header.
inline constexpr std::uint32_t kTraversalStack = 128;

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

TL_D inline decltype(auto) load_node(const BvhNode* at) {
    return load_words(at);
}

/// Where a ray is in a tree, and what it left for later. A missing reference: nowhere any more. The
/// stack is a ring: no push is a branch, and an overrun is noticed afterwards.
struct Traversal {
    NodeRef ref;
    std::uint32_t depth = 0;
    std::uint32_t depths = 0;  ///< all depths so far, or-ed
    std::uint32_t stack[kTraversalStack];

    TL_D explicit Traversal(NodeRef start) : ref(start) {}
    [[nodiscard]] TL_D bool done() const { return ref.is_missing(); }
    TL_D void push(NodeRef later) {
        stack[depth % kTraversalStack] = later.bits;
        depths |= depth++;
    }
    TL_D void pop() {
        ref = depth ? NodeRef{stack[--depth % kTraversalStack]} : NodeRef::missing();
    }
    TL_D void finish() {
        depth = 0;
        ref = NodeRef::missing();
    }
    /// After a ray: whether its stack was overrun is for all to know.
    TL_D void report(TreeHeader* header) const {
        if (depths >= kTraversalStack) atomic_or(&header->errors, kTraversalStackFull);
    }
};

/// The two-box nodes, as `step` sees them. Other layouts have a class of the same members.
template <bool kRobust>
struct Bvh2Nodes {
    static constexpr bool kIsRobust = kRobust;
    Bvh2View tree;
    /// What a ray brings to the tests of boxes.
    using RaySlabs = SlabRay<kRobust>;

    [[nodiscard]] TL_D NodeRef root() const { return NodeRef::inner(tree.header->root); }
    [[nodiscard]] TL_D TreeHeader* header() const { return tree.header; }
    /// The nearest child that the ray meets (with kAnyHit, one that it meets), or missing(); the
    /// others go on the stack.
    template <bool kAnyHit>
    TL_D NodeRef descend(NodeRef ref, const RaySlabs& slabs, float t_min, float t_max,
                         Traversal& way) const {
        const BvhNode node = load_node(tree.nodes + ref.bits);
        float entry0, entry1;
        bool meets0 = slabs.meets(node.lo0, node.hi0, t_min, t_max, entry0);
        bool meets1 = slabs.meets(node.lo1, node.hi1, t_min, t_max, entry1);
        if (meets0 && meets1) {
            bool first0 = entry0 <= entry1;
            way.push(first0 ? node.child1 : node.child0);
            return first0 ? node.child0 : node.child1;
        }
        return meets0 ? node.child0 : meets1 ? node.child1 : NodeRef::missing();
    }
};

/// One step of a ray that is not done: a node's boxes or, at a leaf, the test of its primitives (on
/// CUDA of the first one). `leaf` is as in traverse(); returns whether it found a hit.
template <bool kAnyHit, class Nodes, class Leaf, class Stats>
TL_D bool step(const Nodes& nodes, Traversal& way, const typename Nodes::RaySlabs& slabs,
               float t_min, float& t_max, Leaf&& leaf, Stats& stats) {
    if (way.ref.is_leaf()) {
#if defined(__CUDACC__)
        constexpr std::uint32_t kCount = 1;
#else
        const std::uint32_t kCount = way.ref.count();
#endif
        stats.test_primitives(kCount);
        bool found = leaf(way.ref.first(), kCount, t_max);
        if (way.ref.count() > kCount)
            way.ref.bits += 1u - (1u << NodeRef::kCountShift);  // the next place, one less to go
        else
            way.pop();
        return found;
    }
    stats.visit_node();
    way.ref = nodes.template descend<kAnyHit>(way.ref, slabs, t_min, t_max, way);
    if (way.done()) way.pop();
    return false;
}

/// Visits leaves that the ray meets, nearest boxes first. `leaf(first, count, t_max)` tests the
/// primitives at places [first, first + count), shortens t_max to the nearest hit and returns
/// whether it found one. With kAnyHit, or with `any`, the first hit that is found ends the
/// traversal.
template <bool kAnyHit, class Nodes, class Leaf, class Stats>
TL_D bool traverse(const Nodes& nodes, const Ray& ray, Leaf&& leaf, Stats& stats,
                   bool any = kAnyHit) {
    if (!is_finite(ray)) return false;
    typename Nodes::RaySlabs slabs(ray);
    float t_max = box_t_max(ray);
    bool found = false;
    Traversal way(nodes.root());
    while (!way.done())
        if (step<kAnyHit>(nodes, way, slabs, ray.t_min, t_max, leaf, stats)) {
            found = true;
            if (any) break;
        }
    way.report(nodes.header());
    return found;
}

/// Tests gathered primitives for the nearest hit: a leaf functor.
template <class Tester>
struct NearestHit {
    const Primitive* primitives;
    const Ray& ray;
    const Tester& tester;
    Hit& hit;

    TL_D bool operator()(std::uint32_t first, std::uint32_t count, float& t_max) const {
        bool found = false;
        for (std::uint32_t i = first; i < first + count; ++i) {
            const Primitive primitive = load_words(primitives + i);
            if (!tester.meets(primitive, ray, t_max, hit)) continue;
            t_max = hit.t;
            found = true;
        }
        return found;
    }
};

/// A tracer (accel/tracer.h) of gathered primitives under any kind of nodes.
template <class Nodes, class Tests = PlainTests<Nodes::kIsRobust>>
struct NodeTracer {
    static constexpr bool kPatches = Tests::kPatches;
    Nodes nodes;
    const Primitive* primitives;
    Tests tests{};

    template <class Stats = NoStats>
    TL_D Hit closest(const Ray& ray, Stats&& stats = {}) const {
        Hit hit;
        trace<false>(ray, hit, stats);
        return hit;
    }
    template <class Stats = NoStats>
    TL_D bool occluded(const Ray& ray, Stats&& stats = {}) const {
        Hit hit;
        return trace<true>(ray, hit, stats);
    }
    /// As closest_or_any below asks for it. Patches have tests of their own for any hit.
    TL_D Hit closest_or_any(const Ray& ray, bool any) const requires(!kPatches) {
        Hit hit;
        NoStats stats;
        trace<false>(ray, hit, stats, any);
        return hit;
    }

  private:
    template <bool kAnyHit, class Stats>
    TL_D bool trace(const Ray& ray, Hit& hit, Stats& stats, bool any = kAnyHit) const {
        auto tester = tests.template tester<kAnyHit>(ray);
        NearestHit<decltype(tester)> leaf{primitives, ray, tester, hit};
        return traverse<kAnyHit>(nodes, ray, leaf, stats, any);
    }
};

template <bool kRobust, class Tests = PlainTests<kRobust>>
using Bvh2Tracer = NodeTracer<Bvh2Nodes<kRobust>, Tests>;

/// The nearest hit, or one of which only found() is right.
template <bool kAnyHit, class Tracer>
TL_D Hit trace_one(const Tracer& tracer, const Ray& ray) {
    if constexpr (!kAnyHit) return tracer.closest(ray);
    Hit hit;
    if (tracer.occluded(ray)) hit.primitive = 0;
    return hit;
}

/// The nearest hit or, with `any`, one of which only found() is right. On CUDA lanes of a warp that
/// ask for the one or the other go through the tree together, where the tracer can do both at once.
template <class Tracer>
TL_D Hit closest_or_any(const Tracer& tracer, const Ray& ray, bool any) {
#if defined(__CUDACC__)
    if constexpr (requires { tracer.closest_or_any(ray, any); })
        return tracer.closest_or_any(ray, any);
#endif
    return any ? trace_one<true>(tracer, ray) : trace_one<false>(tracer, ray);
}

TL_DEVICE_END
