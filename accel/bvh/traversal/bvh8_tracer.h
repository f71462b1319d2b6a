// Single-ray traversal of the CPU's 8-wide BVH: one AVX2 slab test per node, with the near planes
// chosen by the ray's direction. Children are visited in near-to-far order, and leaves test four
// triangles at a time. Any-hit queries visit children in any order, without a branch.
//
// Rays of a list can be traced together, with interleaved traversal steps. While one ray waits for
// a prefetched node or for the result of its own last step, the processor works on the others. This
// takes a third more instructions than one ray after another.
#pragma once

#include <immintrin.h>

#include <bit>

#include "accel/bvh/layouts/bvh8.h"
#include "accel/bvh/traversal/bvh8_stacks.h"
#include "accel/bvh/traversal/slab.h"
#include "accel/bvh/traversal/traversal.h"

TL_DEVICE_BEGIN

/// Ray data precomputed for the box tests of a Bvh8Node.
template <bool kRobust>
struct Bvh8Slabs {
    /// Bytes from an axis's lower planes to its upper ones.
    static constexpr std::uint32_t kSide = kWide * sizeof(float);

    __m256 origin[3];  ///< the ray's origin; unless robust, -origin * inverse direction
    __m256 inverse_direction[3];
    __m256 t_min;
    std::uint32_t near_side[3], far_side[3];  ///< byte offsets of planes in a node

    Bvh8Slabs() = default;
    TL_ALWAYS_INLINE explicit Bvh8Slabs(const Ray& ray) : t_min(_mm256_set1_ps(ray.t_min)) {
        SlabRay<kRobust> slabs(ray);
        for (int axis = 0; axis < 3; ++axis) {
            origin[axis] = _mm256_set1_ps(slabs.origin[axis]);
            inverse_direction[axis] = _mm256_set1_ps(slabs.inverse_direction[axis]);
            near_side[axis] = static_cast<std::uint32_t>(axis) * 2 * kSide +
                              (slabs.inverse_direction[axis] < 0 ? kSide : 0);
            far_side[axis] = near_side[axis] ^ kSide;
        }
    }
    [[nodiscard]] TL_ALWAYS_INLINE __m256 plane(const Bvh8Node& node, int axis,
                                                std::uint32_t offset) const {
        __m256 p = _mm256_load_ps(
            reinterpret_cast<const float*>(reinterpret_cast<const std::byte*>(&node) + offset));
        if (kRobust) return (p - origin[axis]) * inverse_direction[axis];
        return _mm256_fmadd_ps(p, inverse_direction[axis], origin[axis]);
    }
    /// Returns a mask: bit i is set if the ray intersects child i's box before t_max. `entry`
    /// receives the distances.
    TL_ALWAYS_INLINE unsigned meets(const Bvh8Node& node, float t_max, __m256& entry) const {
        __m256 near_x = plane(node, 0, near_side[0]);
        __m256 far_x = plane(node, 0, far_side[0]);
        __m256 near_y = plane(node, 1, near_side[1]);
        __m256 far_y = plane(node, 1, far_side[1]);
        __m256 near_z = plane(node, 2, near_side[2]);
        __m256 far_z = plane(node, 2, far_side[2]);
        entry = _mm256_max_ps(_mm256_max_ps(near_x, near_y), _mm256_max_ps(near_z, t_min));
        __m256 exit = _mm256_min_ps(_mm256_min_ps(far_x, far_y), far_z);
        if (kRobust) exit = exit * _mm256_set1_ps(1.0000004f);
        exit = _mm256_min_ps(exit, _mm256_set1_ps(t_max));
        return static_cast<unsigned>(_mm256_movemask_ps(_mm256_cmp_ps(entry, exit, _CMP_LE_OQ)));
    }
};

/// Ray data precomputed to test four triangles at once (Moeller and Trumbore 1997).
struct TriangleRay4 {
    __m128 origin[3], direction[3];
    __m128 direction_norm;  ///< one-norm of the direction
    __m128 t_min;

