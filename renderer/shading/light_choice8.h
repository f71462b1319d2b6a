// light_choice.h on the CPU: two levels of the light tree in one step, a node's children and their
// children in the lanes of an AVX2 register.
#pragma once

#include <bit>

#include "accel/parallel/simd8.h"
#include "renderer/scene/light_bounds.h"

TL_DEVICE_BEGIN

/// 1 / sqrt(x) for x in [1e-30, 1e30], to a few units in the last place.
inline Float8 inverse_roots(Float8 x) {
    Float8 about = _mm256_rsqrt_ps(x.v);
    return about * (Float8(1.5f) - Float8(0.5f) * x * about * about);
}
inline Float8 sines_of(Float8 cosine) {
    return square_root(maximum(Float8(1.0f) - cosine * cosine, Float8(1e-20f)));
}
inline Float8 dots(Vec3x8 a, Vec3x8 b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}

/// The chances of the four ways out of a step, in the order of LightStep8::child, times that of
/// having come to it; and the sums of the chances before each.
struct LightChances {
    alignas(16) float own[4], before[4];

    /// The way that `r`, even in [0, the sum of all), chooses.
    [[nodiscard]] TL_ALWAYS_INLINE int way(float r) const {
        int reached = _mm_movemask_ps(_mm_cmpge_ps(_mm_set1_ps(r), _mm_load_ps(before)));
        return std::bit_width(static_cast<unsigned>(reached) | 1u) - 1;
    }
};

/// A step of the way down from a node that is no leaf: its two children in lanes 0 and 1, their
/// children in lanes 2 to 5. For those of a leaf stand itself and a dark node.
class LightStep8 {
  public:
    static constexpr int kLanes = 6;

    TL_ALWAYS_INLINE LightStep8(const LightNode* nodes, std::uint32_t child) {
        static constexpr LightNode kDark{};
        for (int side = 0; side < 2; ++side) {
            const LightNode* node = nodes + child + side;
            bool is_leaf = node->child & LightNode::kLeaf;
            nodes_[side] = node;
            nodes_[2 + 2 * side] = is_leaf ? node : nodes + node->child;
            nodes_[3 + 2 * side] = is_leaf ? &kDark : nodes + node->child + 1;
        }
    }
    /// Asks for the nodes of the step from `child`, which lie together
    /// (renderer/scene/light_tree.cpp).
    static void prefetch(const LightNode* nodes, std::uint32_t child) {
        for (std::size_t byte = 0; byte < kLanes * sizeof(LightNode); byte += 64)
            _mm_prefetch(reinterpret_cast<const char*>(nodes + child) + byte, _MM_HINT_T0);
    }
    /// Where way 0 to 3 goes on, that to a grandchild: as LightNode::child.
    [[nodiscard]] std::uint32_t child(int way) const { return nodes_[2 + way]->child; }
    /// light_importance of the lanes' nodes.
    [[nodiscard]] Float8 importance(vec3 p, vec3 normal, bool two_sided) const {
        const Float8 kZero(0.0f), kOne(1.0f), kRounding(1e-5f);
        Float8 center[4], axis[4], cone[4];
        load(0, center);
        load(1, axis);
        load(2, cone);
        const Float8 radius = center[3], power = axis[3], cos_cone = cone[0], sin_cone = cone[1];
        Vec3x8 way = Vec3x8(p) - Vec3x8(center[0], center[1], center[2]);
        Float8 distance2 = minimum(maximum(dots(way, way), Float8(1e-30f)), Float8(1e30f));
        Float8 inverse = inverse_roots(distance2), sin_seen = radius * inverse;
        Mask8 within = sin_seen >= kOne;
        Float8 cos_seen = select(within, Float8(-1.0f), sines_of(sin_seen));
        sin_seen = select(within, kZero, sin_seen);
        // What is looked from is multiplied last, so that the sums need not wait for it.
        Float8 cos_axis = inverse * dots({axis[0], axis[1], axis[2]}, way);
        Float8 sin_axis = sines_of(cos_axis);
        Mask8 inside = cos_axis > cos_cone;
        Float8 cos_beyond = select(inside, kOne, cos_axis * cos_cone + sin_axis * sin_cone);
        Float8 sin_beyond = select(inside, kZero, sin_axis * cos_cone - cos_axis * sin_cone);
        Float8 cos_least = cos_of_differences(cos_beyond, sin_beyond, cos_seen, sin_seen);
        Float8 cos_surface = -(inverse * dots(Vec3x8(normal), way));
        if (two_sided) cos_surface = absolute(cos_surface);
        Float8 arrives = cos_of_differences(cos_surface, sines_of(cos_surface), cos_seen, sin_seen);
        Float8 nearness =
            minimum(inverse * inverse, kOne / maximum(radius * radius, Float8(1e-30f)));
        Float8 found =
            (power * nearness) * (maximum(cos_least, Float8(0.05f)) * (arrives + kRounding));
        return select(cos_least + kRounding < cone[2], kZero, maximum(found, kZero));
    }
    /// The chances of the four ways; 0 where no light is sent. `all`: that of having come here.
    TL_ALWAYS_INLINE void chances(vec3 p, vec3 normal, bool two_sided, float all,
                                  LightChances& to) const {
        Float8 own = importance(p, normal, two_sided);
        Float8 both = own + Float8(_mm256_permute_ps(own.v, 0xb1));
        Float8 shares = select(both > Float8(0.0f), own / both, Float8(0.0f));
        __m128 low = _mm256_castps256_ps128(shares.v), high = _mm256_extractf128_ps(shares.v, 1);
        __m128 zero = _mm_setzero_ps(), first = _mm_permute_ps(low, 0x50) * _mm_set1_ps(all);
        __m128 four = first * _mm_shuffle_ps(low, high, 0x4e);
        // Before the ways: 0, that of way 0, that of the first child, and of way 2 besides.
        __m128 moved = _mm_castsi128_ps(_mm_slli_si128(_mm_castps_si128(four), 4));
        _mm_store_ps(to.own, four);
        _mm_store_ps(to.before, _mm_blend_ps(moved, zero, 0b0100) + _mm_movelh_ps(zero, first));
    }

  private:
    static Float8 cos_of_differences(Float8 cos_a, Float8 sin_a, Float8 cos_b, Float8 sin_b) {
        return select(cos_a > cos_b, Float8(1.0f), cos_a * cos_b + sin_a * sin_b);
    }
    /// The four words of one quarter of each node; 0 in the lanes without a node.
    TL_ALWAYS_INLINE void load(int quarter, Float8 (&to)[4]) const {
        auto words = [&](int lane) {
            return _mm_load_ps(reinterpret_cast<const float*>(nodes_[lane]) + 4 * quarter);
        };
        __m256 a = _mm256_set_m128(words(4), words(0)), b = _mm256_set_m128(words(5), words(1));
        __m256 c = _mm256_zextps128_ps256(words(2)), d = _mm256_zextps128_ps256(words(3));
        __m256 ab = _mm256_unpacklo_ps(a, b), cd = _mm256_unpacklo_ps(c, d);
        to[0] = _mm256_shuffle_ps(ab, cd, 0x44);
        to[1] = _mm256_shuffle_ps(ab, cd, 0xee);
        ab = _mm256_unpackhi_ps(a, b), cd = _mm256_unpackhi_ps(c, d);
        to[2] = _mm256_shuffle_ps(ab, cd, 0x44);
        to[3] = _mm256_shuffle_ps(ab, cd, 0xee);
    }

    const LightNode* nodes_[kLanes];
};

TL_DEVICE_END
