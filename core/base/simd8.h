// Eight floats, integers or vectors, one per lane of an AVX2 register, for the CPU's SIMD versions
// of code that otherwise handles one value at a time.
#pragma once

#include <immintrin.h>

#include <bit>
#include <cstdint>

#include "core/base/math.h"

namespace tl {

/// A boolean per lane.
struct Mask8 {
    __m256 bits;

    /// Lanes 0 to n - 1 are true; `n` is in [0, 8].
    static Mask8 first(int n) {
        return {_mm256_castsi256_ps(
            _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)))};
    }
    static Mask8 none() { return {_mm256_setzero_ps()}; }
    /// Bit i of the result is lane i.
    [[nodiscard]] unsigned lanes() const { return static_cast<unsigned>(_mm256_movemask_ps(bits)); }
    [[nodiscard]] int count() const { return std::popcount(lanes()); }
    [[nodiscard]] bool any() const { return lanes() != 0; }
};
inline Mask8 operator&(Mask8 a, Mask8 b) {
    return {_mm256_and_ps(a.bits, b.bits)};
}
inline Mask8 operator|(Mask8 a, Mask8 b) {
    return {_mm256_or_ps(a.bits, b.bits)};
}
/// a and not b, per lane.
inline Mask8 without(Mask8 a, Mask8 b) {
    return {_mm256_andnot_ps(b.bits, a.bits)};
}

/// Calls op(lane) for every true lane of the mask.
template <class Op>
void for_lanes(Mask8 mask, Op&& op) {
    for (unsigned rest = mask.lanes(); rest; rest &= rest - 1) op(std::countr_zero(rest));
}

struct Float8 {
    __m256 v;

    Float8() = default;
    Float8(__m256 v) : v(v) {}
    Float8(float x) : v(_mm256_set1_ps(x)) {}
    static Float8 load(const float* from) { return _mm256_load_ps(from); }
    [[nodiscard]] float lane(int i) const { return v[i]; }
    void set_lane(int i, float x) { v[i] = x; }
};
inline Float8 operator+(Float8 a, Float8 b) {
    return a.v + b.v;
}
inline Float8 operator-(Float8 a, Float8 b) {
    return a.v - b.v;
}
inline Float8 operator*(Float8 a, Float8 b) {
    return a.v * b.v;
}
inline Float8 operator/(Float8 a, Float8 b) {
    return a.v / b.v;
}
inline Float8 operator-(Float8 a) {
    return _mm256_xor_ps(a.v, _mm256_set1_ps(-0.0f));
}
inline Mask8 operator<(Float8 a, Float8 b) {
    return {_mm256_cmp_ps(a.v, b.v, _CMP_LT_OQ)};
}
inline Mask8 operator<=(Float8 a, Float8 b) {
    return {_mm256_cmp_ps(a.v, b.v, _CMP_LE_OQ)};
}
inline Mask8 operator>(Float8 a, Float8 b) {
    return {_mm256_cmp_ps(a.v, b.v, _CMP_GT_OQ)};
}
inline Mask8 operator>=(Float8 a, Float8 b) {
    return {_mm256_cmp_ps(a.v, b.v, _CMP_GE_OQ)};
}
inline Float8 select(Mask8 mask, Float8 a, Float8 b) {
    return _mm256_blendv_ps(b.v, a.v, mask.bits);
}
/// Returns `b` where either is NaN, as minimum() of two floats does.
inline Float8 minimum(Float8 a, Float8 b) {
    return _mm256_min_ps(a.v, b.v);
}
inline Float8 maximum(Float8 a, Float8 b) {
    return _mm256_max_ps(a.v, b.v);
}
inline Float8 square_root(Float8 a) {
    return _mm256_sqrt_ps(a.v);
}
inline Float8 absolute(Float8 a) {
    return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), a.v);
}
inline Float8 sign_bit(Float8 a) {
    return _mm256_and_ps(_mm256_set1_ps(-0.0f), a.v);
}
/// The magnitude `a` (not negative) with the sign of `sign`.
inline Float8 with_sign(Float8 a, Float8 sign) {
    return _mm256_or_ps(a.v, sign_bit(sign).v);
}
/// Negates `a` where `sign` has its sign bit set.
inline Float8 flip_sign(Float8 a, Float8 sign) {
    return _mm256_xor_ps(a.v, sign.v);
}
/// The minimum over the eight lanes.
inline float least(Float8 a) {
    __m128 four = _mm_min_ps(_mm256_castps256_ps128(a.v), _mm256_extractf128_ps(a.v, 1));
    four = _mm_min_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_min_ss(four, _mm_movehdup_ps(four)));
}
inline float largest(Float8 a) {
    return -least(-a);
}

struct Int8 {
    __m256i v;

