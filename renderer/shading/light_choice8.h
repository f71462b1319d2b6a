// light_choice.h on the CPU: two traversals of the light tree at once, the four children of a node
// in each half of an AVX2 register.
#pragma once

#include <bit>

#include "core/base/simd8.h"
#include "renderer/scene/light_bounds.h"
#include "renderer/shading/chosen_light.h"

TL_DEVICE_BEGIN

/// 1 / sqrt(x) for x in [1e-30, 1e30], to a few ulps.
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

/// A traversal of the tree to a light, for one shading point.
class LightWalk {
  public:
    LightWalk() = default;
    /// `r`: the random number in [0, 1) used by step_by_number.
    LightWalk(vec3 p, vec3 normal, bool two_sided, float r) : r_(r) {
        for (int c = 0; c < 3; ++c) {
            _mm_store_ps(lanes_.p[c], _mm_set1_ps(p[c]));
            _mm_store_ps(lanes_.normal[c], _mm_set1_ps(normal[c]));
        }
        _mm_store_ps(lanes_.sign, _mm_set1_ps(two_sided ? -0.0f : 0.0f));
    }
    /// Whether the traversal has not reached a light. It ends early where all importances are 0.
    [[nodiscard]] bool continues() const { return !(at_ & LightChild::kLeaf) && probability_ > 0; }
    /// The light, and the product of all probabilities.
    [[nodiscard]] ChosenLight end() const { return {at_ & ~LightChild::kLeaf, probability_}; }

  private:
    friend class LightChances;

    /// Each value four times, for the lanes of half a register.
    struct alignas(16) Lanes {
        float p[3][4], normal[3][4];
        float sign[4];  ///< the sign bit where both sides of the surface count
    };
    Lanes lanes_;
    float r_ = 0, probability_ = 1;
    std::uint32_t at_ = 0;
};

/// Probabilities of the children of the nodes that two traversals are at, times the probability of
/// having reached the node; and their exclusive prefix sums in each node.
class LightChances {
  public:
    TL_ALWAYS_INLINE LightChances(const LightNode* nodes, const LightWalk& a, const LightWalk& b) {
        Float8 own = importance(nodes[a.at_], nodes[b.at_], a.lanes_, b.lanes_);
        Float8 pairs = own + Float8(_mm256_permute_ps(own.v, 0xb1));
        Float8 sum = pairs + Float8(_mm256_permute_ps(pairs.v, 0x4e));
        Float8 all = _mm256_set_m128(_mm_set1_ps(b.probability_), _mm_set1_ps(a.probability_));
        own_ = own * select(sum > Float8(0.0f), all / sum, Float8(0.0f));
        Float8 one = moved<4>(own_), two = one + moved<4>(one);
        before_ = two + moved<8>(two);
    }
    /// Mask of children whose probability is above 0 and whose prefix sum does not exceed the
    /// random number of their half (lane 4 * half + child). The number is uniform in [0,
    /// probability of having reached the node).
    [[nodiscard]] unsigned reached(const LightWalk& a, const LightWalk& b) const {
        Float8 r = _mm256_set_m128(_mm_set1_ps(b.r_), _mm_set1_ps(a.r_));
        return ((r >= before_) & (own_ > Float8(0.0f))).lanes();
    }
    /// Moves the traversal of a half to one of the children.
    void take(const LightNode* nodes, LightWalk& walk, unsigned half, unsigned way) const {
        walk.probability_ = own_.lane(static_cast<int>(4 * half + way));
        walk.r_ -= before_.lane(static_cast<int>(4 * half + way));
        walk.at_ = nodes[walk.at_].child[way];
        if (walk.at_ & LightChild::kLeaf) return;
        for (std::size_t byte = 0; byte < sizeof(LightNode); byte += 64)
            _mm_prefetch(reinterpret_cast<const char*>(nodes + walk.at_) + byte, _MM_HINT_T0);
    }

  private:
    using Lanes = LightWalk::Lanes;

