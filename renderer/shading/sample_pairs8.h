// The points of four pairs of dimensions at once, on the CPU: sampler.h in the lanes of an AVX2
// register.
#pragma once

#include "core/base/simd8.h"
#include "renderer/shading/sampler.h"

namespace tl {

/// Four 64-bit numbers.
struct Words4 {
    __m256i v;

    Words4(__m256i v) : v(v) {}
    explicit Words4(std::uint64_t x) : v(_mm256_set1_epi64x(static_cast<long long>(x))) {}
};
inline Words4 operator+(Words4 a, Words4 b) {
    return _mm256_add_epi64(a.v, b.v);
}
inline Words4 operator^(Words4 a, Words4 b) {
    return _mm256_xor_si256(a.v, b.v);
}
inline Words4 operator>>(Words4 a, int n) {
    return _mm256_srli_epi64(a.v, n);
}
inline Words4 operator*(Words4 a, std::uint64_t b) {
    __m256i low = _mm256_set1_epi64x(static_cast<long long>(b));
    __m256i high = _mm256_set1_epi64x(static_cast<long long>(b >> 32));
    __m256i crossed = _mm256_add_epi64(_mm256_mul_epu32(_mm256_srli_epi64(a.v, 32), low),
                                       _mm256_mul_epu32(a.v, high));
    return _mm256_add_epi64(_mm256_mul_epu32(a.v, low), _mm256_slli_epi64(crossed, 32));
}

/// Reverses bits: bytes by one shuffle, the bits of a byte by a table lookup for each half of it.
inline Int8 reverse_bits(Int8 x) {
    const __m256i kBytes = _mm256_setr_epi8(3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12, 3,
                                            2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12);
    const __m256i kReversed = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, 8, 4, 12, 2, 10, 6, 14, 1, 9, 5, 13, 3, 11, 7, 15));
    __m256i bytes = _mm256_shuffle_epi8(x.v, kBytes);
    __m256i nibble = _mm256_set1_epi8(15);
    __m256i low = _mm256_and_si256(bytes, nibble);
    __m256i high = _mm256_and_si256(_mm256_srli_epi32(bytes, 4), nibble);
    return _mm256_or_si256(_mm256_slli_epi32(_mm256_shuffle_epi8(kReversed, low), 4),
                           _mm256_shuffle_epi8(kReversed, high));
}

/// to_unit_float of numbers whose bits are reversed.
inline Float8 reversed_to_unit(Int8 reversed) {
    return to_floats(reverse_bits(reversed) >> 8) * Float8(0x1p-24f);
}

/// Point `i` of pairs 0 to 3 of SamplePattern::sobol, equal to SamplePair's. The lanes hold x and y
/// of each pair.
inline Float8 first_four_points(std::uint64_t seed, std::uint32_t item, std::uint32_t i) {
    constexpr std::uint64_t kPair = 0x9e3779b97f4a7c15u;
    Words4 pairs =
        _mm256_setr_epi64x(0, static_cast<long long>(kPair), static_cast<long long>(2 * kPair),
                           static_cast<long long>(3 * kPair));
    Words4 hash = hash_64((Words4(seed) + pairs) ^
                          Words4(static_cast<std::uint64_t>(item) * 0xd1342543de82ef95u));
    // The lower half of a hash scrambles x, the upper one y; both are already in their lanes.
    Int8 seeds = hash.v, swapped = _mm256_shuffle_epi32(hash.v, 0xb1);
    Int8 x = reverse_bits(scramble_reversed(Int8(reverse_bits(i)), seeds ^ swapped));
    Int8 y = sobol_second_reversed(x);
    return reversed_to_unit(scramble_reversed(Int8(_mm256_blend_epi32(x.v, y.v, 0xaa)), seeds));
}

}  // namespace tl
