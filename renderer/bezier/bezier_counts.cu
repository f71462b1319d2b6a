#include "renderer/bezier/bezier_counts.h"

#include "core/device/atomics.h"
#include "core/device/parallel_for.h"
#include "renderer/bezier/bezier_shading.h"

TL_DEVICE_BEGIN

void add_bezier_counts(Stream& stream, const CountedRays& counted, View<BezierCounts> counts) {
    auto n = static_cast<std::uint32_t>(counted.rays.size);
    // Each thread sums many rays, since all use atomics on the same few counters.
    constexpr std::uint32_t kRaysOfThread = 256;
    std::uint32_t n_threads = (n + kRaysOfThread - 1) / kRaysOfThread;
    parallel_for(
        stream, "count rays", n_threads, TL_LAMBDA(std::uint32_t thread) {
            BezierCounts sum;
            for (std::uint32_t i = thread; i < n; i += n_threads) {
                if (!is_ray(counted.rays[i])) continue;
                ++sum.n_rays;
                sum.n_tests += counted.work[i].n_tests;
                sum.n_steps += counted.work[i].n_steps;
                if (counted.certified_hits.empty()) continue;
                sum.certified_tests += counted.certified_work[i].n_tests;
                sum.certified_steps += counted.certified_work[i].n_steps;
                RayVerdict verdict = verdict_of(counted.hits[i], counted.certified_hits[i]);
                sum.n_hits += counted.certified_hits[i].found();
                sum.n_missed += verdict == RayVerdict::missed;
                sum.n_false += verdict == RayVerdict::false_hit;
            }
            auto add = [](std::uint32_t& to, std::uint32_t value) {
                if (value) atomic_add(&to, value);
            };
            add(counts[0].n_rays, sum.n_rays);
            add(counts[0].n_hits, sum.n_hits);
            add(counts[0].n_missed, sum.n_missed);
            add(counts[0].n_false, sum.n_false);
            add(counts[0].n_tests, sum.n_tests);
            add(counts[0].n_steps, sum.n_steps);
            add(counts[0].certified_tests, sum.certified_tests);
            add(counts[0].certified_steps, sum.certified_steps);
        });
}

void add_to_pixels(Stream& stream, BezierShow show, std::uint32_t sample,
                   const CountedRays& counted, const PicturePart& part, const FilmView& film,
                   View<std::uint32_t> sums) {
    parallel_for(
        stream, "numbers of pixels", part.size, TL_LAMBDA(std::uint32_t i) {
            std::uint32_t x, y;
            if (!part.pixel(i, x, y)) return;
            std::uint32_t pixel = y * static_cast<std::uint32_t>(film.extent.width) + x;
            std::uint32_t before = sample == 0 ? 0 : sums[pixel];
            film.ray_count[pixel] = 1;
            if (show == BezierShow::misses) {
                auto verdict = static_cast<std::uint32_t>(
                    verdict_of(counted.hits[i], counted.certified_hits[i]));
                sums[pixel] = verdict > before ? verdict : before;
            } else {
                sums[pixel] = before + (show == BezierShow::tests ? counted.work[i].n_tests
                                                                  : counted.work[i].n_steps);
            }
        });
}

void write_verdicts(Stream& stream, View<const std::uint32_t> verdicts, const FilmView& film) {
    parallel_for(
        stream, "verdicts", static_cast<std::uint32_t>(verdicts.size), TL_LAMBDA(std::uint32_t i) {
            film.radiance_sum[i] = vec4(color_of(static_cast<RayVerdict>(verdicts[i])), 1);
        });
}

TL_DEVICE_END
