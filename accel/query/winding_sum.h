// Sums of winding numbers over the nodes and triangles of a tree.
#pragma once

#include "accel/bvh/traversal/traversal.h"
#include "accel/query/winding_number.h"

TL_DEVICE_BEGIN

/// The beginning of a WindingNode.
struct alignas(16) CenterAndRadius {
    vec3 center;
    float radius;
};

/// Sums winding numbers.
struct WindingSum {
    WindingTree winding;

    /// Returns the winding number about p, or 0 if there is no point to sum about. With kTogether,
    /// a warp visits each node once for all lanes that need it: all of its lanes must call.
    template <bool kTogether>
    [[nodiscard]] TL_D float sum(vec3 p, bool has_point) const {
        has_point = has_point && fabsf(p.x) + fabsf(p.y) + fabsf(p.z) < kInfinity;
        if (winding.tree.tree.bvh2.header->n_valid == 0) return 0;
#if defined(__CUDACC__)
        if constexpr (kTogether) return sum_together(p, has_point);
#endif
        return has_point ? sum_about(p) : 0;
    }

  private:
    TL_D bool is_far(vec3 center, float radius, vec3 p) const {
        vec3 offset = center - p;
        float reach = winding.accuracy * radius;
        return glm::dot(offset, offset) > reach * reach;
    }
    TL_D float sum_about(vec3 p) const {
        const TreeView& tree = winding.tree.tree;
        SolidAngles angles;
        TraversalStack stack;
        Traversal way(NodeRef::inner(tree.bvh2.header->root), stack);
        float sum = 0;
        while (!way.done()) {
            if (way.ref.is_leaf()) {
                for (std::uint32_t k = 0; k < way.ref.count(); ++k)
                    sum +=
                        add_triangle(load_words(tree.primitives + way.ref.first() + k), p, angles);
                way.go_on(NodeRef::missing());
                continue;
            }
            const WindingNode* far = winding.nodes.data + way.ref.bits;
            const CenterAndRadius ball = load_words(reinterpret_cast<const CenterAndRadius*>(far));
            if (is_far(ball.center, ball.radius, p)) {
                sum += far_winding_number(load_words(far), p);
                way.go_on(NodeRef::missing());
                continue;
            }
            const BvhNode& node = tree.bvh2.nodes[way.ref.bits];
            NodeRef child0 = node.child0, child1 = node.child1;
            if (!child1.is_missing()) way.push(child1);
            way.go_on(child0);
        }
        way.report(tree.bvh2.header);
        return sum + angles.winding_number();
    }
#if defined(__CUDACC__)
    /// Called by all lanes of a warp; `active`: whether the lane has a point.
    __device__ float sum_together(vec3 p, bool active) const {
        constexpr unsigned kAllLanes = 0xffffffffu;
        const TreeView& tree = winding.tree.tree;
        const unsigned own = 1u << threadIdx.x % 32;
        std::uint32_t refs[kTraversalStack], masks[kTraversalStack];
        std::uint32_t depth = 0;
        bool was_full = false;
        NodeRef ref = NodeRef::inner(tree.bvh2.header->root);
        unsigned mask = __ballot_sync(kAllLanes, active);  // the lanes that need the node
        float sum = 0;
        SolidAngles angles;
        while (mask) {
            unsigned rest = 0;
            if (ref.is_leaf()) {
                for (std::uint32_t k = 0; k < ref.count(); ++k) {
                    const Primitive triangle = load_words(tree.primitives + ref.first() + k);
                    if (mask & own) sum += add_triangle(triangle, p, angles);
                }
            } else {
                const WindingNode* far = winding.nodes.data + ref.bits;
                const CenterAndRadius ball =
                    load_words(reinterpret_cast<const CenterAndRadius*>(far));
                bool is_own = mask & own && is_far(ball.center, ball.radius, p);
                unsigned far_lanes = __ballot_sync(kAllLanes, is_own);
                if (far_lanes) {
                    float number = far_winding_number(load_words(far), p);
                    if (is_own) sum += number;
                }
                rest = mask & ~far_lanes;
            }
            if (rest) {
                const BvhNode* node = tree.bvh2.nodes + ref.bits;
                const NodeRef child0 = node->child0, child1 = node->child1;
                if (!child1.is_missing()) {
                    was_full = was_full || depth == kTraversalStack;
                    if (depth < kTraversalStack) {
                        refs[depth] = child1.bits;
                        masks[depth++] = rest;
                    }
                }
                ref = child0;
                mask = rest;
            } else if (depth > 0) {
                ref = NodeRef{refs[--depth]};
                mask = masks[depth];
            } else {
                mask = 0;
            }
        }
        if (was_full) atomic_or(&tree.bvh2.header->errors, kTraversalStackFull);
        return sum + angles.winding_number();
    }
#endif
    /// Adds a triangle: to `angles` or, if it is small, returns its part of the sum.
    TL_D float add_triangle(const Primitive& shape, vec3 p, SolidAngles& angles) const {
        TriangleEdges t(shape);
        vec3 a = t.vertex - p;
        // A small triangle is summed by its centroid, whose series has no term of first order.
        const float far = 4 * winding.accuracy * winding.accuracy;
        vec3 center = a + (t.edge1 + t.edge2) * (1.0f / 3.0f);
        float square = glm::dot(center, center), inverse = inverse_root(square);
        float size = maximum(glm::dot(t.edge1, t.edge1), glm::dot(t.edge2, t.edge2));
        if (square > far * size)
            return glm::dot(glm::cross(t.edge1, t.edge2), center) * inverse * inverse * inverse *
                   (0.125f / kPi);
        angles.add(a, a + t.edge1, a + t.edge2);
        return 0;
    }
};

TL_DEVICE_END