    TriangleRay4() = default;
    TL_ALWAYS_INLINE explicit TriangleRay4(const Ray& ray) : t_min(_mm_set1_ps(ray.t_min)) {
        for (int axis = 0; axis < 3; ++axis) {
            origin[axis] = _mm_set1_ps(ray.origin[axis]);
            direction[axis] = _mm_set1_ps(ray.direction[axis]);
        }
        direction_norm = one_norm(direction);
    }
    static TL_ALWAYS_INLINE __m128 one_norm(const __m128* v) {
        __m128 sign = _mm_set1_ps(-0.0f);
        return _mm_andnot_ps(sign, v[0]) + _mm_andnot_ps(sign, v[1]) + _mm_andnot_ps(sign, v[2]);
    }
    /// Dot product by the same operations as for one triangle (core/base/fused.h).
    TL_ALWAYS_INLINE static __m128 fused_dot(const __m128* a, const __m128* b) {
        return _mm_fmadd_ps(a[2], b[2], _mm_fmadd_ps(a[1], b[1], a[0] * b[0]));
    }
    TL_ALWAYS_INLINE static void fused_cross(const __m128* a, const __m128* b, __m128* out) {
        for (int i = 0; i < 3; ++i) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            out[i] = _mm_fnmadd_ps(a[k], b[j], a[j] * b[k]);
        }
    }
    TL_ALWAYS_INLINE static void load(const float (&from)[3][4], __m128* to) {
        for (int axis = 0; axis < 3; ++axis) to[axis] = _mm_load_ps(from[axis]);
    }
    /// Returns a mask: bit i is set if triangle i is hit in (t_min, t_max). Unless null, `hit`
    /// receives the closest such hit.
    TL_ALWAYS_INLINE unsigned meets(const PrimitiveBlock& block, float t_max, Hit* hit) const {
        __m128 vertex[3], edge1[3], edge2[3], to_origin[3], q[3], r[3];
        load(block.vertex, vertex);
        load(block.edge1, edge1);
        load(block.edge2, edge2);
        for (int axis = 0; axis < 3; ++axis) to_origin[axis] = origin[axis] - vertex[axis];
        fused_cross(direction, edge2, q);
        fused_cross(to_origin, edge1, r);
        __m128 determinant = fused_dot(edge1, q);
        // All terms are scaled by |determinant|, so that only hits need a division.
        __m128 sign = _mm_and_ps(determinant, _mm_set1_ps(-0.0f));
        __m128 size = _mm_xor_ps(determinant, sign);
        __m128 u = _mm_xor_ps(fused_dot(to_origin, q), sign);
        __m128 v = _mm_xor_ps(fused_dot(direction, r), sign);
        __m128 t = _mm_xor_ps(fused_dot(edge2, r), sign);
        __m128 zero = _mm_setzero_ps();
        __m128 slack = _mm_load_ps(block.slack) * one_norm(to_origin) * direction_norm;
        __m128 inside = _mm_and_ps(_mm_cmpge_ps(_mm_min_ps(u, v), zero - slack),
                                   _mm_cmple_ps(u + v, size + slack));
        __m128 in_range =
            _mm_and_ps(_mm_cmpgt_ps(t, size * t_min), _mm_cmplt_ps(t, size * _mm_set1_ps(t_max)));
        __m128 valid = _mm_and_ps(_mm_and_ps(inside, in_range), _mm_cmpgt_ps(size, zero));
        auto mask = static_cast<unsigned>(_mm_movemask_ps(valid));
        if (mask && hit) {
            __m128 inverse = _mm_set1_ps(1) / size;
            __m128 distance = _mm_blendv_ps(_mm_set1_ps(kInfinity), t * inverse, valid);
            __m128 nearest = _mm_min_ps(distance, _mm_shuffle_ps(distance, distance, 0xb1));
            nearest = _mm_min_ps(nearest, _mm_shuffle_ps(nearest, nearest, 0x4e));
            int lane = std::countr_zero(static_cast<unsigned>(_mm_movemask_ps(
                                            _mm_and_ps(valid, _mm_cmpeq_ps(distance, nearest)))) |
                                        16u) &
                       3;
            alignas(16) float us[4], vs[4];
            _mm_store_ps(us, u * inverse);
            _mm_store_ps(vs, v * inverse);
            *hit = {_mm_cvtss_f32(nearest), us[lane], vs[lane], block.id[lane]};
        }
        return mask;
    }
};

