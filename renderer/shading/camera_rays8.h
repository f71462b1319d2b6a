// Camera rays and sample points on the CPU: camera_rays.h and sampler.h, eight pixels at a time.
#pragma once

#include "accel/bvh/traversal/bvh8_packet.h"
#include "renderer/shading/camera_rays.h"
#include "renderer/shading/sample_pairs8.h"

namespace tl {

/// Eight 64-bit numbers: those of the even lanes and those of the odd lanes.
struct Wide8 {
    Words4 even, odd;

    Wide8(Words4 even, Words4 odd) : even(even), odd(odd) {}
    explicit Wide8(std::uint64_t x) : even(x), odd(even) {}
    /// Combines lower and upper halves.
    Wide8(Int8 low, Int8 high)
        : even(_mm256_blend_epi32(low.v, _mm256_slli_epi64(high.v, 32), 0xaa)),
          odd(_mm256_blend_epi32(_mm256_srli_epi64(low.v, 32), high.v, 0xaa)) {}
    [[nodiscard]] Int8 low() const {
        return _mm256_blend_epi32(even.v, _mm256_slli_epi64(odd.v, 32), 0xaa);
    }
    [[nodiscard]] Int8 high() const {
        return _mm256_blend_epi32(_mm256_srli_epi64(even.v, 32), odd.v, 0xaa);
    }
};
inline Wide8 operator+(Wide8 a, Wide8 b) {
    return {a.even + b.even, a.odd + b.odd};
}
inline Wide8 operator^(Wide8 a, Wide8 b) {
    return {a.even ^ b.even, a.odd ^ b.odd};
}
inline Wide8 operator>>(Wide8 a, int n) {
    return {a.even >> n, a.odd >> n};
}
inline Wide8 operator*(Wide8 a, std::uint64_t b) {
    return {a.even * b, a.odd * b};
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
    return {reversed_to_unit(scramble_reversed(shuffled, low)),
            reversed_to_unit(scramble_reversed(sobol_second_reversed(shuffled), high))};
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
