#include "renderer/bezier/bezier_counts.h"

#include "accel/parallel/atomics.h"
#include "accel/parallel/parallel_for.h"
#include "renderer/bezier/bezier_shading.h"

TL_DEVICE_BEGIN

void clear_work(Stream& stream, View<SearchCounts> work) {
    View<SearchCounts> out = work;
    parallel_for(
        stream, "clear work", static_cast<std::uint32_t>(out.size),
        TL_LAMBDA(std::uint32_t i) { out[i] = {}; });
}

void add_bezier_counts(Stream& stream, const CountedRays& counted, View<BezierCounts> counts) {
    CountedRays at = counted;
    View<BezierCounts> out = counts;
    auto n = static_cast<std::uint32_t>(at.rays.size);
    // Each thread sums many rays, since all add to the same few counters with atomics.
    constexpr std::uint32_t kRaysOfThread = 256;
    std::uint32_t n_threads = (n + kRaysOfThread - 1) / kRaysOfThread;
    parallel_for(
        stream, "count rays", n_threads, TL_LAMBDA(std::uint32_t thread) {
            BezierCounts sum;
            for (std::uint32_t i = thread; i < n; i += n_threads) {
                if (!is_ray(at.rays[i])) continue;
                ++sum.n_rays;
                sum.n_tests += at.work[i].n_tests;
                sum.n_steps += at.work[i].n_steps;
                if (at.certified_hits.empty()) continue;
                sum.certified_tests += at.certified_work[i].n_tests;
                sum.certified_steps += at.certified_work[i].n_steps;
                RayVerdict verdict = verdict_of(at.hits[i], at.certified_hits[i]);
                sum.n_hits += at.certified_hits[i].found();
                sum.n_missed += verdict == RayVerdict::missed;
                sum.n_false += verdict == RayVerdict::false_hit;
            }
            auto add = [](std::uint32_t& to, std::uint32_t value) {
                if (value) atomic_add(&to, value);
            };
            add(out[0].n_rays, sum.n_rays);
            add(out[0].n_hits, sum.n_hits);
            add(out[0].n_missed, sum.n_missed);
            add(out[0].n_false, sum.n_false);
            add(out[0].n_tests, sum.n_tests);
            add(out[0].n_steps, sum.n_steps);
            add(out[0].certified_tests, sum.certified_tests);
            add(out[0].certified_steps, sum.certified_steps);
        });
}

void add_to_pixels(Stream& stream, BezierShow show, std::uint32_t sample,
                   const CountedRays& counted, const PicturePart& part, const FilmView& film,
                   View<std::uint32_t> sums) {
    CountedRays at = counted;
    PicturePart pixels = part;
    FilmView out = film;
    View<std::uint32_t> to = sums;
    parallel_for(
        stream, "numbers of pixels", pixels.size, TL_LAMBDA(std::uint32_t i) {
            std::uint32_t x, y;
            if (!pixels.pixel(i, x, y)) return;
            std::uint32_t pixel = y * static_cast<std::uint32_t>(out.extent.width) + x;
            std::uint32_t before = sample == 0 ? 0 : to[pixel];
            out.ray_count[pixel] = 1;
            if (show == BezierShow::misses) {
                auto verdict =
                    static_cast<std::uint32_t>(verdict_of(at.hits[i], at.certified_hits[i]));
                to[pixel] = verdict > before ? verdict : before;
            } else {
                to[pixel] =
                    before + (show == BezierShow::tests ? at.work[i].n_tests : at.work[i].n_steps);
            }
        });
}

void write_verdicts(Stream& stream, View<const std::uint32_t> verdicts, const FilmView& film) {
    View<const std::uint32_t> of_pixels = verdicts;
    FilmView out = film;
    parallel_for(
        stream, "verdicts", static_cast<std::uint32_t>(of_pixels.size), TL_LAMBDA(std::uint32_t i) {
            out.radiance_sum[i] = vec4(color_of(static_cast<RayVerdict>(of_pixels[i])), 1);
        });
}

TL_DEVICE_END