/// Tracer (accel/bvh/traversal/tracer.h) of 8-wide trees on the CPU.
template <bool kRobust, class Tests = PlainTests<kRobust>>
struct Bvh8Tracer {
    static constexpr bool kPatches = Tests::kPatches;
    Bvh8View tree;
    const Primitive* primitives;
    Tests tests{};

    /// Whether lists of rays find their closest hits faster together than one after another. This
    /// holds if the tree is so large that rays wait for memory. On Sapphire Rapids, both are
    /// equally fast at 30 MB.
    [[nodiscard]] bool prefers_closest_together() const {
        constexpr std::size_t kLarge = std::size_t{24} << 20;
        return tree.bytes > kLarge;
    }
    template <class Stats = NoStats>
    Hit closest(const Ray& ray, Stats&& stats = {}) const {
        // Local variables stay in registers; members of a Way would not.
        Hit hit;
        if (!is_finite(ray)) return hit;
        Bvh8Slabs<kRobust> slabs(ray);
        TriangleRay4 triangles(ray);
        Bvh8Stack stack;
        float t_max = box_t_max(ray);
        std::uint32_t ref = 0;
        do {
            bool met = true;
            while (met && !(ref & WideRef::kLeafBit))
                met = visit_node(slabs, t_max, stack, ref, stats);
            if (met) visit_leaf(triangles, ray, t_max, ref, hit, stats);
        } while (stack.pop(t_max, ref));
        return hit;
    }
    template <class Stats = NoStats>
    bool occluded(const Ray& ray, Stats&& stats = {}) const {
        AnyWay way;
        if (!is_finite(ray)) return false;
        way.start(ray);
        while (step(way, ray, stats)) {
        }
        return way.hit;
    }
    /// Sets hits[i] to the closest hit of ray i of `n`, at most kMost, with interleaved steps.
    template <int kMost>
    void closest_together(const Ray* rays, int n, Hit* hits) const {
        for (int i = 0; i < n; ++i) hits[i] = {};
        take_turns<kMost, ClosestWay>(rays, n, [&](int i, const Hit& hit) { hits[i] = hit; });
    }
    /// Returns a mask: bit i is set if ray i of `n`, at most kMost, hits anything. Traversal steps
    /// are interleaved.
    template <int kMost>
    std::uint64_t occluded_together(const Ray* rays, int n) const {
        std::uint64_t occluded = 0;
        take_turns<kMost, AnyWay>(rays, n,
                                  [&](int i, bool hit) { occluded |= std::uint64_t{hit} << i; });
        return occluded;
    }

  private:
    /// Traversal state of one of several interleaved rays.
    template <class Stack, class Found>
    struct Way {
        Bvh8Slabs<kRobust> slabs;
        TriangleRay4 triangles;
        float t_max;
        std::uint32_t ref = 0;
        Stack stack;
        Found hit{};

        TL_ALWAYS_INLINE void start(const Ray& ray) {
            slabs = Bvh8Slabs<kRobust>(ray);
            triangles = TriangleRay4(ray);
            t_max = box_t_max(ray);
        }
    };
    using ClosestWay = Way<Bvh8Stack, Hit>;
    using AnyWay = Way<Bvh8AnyStack, bool>;

