// Searches for the shape of a tree that is closest to a point, in single precision.
#pragma once

#include "accel/bvh/traversal/traversal.h"
#include "accel/query/closest_on_shape.h"
#include "accel/query/shape_tree.h"
#include "core/device/atomics.h"
#include "core/device/parallel_for.h"

TL_DEVICE_BEGIN

/// Nodes that a search has put off, with the squares of their distances. On a GPU the first are in
/// shared memory: lanes whose stacks have different depths then do not wait for different lines of
/// the cache.
class NearStack {
  public:
    bool was_full = false;

    TL_D NearStack() {
#if defined(__CUDACC__)
        __shared__ Entry shared[kShared * kBlockSize];
        shared_ = shared + threadIdx.x;
#endif
    }
    TL_D void push(NodeRef ref, float square) {
        if (depth_ == kTraversalStack) {
            was_full = true;
            return;
        }
        write(depth_++, {ref.bits, square});
    }
    /// Takes the last node that is closer than `most`; missing if there is none.
    TL_D NodeRef pop(float most) {
        while (depth_ > 0) {
            const Entry last = read(--depth_);
            if (last.square < most) return NodeRef{last.ref};
        }
        return NodeRef::missing();
    }

  private:
    struct alignas(8) Entry {
        std::uint32_t ref;
        float square;
    };
#if defined(__CUDACC__)
    static constexpr std::uint32_t kShared = 8;
    // Branches, since a reference to either memory would need generic addresses.
    TL_D void write(std::uint32_t i, Entry entry) {
        if (i < kShared)
            shared_[i * kBlockSize] = entry;
        else
            entries_[i] = entry;
    }
    TL_D Entry read(std::uint32_t i) const {
        if (i < kShared) return shared_[i * kBlockSize];
        return entries_[i];
    }
    Entry* shared_;
#else
    void write(std::uint32_t i, Entry entry) {
        entries_[i] = entry;
    }
    [[nodiscard]] Entry read(std::uint32_t i) const {
        return entries_[i];
    }
#endif
    Entry entries_[kTraversalStack];
    std::uint32_t depth_ = 0;
};

/// Returns the squared distance to a box, which is infinite for a missing child's box at infinity.
TL_D TL_ALWAYS_INLINE float square_to(vec3 lo, vec3 hi, vec3 p) {
    float x = minimum(maximum(p.x, lo.x), hi.x) - p.x;
    float y = minimum(maximum(p.y, lo.y), hi.y) - p.y;
    float z = minimum(maximum(p.z, lo.z), hi.z) - p.z;
    return x * x + y * y + z * z;
}

/// 1 / x, on a GPU by one instruction.
TL_D TL_ALWAYS_INLINE float reciprocal(float x) {
#if defined(__CUDACC__)
    float r;
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
    return r;
#else
    return 1 / x;
#endif
}

/// Clamps to [0, 1]; NaN becomes 0.
TL_D TL_ALWAYS_INLINE float saturate(float x) {
#if defined(__CUDACC__)
    return __saturatef(x);
#else
    return x > 0 ? minimum(x, 1.0f) : 0;
#endif
}

/// Returns the squared distance from the origin to the triangle a, a + e1, a + e2: the least of
/// those to its edges and, if the foot of the perpendicular is inside, to its plane. Without
/// branches for each region, which lanes of a warp would take one after another.
TL_D inline float square_to_triangle(vec3 a, vec3 e1, vec3 e2) {
    const float d1 = -glm::dot(e1, a), d2 = -glm::dot(e2, a);
    const float e11 = glm::dot(e1, e1), e12 = glm::dot(e1, e2), e22 = glm::dot(e2, e2);
    auto to_edge = [](vec3 from, vec3 edge, float along, float square) {
        vec3 p = from + edge * saturate(along * reciprocal(maximum(square, FLT_MIN)));
        return glm::dot(p, p);
    };
    const float s1 = to_edge(a, e1, d1, e11), s2 = to_edge(a, e2, d2, e22);
    const float s3 = to_edge(a + e1, e2 - e1, d2 - d1 + (e11 - e12), e11 - e12 + (e22 - e12));
    const float to_edges = minimum(minimum(s1, s2), s3);
    const float u = e22 * d1 - e12 * d2, v = e11 * d2 - e12 * d1, area = e11 * e22 - e12 * e12;
    if (!(u >= 0 && v >= 0 && u + v <= area)) return to_edges;
    const float inverse = reciprocal(maximum(area, FLT_MIN));
    const vec3 foot = a + e1 * (u * inverse) + e2 * (v * inverse);
    return minimum(to_edges, glm::dot(foot, foot));
}

/// Returns the squared distance to a shape.
template <ShapeKind kKind>
TL_D float square_to_shape(const Primitive& shape, vec3 p) {
    if constexpr (kKind == ShapeKind::triangles) {
        const TriangleEdges t(shape);
        return square_to_triangle(t.vertex - p, t.edge1, t.edge2);
    }
    Barycentric<float> at;
    vec3 to = to_closest_on<float>(kKind, shape, p, at);
    return glm::dot(to, to);
}

struct NearestShape {
    float square;
    std::uint32_t place = Hit::kNone;

