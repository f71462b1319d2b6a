// Ray traversal with a stack, templated over {kind of nodes, any hit, robust, statistics} and the
// primitive tests. It proceeds in steps, one node or one primitive of a leaf at a time. The lanes
// of a warp thus do not wait for each other's leaves, and a queue of rays can refill idle lanes
// between steps. On CUDA the step determines the cost of tracing: schedulers issue an instruction
// in two cycles of three, so each instruction saved counts.
#pragma once

#include "accel/bvh/layouts/bvh2.h"
#include "accel/bvh/traversal/slab.h"
#include "core/device/atomics.h"

TL_DEVICE_BEGIN

/// Capacity of a ray's stack: more entries than any tree of these builders was observed to need. On
/// overflow a ray skips a subtree, and kTraversalStackFull is set in the tree's header.
inline constexpr std::uint32_t kTraversalStack = 128;

/// Statistics that count nothing, at no cost.
struct NoStats {
    TL_D void visit_node() {}
    TL_D void test_primitives(std::uint32_t) {}
};
/// Statistics of a ray's traversal.
struct RayStats {
    std::uint32_t n_nodes = 0;       ///< nodes whose children's boxes were tested
    std::uint32_t n_primitives = 0;  ///< primitives tested
    TL_D void visit_node() { ++n_nodes; }
    TL_D void test_primitives(std::uint32_t count) { n_primitives += count; }
};

/// Storage of a ray's stack. Separate from Traversal, since a struct that contains an array would
/// be kept entirely in memory instead of registers.
struct TraversalStack {
    std::uint32_t refs[kTraversalStack + 1];
};

/// Traversal state of a ray: its current node and its stack of pending ones. A missing reference
/// marks the end. The bottom of the stack holds one, so that pop needs no check for an empty stack.
/// On overflow the entry at the top is overwritten, which report() detects.
struct Traversal {
    NodeRef ref;

    TL_D Traversal(NodeRef root, TraversalStack& stack) : refs_(stack.refs) {
        refs_[0] = refs_[kTraversalStack] = NodeRef::missing().bits;
        start(root);
    }
    TL_D void start(NodeRef root) {
        ref = root;
        depth_ = 1;
    }
    [[nodiscard]] TL_D bool done() const { return ref.is_missing(); }
    [[nodiscard]] TL_D bool is_full() const { return depth_ == kTraversalStack; }
    TL_D void push(NodeRef later) {
        refs_[depth_] = later.bits;
        depth_ = depth_ + 1 < kTraversalStack ? depth_ + 1 : kTraversalStack;
    }
    /// Continues at `next` or, if it is missing, pops the last pending reference.
    TL_D void go_on(NodeRef next) {
        ref = next;
        if (ref.is_missing()) ref = NodeRef{refs_[--depth_]};
    }
    /// Discards the pending references: going on to a missing one then ends the traversal.
    TL_D void drop_rest() { depth_ = 1; }
    /// Sets the error bit in the header if the stack was full. Called after traversal.
    TL_D void report(TreeHeader* header) const {
        if (refs_[kTraversalStack] != NodeRef::missing().bits)
            atomic_or(&header->errors, kTraversalStackFull);
    }

  private:
    std::uint32_t* refs_;
    std::uint32_t depth_;
};

/// Two-box nodes, as `step` uses them. Other layouts have a class with the same members.
template <bool kRobust>
struct Bvh2Nodes {
    static constexpr bool kIsRobust = kRobust;
    using Node = BvhNode;
    /// Ray data precomputed for box tests.
    using RaySlabs = SlabRay<kRobust>;
    Bvh2View tree;

