#include "renderer/film/film_kernels.h"

#include "core/device/parallel_for.h"
#include "core/operators/operators.h"
#include "renderer/film/tone_curves.h"
#if defined(__CUDACC__)
#include "renderer/images/srgb.h"
#else
#include "renderer/film/srgb8.h"
#endif

TL_DEVICE_BEGIN

namespace {

/// Encodes linear light in [0, 1] as one of 256 sRGB levels.
#if defined(__CUDACC__)
struct Srgb8 {
    TL_D std::uint32_t level(float x) const {
        return static_cast<std::uint32_t>(srgb_from_linear(x) * 255.0f + 0.5f);
    }
};
#else
struct Srgb8 {
    const Srgb8Table* table;

    Srgb8() {
        static const Srgb8Table kTable;
        table = &kTable;
    }
    [[nodiscard]] std::uint32_t level(float x) const { return table->level(x); }
};
#endif

TL_HD bool is_finite(vec3 v) {
    return fabsf(v.x) < kInfinity && fabsf(v.y) < kInfinity && fabsf(v.z) < kInfinity;
}

TL_D std::uint32_t pack_rgba8(const Srgb8& srgb, vec3 display) {
    std::uint32_t packed = 0xff000000u;
    for (int c = 0; c < 3; ++c) {
        float value = minimum(maximum(display[c], 0.0f), 1.0f);
        packed |= srgb.level(value) << (8 * c);
    }
    return packed;
}

}  // namespace

void tone_map_film(Stream& stream, FilmView film, ToneMap map, View<std::uint32_t> rgba8,
                   bool bottom_up) {
    constexpr std::uint32_t kMagenta = 0xffff00ffu;
    float scale = exp2f(map.exposure);
    auto tone_operator = map.tone_operator;
    auto pixels = static_cast<std::uint32_t>(film.extent.pixels());
    Srgb8 srgb;
    parallel_for(
        stream, "tone map", pixels, TL_LAMBDA(std::uint32_t i) {
            auto width = static_cast<std::uint32_t>(film.extent.width);
            auto height = static_cast<std::uint32_t>(film.extent.height);
            vec4 sum = film.radiance_sum[i];
            vec3 x = sum.w > 0 ? vec3(sum) * (scale / sum.w) : vec3(0);
            // Curves that clamp would hide infinite radiance, and others make it of large values.
            bool finite = is_finite(x);
            x = tone_curve(tone_operator, x);
            finite = finite && is_finite(x);
            std::uint32_t row = i / width;
            std::uint32_t target = bottom_up ? (height - 1 - row) * width + i % width : i;
            rgba8[target] = finite ? pack_rgba8(srgb, x) : kMagenta;
        });
}

void select_share(Stream& stream, FilmView film, FilmShare share, View<std::uint8_t> outside,
                  bool begins) {
    parallel_for(
        stream, "share of the film", static_cast<std::uint32_t>(film.extent.pixels()),
        TL_LAMBDA(std::uint32_t i) {
            auto width = static_cast<std::uint32_t>(film.extent.width);
            std::uint32_t x = i % width, y = i / width;
            bool is_outside = film.is_done(i) || !share.owns(x, y);
            outside[i] = is_outside;
            if (begins && is_outside && share.region.holds(x, y)) film.radiance_sum[i] = vec4(0);
        });
}

void select_part(Stream& stream, FilmView film, FilmShare share, FilmPart part,
                 View<std::uint8_t> outside, View<std::uint32_t> rays_before) {
    parallel_for(
        stream, "part of the film", static_cast<std::uint32_t>(film.extent.pixels()),
        TL_LAMBDA(std::uint32_t i) {
            auto width = static_cast<std::uint32_t>(film.extent.width);
            std::uint32_t x = i % width, y = i / width;
            auto own =
                static_cast<std::uint32_t>(std::uint64_t(spread_of(x, y)) * part.count >> 32);
            outside[i] = film.is_done(i) || !share.owns(x, y) ||
                         (own + part.sample) % part.count != part.index;
            if (part.index > 0) rays_before[i] += film.ray_count[i];
        });
}

void add_counts(Stream& stream, FilmView film, View<std::uint32_t> rays_before) {
    parallel_for(
        stream, "rays of all parts", static_cast<std::uint32_t>(film.extent.pixels()),
        TL_LAMBDA(std::uint32_t i) { film.ray_count[i] += rays_before[i]; });
}

std::uint64_t sum_ray_counts(Scratch& scratch, FilmView film) {
    constexpr std::uint32_t kMostSums = 1u << 14;
    Scratch::Scope scope(scratch);
    auto& stream = scratch.stream();
    auto pixels = static_cast<std::uint32_t>(film.extent.pixels());
    std::uint32_t n_sums = pixels < kMostSums ? pixels : kMostSums;
    auto sums = scratch.take<std::uint64_t>(n_sums);
    auto total = scratch.take<std::uint64_t>(1);
    parallel_for(
        stream, "sums of ray counts", n_sums, TL_LAMBDA(std::uint32_t k) {
            std::uint64_t sum = 0;
            for (std::uint32_t i = k; i < pixels; i += n_sums) sum += film.ray_count[i];
            sums[k] = sum;
        });
    reduce<std::uint64_t>(scratch, sums, total);
    std::uint64_t rays = 0;
    stream.device().download(stream, &rays, total.data, sizeof rays);
    return rays;
}

TL_DEVICE_END