    /// Takes the shapes of a leaf that are closer.
    template <ShapeKind kKind>
    TL_D TL_ALWAYS_INLINE void test(const TreeView& tree, NodeRef leaf, vec3 p) {
        for (std::uint32_t k = 0; k < leaf.count(); ++k) {
            const std::uint32_t at = leaf.first() + k;
            float next = square_to_shape<kKind>(load_words(tree.primitives + at), p);
            if (next < square) *this = {next, at};
        }
    }
};

/// Finds the closest shape. `nearest`: one that is known, or none at the largest squared distance.
template <ShapeKind kKind>
TL_D NearestShape nearest_shape(const TreeView& tree, vec3 p, NearestShape nearest) {
    NearStack stack;
    NodeRef ref = NodeRef::inner(tree.bvh2.header->root);
    auto descend = [&](const BvhNode& node) {
        float s0 = square_to(node.lo0, node.hi0, p), s1 = square_to(node.lo1, node.hi1, p);
        bool near0 = s0 < nearest.square, near1 = s1 < nearest.square;
        bool first1 = near0 && near1 ? s1 < s0 : near1;
        if (near0 && near1) stack.push(first1 ? node.child0 : node.child1, first1 ? s0 : s1);
        NodeRef child = first1 ? node.child1 : node.child0;
        return near0 || near1 ? child : NodeRef::missing();
    };
    while (!ref.is_missing()) {
        // Lanes of a warp wait for each other's leaves: a step that is a node for some lanes and a
        // triangle for others costs both.
        while (!ref.is_leaf()) {
            ref = descend(load_words(tree.bvh2.nodes + ref.bits));
            if (ref.is_missing()) ref = stack.pop(nearest.square);
        }
        if (ref.is_missing()) break;
        nearest.template test<kKind>(tree, ref, p);
        ref = stack.pop(nearest.square);
    }
    if (stack.was_full) atomic_or(&tree.bvh2.header->errors, kTraversalStackFull);
    return nearest;
}

#if defined(__CUDACC__)

inline constexpr unsigned kAllLanes = 0xffffffffu;

/// Returns a leaf that is close to one of the points of a warp, for all lanes; missing if no lane
/// has a point.
__device__ inline NodeRef leaf_near(const TreeView& tree, vec3 p, bool has_point) {
    const unsigned lanes = __ballot_sync(kAllLanes, has_point);
    if (!lanes) return NodeRef::missing();
    const int lane = lanes >> 16 & 1u ? 16 : __ffs(static_cast<int>(lanes)) - 1;
    const vec3 at(__shfl_sync(kAllLanes, p.x, lane), __shfl_sync(kAllLanes, p.y, lane),
                  __shfl_sync(kAllLanes, p.z, lane));
    NodeRef ref = NodeRef::inner(tree.bvh2.header->root);
    while (!ref.is_leaf()) {
        const BvhNode node = load_words(tree.bvh2.nodes + ref.bits);
        float s0 = square_to(node.lo0, node.hi0, at), s1 = square_to(node.lo1, node.hi1, at);
        ref = s1 < s0 ? node.child1 : node.child0;
    }
    return ref;
}

/// nearest_shape() for the points of a warp, which visits each node once for all lanes that need
/// it. Its loads are those of one lane, and no lane waits for another's turn; but each visits what
/// any of them has to. Called by all lanes; those without a point have a `nearest` at 0.
template <ShapeKind kKind>
__device__ NearestShape nearest_of_warp(const TreeView& tree, vec3 p, NearestShape nearest) {
    std::uint32_t refs[kTraversalStack];
    float squares[kTraversalStack];
    std::uint32_t depth = 0;
    bool was_full = false;
    NodeRef ref = NodeRef::inner(tree.bvh2.header->root);
    for (;;) {
        NodeRef next = NodeRef::missing();
        if (ref.is_leaf()) {
            nearest.template test<kKind>(tree, ref, p);
        } else {
            const BvhNode node = load_words(tree.bvh2.nodes + ref.bits);
            float s0 = square_to(node.lo0, node.hi0, p), s1 = square_to(node.lo1, node.hi1, p);
            unsigned near0 = __ballot_sync(kAllLanes, s0 < nearest.square);
            unsigned near1 = __ballot_sync(kAllLanes, s1 < nearest.square);
            if (near0 && near1) {
                // The child that more lanes are closer to comes first.
                unsigned closer1 = __ballot_sync(kAllLanes, s1 < s0);
                bool first1 = __popc(closer1 & near1) > __popc(near0 & ~closer1);
                was_full = was_full || depth == kTraversalStack;
                if (depth < kTraversalStack) {
                    refs[depth] = (first1 ? node.child0 : node.child1).bits;
                    squares[depth++] = first1 ? s0 : s1;
                }
                next = first1 ? node.child1 : node.child0;
            } else if (near0 || near1) {
                next = near0 ? node.child0 : node.child1;
            }
        }
        while (next.is_missing() && depth > 0)
            if (__any_sync(kAllLanes, squares[--depth] < nearest.square))
                next = NodeRef{refs[depth]};
        if (next.is_missing()) break;
        ref = next;
    }
    if (was_full) atomic_or(&tree.bvh2.header->errors, kTraversalStackFull);
    return nearest;
}

#endif

TL_DEVICE_END