    Int8() = default;
    Int8(__m256i v) : v(v) {}
    Int8(std::int32_t x) : v(_mm256_set1_epi32(x)) {}
    Int8(std::uint32_t x) : v(_mm256_set1_epi32(static_cast<std::int32_t>(x))) {}
    static Int8 load(const std::uint32_t* from) {
        return _mm256_load_si256(reinterpret_cast<const __m256i*>(from));
    }
    [[nodiscard]] std::uint32_t lane(int i) const {
        return static_cast<std::uint32_t>(reinterpret_cast<__v8si>(v)[i]);
    }
    void set_lane(int i, std::uint32_t x) {
        auto lanes = reinterpret_cast<__v8si>(v);
        lanes[i] = static_cast<std::int32_t>(x);
        v = reinterpret_cast<__m256i>(lanes);
    }
};
inline Int8 operator+(Int8 a, Int8 b) {
    return _mm256_add_epi32(a.v, b.v);
}
inline Int8 operator-(Int8 a, Int8 b) {
    return _mm256_sub_epi32(a.v, b.v);
}
inline Int8 operator*(Int8 a, Int8 b) {
    return _mm256_mullo_epi32(a.v, b.v);
}
inline Int8 operator&(Int8 a, Int8 b) {
    return _mm256_and_si256(a.v, b.v);
}
inline Int8 operator|(Int8 a, Int8 b) {
    return _mm256_or_si256(a.v, b.v);
}
inline Int8 operator^(Int8 a, Int8 b) {
    return _mm256_xor_si256(a.v, b.v);
}
inline Int8 operator<<(Int8 a, int n) {
    return _mm256_slli_epi32(a.v, n);
}
/// Logical shift: zeros are shifted in from above.
inline Int8 operator>>(Int8 a, int n) {
    return _mm256_srli_epi32(a.v, n);
}
inline Mask8 operator==(Int8 a, Int8 b) {
    return {_mm256_castsi256_ps(_mm256_cmpeq_epi32(a.v, b.v))};
}
/// Signed comparison.
inline Mask8 operator<(Int8 a, Int8 b) {
    return {_mm256_castsi256_ps(_mm256_cmpgt_epi32(b.v, a.v))};
}
inline Int8 select(Mask8 mask, Int8 a, Int8 b) {
    return _mm256_blendv_epi8(b.v, a.v, _mm256_castps_si256(mask.bits));
}
inline Float8 as_floats(Int8 a) {
    return _mm256_castsi256_ps(a.v);
}
inline Int8 as_ints(Float8 a) {
    return _mm256_castps_si256(a.v);
}
inline Float8 to_floats(Int8 a) {
    return _mm256_cvtepi32_ps(a.v);
}

/// Gathers word `word` of the structs at indices `index`, each of `kWords` words, of an array at
/// `base`. Indices must be valid in all lanes.
template <int kWords>
Float8 gather_word(const void* base, Int8 index, int word) {
    return _mm256_i32gather_ps(static_cast<const float*>(base) + word, (index * Int8(kWords)).v, 4);
}

struct Vec3x8 {
    Float8 x, y, z;

    Vec3x8() = default;
    Vec3x8(Float8 x, Float8 y, Float8 z) : x(x), y(y), z(z) {}
    Vec3x8(vec3 v) : x(v.x), y(v.y), z(v.z) {}
    [[nodiscard]] vec3 lane(int i) const { return {x.lane(i), y.lane(i), z.lane(i)}; }
    void set_lane(int i, vec3 a) {
        x.set_lane(i, a.x);
        y.set_lane(i, a.y);
        z.set_lane(i, a.z);
    }
};
inline Vec3x8 operator+(Vec3x8 a, Vec3x8 b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
inline Vec3x8 operator-(Vec3x8 a, Vec3x8 b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
inline Vec3x8 operator*(Vec3x8 a, Vec3x8 b) {
    return {a.x * b.x, a.y * b.y, a.z * b.z};
}
inline Vec3x8 operator*(Float8 a, Vec3x8 b) {
    return {a * b.x, a * b.y, a * b.z};
}
inline Vec3x8 operator-(Vec3x8 a) {
    return {-a.x, -a.y, -a.z};
}
inline Vec3x8 select(Mask8 mask, Vec3x8 a, Vec3x8 b) {
    return {select(mask, a.x, b.x), select(mask, a.y, b.y), select(mask, a.z, b.z)};
}
inline Float8 largest_part(Vec3x8 a) {
    return maximum(a.x, maximum(a.y, a.z));
}
/// Gathers words `word`, `word` + 1 and `word` + 2 of structs, as gather_word does.
template <int kWords>
Vec3x8 gather_vec3(const void* base, Int8 index, int word = 0) {
    return {gather_word<kWords>(base, index, word), gather_word<kWords>(base, index, word + 1),
            gather_word<kWords>(base, index, word + 2)};
}

}  // namespace tl