    [[nodiscard]] TL_D NodeRef root() const { return NodeRef::inner(tree.header->root); }
    [[nodiscard]] TL_D TreeHeader* header() const { return tree.header; }
    [[nodiscard]] TL_D const Node* nodes() const { return tree.nodes; }
    /// Returns the nearest child that the ray intersects (with kAnyHit, either one), or missing().
    /// Pushes the other intersected child on the stack.
    template <bool kAnyHit>
    TL_D TL_ALWAYS_INLINE static NodeRef descend(const Node& node, const RaySlabs& slabs,
                                                 float t_min, float t_max, Traversal& way) {
        float entry0, entry1;
        bool meets0 = slabs.meets(node.lo0, node.hi0, t_min, t_max, entry0);
        bool meets1 = slabs.meets(node.lo1, node.hi1, t_min, t_max, entry1);
        // Selects, since a divergent branch costs a warp both of its sides.
        NodeRef child0 = meets0 ? node.child0 : NodeRef::missing();
        NodeRef child1 = meets1 ? node.child1 : NodeRef::missing();
        bool both = meets0 && meets1;
        bool first1 = both ? entry1 < entry0 : !meets0;
        if (both) way.push(first1 ? child0 : child1);
        return first1 ? child1 : child0;
    }
};

#if defined(__CUDACC__)
/// Loads a node or a primitive before the lanes of a warp diverge. Lanes at leaves and lanes at
/// nodes then wait for memory together.
template <class Node>
class NodeOrPrimitive {
  public:
    TL_D NodeOrPrimitive(const Node* nodes, const Primitive* primitives, NodeRef ref) {
        auto at = ref.is_leaf() ? reinterpret_cast<const float4*>(primitives + ref.first())
                                : reinterpret_cast<const float4*>(nodes + ref.bits);
        for (int k = 0; k < 3; ++k) words_[k] = __ldg(at + k);
        // Predicated load: a primitive has no fourth word, and a branch would add a separate wait.
        asm volatile(
            "{ .reg .pred node; setp.gt.s32 node, %5, -1;"
            " @node ld.global.nc.v4.f32 {%0, %1, %2, %3}, [%4]; }"
            : "=f"(words_[3].x), "=f"(words_[3].y), "=f"(words_[3].z), "=f"(words_[3].w)
            : "l"(at + 3), "r"(ref.bits));
    }
    [[nodiscard]] TL_D Node node() const { return as<Node>(); }
    [[nodiscard]] TL_D Primitive primitive() const { return as<Primitive>(); }

  private:
    template <class T>
    [[nodiscard]] TL_D T as() const {
        T value;
        memcpy(&value, words_, sizeof value);
        return value;
    }
    static_assert(sizeof(Node) == 64 && sizeof(Primitive) == 48);
    float4 words_[4];
};
#endif

/// Returns the initial hit of a search. Its distance is the end of the ray until something is
/// found.
TL_D inline Hit hit_to_find(const Ray& ray) {
    Hit hit;
    hit.t = box_t_max(ray);
    return hit;
}
/// Returns the final hit of a search, with infinite distance if nothing was found.
TL_D inline Hit found_hit(Hit hit) {
    if (!hit.found()) hit.t = kInfinity;
    return hit;
}

/// Closest-hit search: primitives in leaf order, and the closest hit on those tested so far.
template <class Tester>
struct NearestHit {
    const Primitive* primitives;
    const Ray& ray;
    const Tester& tester;
    Hit& hit;  ///< initially hit_to_find()

    TL_D void test(const Primitive& primitive) const { tester.meets(primitive, ray, hit.t, hit); }
};

/// Traversal step of an unfinished ray: tests a node's boxes or, at a leaf, its primitives (on CUDA
/// the first one only). With `any` the ray is finished after the first hit.
template <bool kAnyHit, class Nodes, class Tester, class Stats>
TL_D TL_ALWAYS_INLINE void step(const Nodes& nodes, Traversal& way,
                                const typename Nodes::RaySlabs& slabs,
                                const NearestHit<Tester>& nearest, Stats& stats,
                                bool any = kAnyHit) {
    const NodeRef ref = way.ref;
    NodeRef next = NodeRef::missing();
#if defined(__CUDACC__)
    constexpr std::uint32_t kCount = 1;
    const NodeOrPrimitive<typename Nodes::Node> loaded(nodes.nodes(), nearest.primitives, ref);
    auto test = [&](std::uint32_t) { nearest.test(loaded.primitive()); };
    auto node = [&] { return loaded.node(); };
#else
    const std::uint32_t kCount = ref.count();
    auto test = [&](std::uint32_t place) { nearest.test(nearest.primitives[place]); };
    auto node = [&]() -> const auto& {
        return nodes.nodes()[ref.bits];
    };
#endif
    if (ref.is_leaf()) {
        stats.test_primitives(kCount);
        for (std::uint32_t k = 0; k < kCount; ++k) test(ref.first() + k);
        if (ref.count() > kCount) next = ref.without_first();
        if (any && nearest.hit.found()) {
            way.drop_rest();
            next = NodeRef::missing();
        }
    } else {
        stats.visit_node();
        next =
            nodes.template descend<kAnyHit>(node(), slabs, nearest.ray.t_min, nearest.hit.t, way);
    }
    way.go_on(next);
}

