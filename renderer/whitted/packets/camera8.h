// Camera rays and sample points for packets: camera_rays.h and sampler.h, eight pixels at a time.
#pragma once

#include "accel/bvh/traversal/bvh8_packet.h"
#include "renderer/shading/camera_rays.h"

namespace tl {

/// Eight 64-bit numbers, stored as those of the even lanes and those of the odd lanes.
struct Wide8 {
    __m256i even, odd;

    Wide8(__m256i even, __m256i odd) : even(even), odd(odd) {}
    explicit Wide8(std::uint64_t x)
        : even(_mm256_set1_epi64x(static_cast<long long>(x))), odd(even) {}
    /// Makes them from their lower and upper halves.
    Wide8(Int8 low, Int8 high)
        : even(_mm256_blend_epi32(low.v, _mm256_slli_epi64(high.v, 32), 0xaa)),
          odd(_mm256_blend_epi32(_mm256_srli_epi64(low.v, 32), high.v, 0xaa)) {}
    [[nodiscard]] Int8 low() const {
        return _mm256_blend_epi32(even, _mm256_slli_epi64(odd, 32), 0xaa);
    }
    [[nodiscard]] Int8 high() const {
        return _mm256_blend_epi32(_mm256_srli_epi64(even, 32), odd, 0xaa);
    }
};
inline Wide8 operator+(Wide8 a, Wide8 b) {
    return {_mm256_add_epi64(a.even, b.even), _mm256_add_epi64(a.odd, b.odd)};
}
inline Wide8 operator^(Wide8 a, Wide8 b) {
    return {_mm256_xor_si256(a.even, b.even), _mm256_xor_si256(a.odd, b.odd)};
}
inline Wide8 operator>>(Wide8 a, int n) {
    return {_mm256_srli_epi64(a.even, n), _mm256_srli_epi64(a.odd, n)};
}
inline __m256i product_64(__m256i a, __m256i b) {
    __m256i crossed = _mm256_add_epi64(_mm256_mul_epu32(_mm256_srli_epi64(a, 32), b),
                                       _mm256_mul_epu32(a, _mm256_srli_epi64(b, 32)));
    return _mm256_add_epi64(_mm256_mul_epu32(a, b), _mm256_slli_epi64(crossed, 32));
}
inline Wide8 operator*(Wide8 a, std::uint64_t b) {
    __m256i factor = _mm256_set1_epi64x(static_cast<long long>(b));
    return {product_64(a.even, factor), product_64(a.odd, factor)};
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

/// A point of the unit square in each lane.
struct Points8 {
    Float8 x, y;
};

/// Point `i` of each lane's pair `pair`, equal to SamplePair's. `path`: 0 or the ray's path.
inline Points8 sample_points(SamplePattern pattern, std::uint64_t seed, Int8 item, Int8 path,
                             std::uint32_t pair, std::uint32_t i) {
    if (pattern == SamplePattern::random) {
        alignas(32) float x[8], y[8];
        for (int lane = 0; lane < 8; ++lane) {
            std::uint64_t own = seed ^ static_cast<std::uint64_t>(path.lane(lane)) << 32;
            vec2 p = SamplePair(pattern, own, item.lane(lane), pair).point(i);
            x[lane] = p.x, y[lane] = p.y;
        }
        return {Float8::load(x), Float8::load(y)};
    }
    Wide8 seeds = Wide8(seed) ^ Wide8(Int8(0), path);
    Wide8 hash = hash_64((seeds + Wide8(pair * 0x9e3779b97f4a7c15u)) ^
                         Wide8(item, Int8(0)) * 0xd1342543de82ef95u);
    Int8 low = hash.low(), high = hash.high();
    Int8 shuffled = reverse_bits(scramble_reversed(Int8(tl::reverse_bits(i)), low ^ high));
    auto to_unit = [](Int8 reversed) {
        return to_floats(reverse_bits(reversed) >> 8) * Float8(0x1p-24f);
    };
    return {to_unit(scramble_reversed(shuffled, low)),
            to_unit(scramble_reversed(sobol_second_reversed(shuffled), high))};
}

inline Float8 sample_filters(PixelFilter filter, Float8 u) {
    Float8 one(1.0f), two(2.0f);
    switch (filter) {
        case PixelFilter::tent: {
            Float8 lower = square_root(two * u) - one, upper = one - square_root(two - two * u);
            return select(u < Float8(0.5f), lower, upper);
        }
        case PixelFilter::blackman_harris: {
            alignas(32) float places[8];
            for (int i = 0; i < 8; ++i) places[i] = sample_filter(filter, u.lane(i));
            return Float8::load(places);
        }
        case PixelFilter::box:
            break;
    }
    return two * u - one;
}

}  // namespace tl

TL_DEVICE_BEGIN

/// The camera rays for sample `sample` of eight pixels, equal to CameraRays::sample.
inline Ray8 camera_rays(const CameraRays& camera, SamplePattern pattern, std::uint64_t seed,
                        std::uint32_t sample, Int8 x, Int8 y, Int8 pixel) {
    Ray8 rays;
    if (camera.has_lens()) {
        for (int i = 0; i < 8; ++i) {
            Sampler sampler(pattern, seed, pixel.lane(i), sample);
            Ray ray = camera.sample(x.lane(i), y.lane(i), sampler);
            rays.origin.set_lane(i, ray.origin);
            rays.direction.set_lane(i, ray.direction);
        }
        return rays;
    }
    Points8 place = sample_points(pattern, seed, pixel, Int8(0), 0, sample);
    Float8 half(0.5f), radius(camera.filter_radius);
    Float8 px = fused(radius, sample_filters(camera.filter, place.x), to_floats(x) + half);
    Float8 py = fused(radius, sample_filters(camera.filter, place.y), to_floats(y) + half);
    rays.origin = Vec3x8(camera.origin);
    rays.direction = fused_unit(fused(py, camera.step_y, fused(px, camera.step_x, camera.corner)));
    return rays;
}

TL_DEVICE_END