    static Float8 halves(const float* low, const float* high) {
        return _mm256_set_m128(_mm_load_ps(high), _mm_load_ps(low));
    }
    static Vec3x8 halves(const float (&low)[3][4], const float (&high)[3][4]) {
        return {halves(low[0], high[0]), halves(low[1], high[1]), halves(low[2], high[2])};
    }
    /// Lanes shifted up by some bytes within each half, zeros below.
    template <int kBytes>
    static Float8 moved(Float8 x) {
        return _mm256_castsi256_ps(_mm256_slli_si256(_mm256_castps_si256(x.v), kBytes));
    }
    static Float8 cos_of_differences(Float8 cos_a, Float8 sin_a, Float8 cos_b, Float8 sin_b) {
        return select(cos_a > cos_b, Float8(1.0f), cos_a * cos_b + sin_a * sin_b);
    }
    /// light_importance of the nodes' children.
    TL_ALWAYS_INLINE static Float8 importance(const LightNode& a, const LightNode& b,
                                              const Lanes& at_a, const Lanes& at_b) {
        const Float8 kZero(0.0f), kOne(1.0f), kRounding(1e-5f);
        const Float8 radius = halves(a.radius, b.radius);
        Vec3x8 way = halves(at_a.p, at_b.p) - halves(a.center, b.center);
        Float8 distance2 = minimum(maximum(dots(way, way), Float8(1e-30f)), Float8(1e30f));
        Float8 inverse = inverse_roots(distance2), sin_seen = radius * inverse;
        Mask8 within = sin_seen >= kOne;
        Float8 cos_seen = select(within, Float8(-1.0f), sines_of(sin_seen));
        sin_seen = select(within, kZero, sin_seen);
        // The factor of the viewpoint is multiplied last, so that the dot products need not wait
        // for it.
        Float8 cos_axis = inverse * dots(halves(a.axis, b.axis), way);
        Float8 sin_axis = sines_of(cos_axis);
        const Float8 cos_cone = halves(a.cos_cone, b.cos_cone);
        const Float8 sin_cone = halves(a.sin_cone, b.sin_cone);
        Mask8 inside = cos_axis > cos_cone;
        Float8 cos_beyond = select(inside, kOne, cos_axis * cos_cone + sin_axis * sin_cone);
        Float8 sin_beyond = select(inside, kZero, sin_axis * cos_cone - cos_axis * sin_cone);
        Float8 cos_least = cos_of_differences(cos_beyond, sin_beyond, cos_seen, sin_seen);
        Float8 cos_surface = -(inverse * dots(halves(at_a.normal, at_b.normal), way));
        cos_surface = _mm256_andnot_ps(halves(at_a.sign, at_b.sign).v, cos_surface.v);
        Float8 arrives = cos_of_differences(cos_surface, sines_of(cos_surface), cos_seen, sin_seen);
        Float8 nearness =
            minimum(inverse * inverse, kOne / maximum(radius * radius, Float8(1e-30f)));
        Float8 found = (halves(a.power, b.power) * nearness) *
                       (maximum(cos_least, Float8(0.05f)) * (arrives + kRounding));
        return select(cos_least + kRounding < halves(a.cos_falloff, b.cos_falloff), kZero,
                      maximum(found, kZero));
    }

    Float8 own_, before_;
};

/// A step of two unfinished traversals, each to the child chosen by its number; of a single one
/// where both are the same.
TL_ALWAYS_INLINE void step_by_number(const LightNode* nodes, LightWalk& a, LightWalk& b) {
    LightChances chances(nodes, a, b);
    unsigned reached = chances.reached(a, b);
    auto last = [](unsigned ways) { return static_cast<unsigned>(std::bit_width(ways | 1) - 1); };
    chances.take(nodes, a, 0, last(reached & 15));
    if (&a != &b) chances.take(nodes, b, 1, last(reached >> 4));
}

TL_DEVICE_END