    /// Traces rays with interleaved steps. Calls take(i, hit) when a ray ends; never for one that
    /// is not finite.
    template <int kMost, class Way, class Take>
    TL_ALWAYS_INLINE void take_turns(const Ray* rays, int n, Take&& take) const {
        static_assert(kMost <= 64);
        Way ways[kMost];
        std::uint64_t open = 0;
        for (int i = 0; i < n; ++i) {
            if (!is_finite(rays[i])) continue;
            ways[i].start(rays[i]);
            open |= std::uint64_t{1} << i;
        }
        NoStats stats;
        while (open)
            for (std::uint64_t rest = open; rest; rest &= rest - 1) {
                int i = std::countr_zero(rest);
                if (step(ways[i], rays[i], stats)) {
                    prefetch(ways[i].ref);
                } else {
                    take(i, ways[i].hit);
                    open &= ~(rest & -rest);
                }
            }
    }
    /// Replaces `ref`, a node, by the nearest of its children that the ray hits, and pushes the
    /// others. Returns false if it hits none.
    template <class Stats>
    TL_ALWAYS_INLINE bool visit_node(const Bvh8Slabs<kRobust>& slabs, float t_max, Bvh8Stack& stack,
                                     std::uint32_t& ref, Stats& stats) const {
        stats.visit_node();
        const Bvh8Node& node = tree.nodes[ref];
        __m256 entry;
        unsigned met = slabs.meets(node, t_max, entry);
        if (met == 0) return false;
        if (!stack.keep_all_but_one(node, met, entry, ref))
            atomic_or(&tree.header->errors, kTraversalStackFull);
        return true;
    }
    /// Tests the primitives of `ref`, a leaf.
    template <class Stats>
    TL_ALWAYS_INLINE void visit_leaf(const TriangleRay4& triangles, const Ray& ray, float& t_max,
                                     std::uint32_t ref, Hit& hit, Stats& stats) const {
        const PrimitiveBlock& block = tree.blocks[ref & ~WideRef::kLeafBit];
        stats.test_primitives(block.count);
        if (triangles.meets(block, t_max, &hit)) t_max = hit.t;
        if (block.others) meets_others(block, tests.template tester<false>(ray), ray, t_max, hit);
    }
    /// Tests a node's boxes or a leaf's primitives. Returns whether the traversal continues.
    template <class Stats>
    TL_ALWAYS_INLINE bool step(ClosestWay& way, const Ray& ray, Stats& stats) const {
        if (way.ref & WideRef::kLeafBit)
            visit_leaf(way.triangles, ray, way.t_max, way.ref, way.hit, stats);
        else if (visit_node(way.slabs, way.t_max, way.stack, way.ref, stats))
            return true;
        return way.stack.pop(way.t_max, way.ref);
    }
    template <class Stats>
    TL_ALWAYS_INLINE bool step(AnyWay& way, const Ray& ray, Stats& stats) const {
        if (way.ref & WideRef::kLeafBit) {
            const PrimitiveBlock& block = tree.blocks[way.ref & ~WideRef::kLeafBit];
            stats.test_primitives(block.count);
            Hit hit;
            if (way.triangles.meets(block, way.t_max, nullptr) ||
                (block.others &&
                 meets_others(block, tests.template tester<true>(ray), ray, way.t_max, hit))) {
                way.hit = true;
                return false;
            }
            way.ref = way.stack.pop();
        } else {
            stats.visit_node();
            const Bvh8Node& node = tree.nodes[way.ref];
            __m256 entry;
            if (!way.stack.go_on(node, way.slabs.meets(node, way.t_max, entry), way.ref))
                atomic_or(&tree.header->errors, kTraversalStackFull);
        }
        return way.ref != WideRef::kMissing;
    }
    /// Prefetches a node, or a leaf's block and the cache line after it.
    TL_ALWAYS_INLINE void prefetch(std::uint32_t ref) const {
        auto at = ref & WideRef::kLeafBit
                      ? reinterpret_cast<const char*>(tree.blocks + (ref & ~WideRef::kLeafBit))
                      : reinterpret_cast<const char*>(tree.nodes + ref);
        for (int line = 0; line < 4; ++line) _mm_prefetch(at + 64 * line, _MM_HINT_T0);
    }
    /// Tests the primitives of a block that are not edge-form triangles; in a robust tree, these
    /// are all. Returns whether any was hit.
    template <class Tester>
    bool meets_others(const PrimitiveBlock& block, const Tester& tester, const Ray& ray,
                      float& t_max, Hit& hit) const {
        bool found = false;
        for (std::uint32_t lane = 0; lane < block.count; ++lane)
            if (block.others >> lane & 1u &&
                tester.meets(primitives[block.first + lane], ray, t_max, hit)) {
                t_max = hit.t;
                found = true;
            }
        return found;
    }
};

TL_DEVICE_END