/// Visits the leaves whose boxes the ray intersects, nearest boxes first, and returns the closest
/// hit. With kAnyHit or `any`, the first hit found ends the traversal.
template <bool kAnyHit, class Nodes, class Tester, class Stats>
TL_D Hit traverse(const Nodes& nodes, const Primitive* primitives, const Ray& ray,
                  const Tester& tester, Stats& stats, bool any = kAnyHit) {
    if (!is_finite(ray)) return {};
    Hit hit = hit_to_find(ray);
    typename Nodes::RaySlabs slabs(ray);
    NearestHit<Tester> nearest{primitives, ray, tester, hit};
    TraversalStack stack;
    Traversal way(nodes.root(), stack);
    while (!way.done()) step<kAnyHit>(nodes, way, slabs, nearest, stats, any);
    way.report(nodes.header());
    return found_hit(hit);
}

/// Calls leaf(first, count) for each leaf whose box the ray intersects.
template <class Nodes, class Leaf>
TL_D void for_each_leaf(const Nodes& nodes, const Ray& ray, Leaf&& leaf) {
    if (!is_finite(ray)) return;
    typename Nodes::RaySlabs slabs(ray);
    float t_max = box_t_max(ray);
    TraversalStack stack;
    Traversal way(nodes.root(), stack);
    while (!way.done()) {
        const NodeRef ref = way.ref;
        NodeRef next = NodeRef::missing();
        if (ref.is_leaf())
            leaf(ref.first(), ref.count());
        else
            next = nodes.template descend<false>(load_words(nodes.nodes() + ref.bits), slabs,
                                                 ray.t_min, t_max, way);
        way.go_on(next);
    }
    way.report(nodes.header());
}

/// Tracer (accel/bvh/traversal/tracer.h) over any kind of nodes; primitives are in leaf order.
template <class Nodes, class Tests = PlainTests<Nodes::kIsRobust>>
struct NodeTracer {
    static constexpr bool kPatches = Tests::kPatches;
    Nodes nodes;
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
    /// Returns the closest hit or, with `any`, any hit; used by the free function closest_or_any.
    /// Not for patches, whose any-hit tests differ.
    TL_D Hit closest_or_any(const Ray& ray, bool any) const requires(!kPatches) {
        NoStats stats;
        return trace<false>(ray, stats, any);
    }

  private:
    template <bool kAnyHit, class Stats>
    TL_D Hit trace(const Ray& ray, Stats& stats, bool any = kAnyHit) const {
        return traverse<kAnyHit>(nodes, primitives, ray, tests.template tester<kAnyHit>(ray), stats,
                                 any);
    }
};

template <bool kRobust, class Tests = PlainTests<kRobust>>
using Bvh2Tracer = NodeTracer<Bvh2Nodes<kRobust>, Tests>;

/// Returns the closest hit or, with kAnyHit, any hit, of which only found() is valid.
template <bool kAnyHit, class Tracer>
TL_D Hit trace_one(const Tracer& tracer, const Ray& ray) {
    if constexpr (!kAnyHit) return tracer.closest(ray);
    Hit hit;
    if (tracer.occluded(ray)) hit.primitive = 0;
    return hit;
}

/// Returns the closest hit or, with `any`, any hit, of which only found() is valid. On CUDA both
/// kinds of rays share one traversal loop in a warp, if the tracer supports that.
template <class Tracer>
TL_D Hit closest_or_any(const Tracer& tracer, const Ray& ray, bool any) {
#if defined(__CUDACC__)
    if constexpr (requires { tracer.closest_or_any(ray, any); })
        return tracer.closest_or_any(ray, any);
#endif
    return any ? trace_one<true>(tracer, ray) : trace_one<false>(tracer, ray);
}

TL_DEVICE_END
