// light_choice.h on the CPU: two levels of the light tree in one step, a node's children and their
// children in the lanes of an AVX2 register.
#pragma once

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

/// A step of the way down from a node that is no leaf: its two children in lanes 0 and 1, their
/// children in lanes 2 to 5. For those of a leaf stand itself and a dark node.
class LightStep8 {
  public:
    static constexpr int kLanes = 6;

    LightStep8(const LightNode* nodes, std::uint32_t child) {
        static constexpr LightNode kDark{};
        // The six lie together (renderer/scene/light_tree.cpp).
        for (std::size_t byte = 0; byte < kLanes * sizeof(LightNode); byte += 64)
            _mm_prefetch(reinterpret_cast<const char*>(nodes + child) + byte, _MM_HINT_T0);
        for (int side = 0; side < 2; ++side) {
            const LightNode* node = nodes + child + side;
            bool is_leaf = node->child & LightNode::kLeaf;
            nodes_[side] = node;
            nodes_[2 + 2 * side] = is_leaf ? node : nodes + node->child;
            nodes_[3 + 2 * side] = is_leaf ? &kDark : nodes + node->child + 1;
        }
    }
    /// Where the way goes on after the lane of a grandchild: as LightNode::child.
    [[nodiscard]] std::uint32_t child(int lane) const { return nodes_[lane]->child; }
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
        Vec3x8 from = inverse * way;
        Float8 cos_axis = dots({axis[0], axis[1], axis[2]}, from), sin_axis = sines_of(cos_axis);
        Mask8 inside = cos_axis > cos_cone;
        Float8 cos_beyond = select(inside, kOne, cos_axis * cos_cone + sin_axis * sin_cone);
        Float8 sin_beyond = select(inside, kZero, sin_axis * cos_cone - cos_axis * sin_cone);
        Float8 cos_least = cos_of_differences(cos_beyond, sin_beyond, cos_seen, sin_seen);
        Float8 cos_surface = -dots(Vec3x8(normal), from);
        if (two_sided) cos_surface = absolute(cos_surface);
        Float8 arrives = cos_of_differences(cos_surface, sines_of(cos_surface), cos_seen, sin_seen);
        Float8 found = power * maximum(cos_least, Float8(0.05f)) * (arrives + kRounding) /
                       maximum(distance2, maximum(radius * radius, Float8(1e-30f)));
        return select(cos_least + kRounding < cone[2], kZero, maximum(found, kZero));
    }
    /// The probability of each lane's node among the two children of its parent; 0 of both where
    /// neither sends light.
    void shares(vec3 p, vec3 normal, bool two_sided, float (&to)[8]) const {
        Float8 own = importance(p, normal, two_sided);
        Float8 both = own + Float8(_mm256_permute_ps(own.v, 0xb1));
        _mm256_store_ps(to, select(both > Float8(0.0f), own / both, Float8(0.0f)).v);
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
