// Counts of the Bezier backend's camera rays, compared with the certified method, for statistics
// and false colours.
#pragma once

#include "accel/patch/root_sinks.h"
#include "accel/primitives.h"
#include "core/device/array.h"
#include "renderer/bezier/bezier_config.h"
#include "renderer/bezier/picture_part.h"
#include "renderer/film/film_view.h"

namespace tl {

/// Comparison of a camera ray's hit with the certified one. With several samples, a pixel has the
/// highest of these values among its rays.
enum class RayVerdict : std::uint32_t { background, same_hit, false_hit, missed };

/// The false colour of a verdict, in linear sRGB: dark grey, green, yellow, red.
[[nodiscard]] TL_HD inline vec3 color_of(RayVerdict verdict) {
    constexpr vec3 kColors[] = {
        {0.01f, 0.01f, 0.015f}, {0.01f, 0.08f, 0.03f}, {1, 0.7f, 0.02f}, {1, 0.03f, 0.02f}};
    return kColors[static_cast<std::uint32_t>(verdict)];
}

/// Counters of one frame; elements without a ray do not count.
struct BezierCounts {
    std::uint32_t n_rays = 0;
    std::uint32_t n_hits = 0;  ///< rays with a hit by the certified method
    /// Hits of the certified method where the mode has no hit, or a farther one.
    std::uint32_t n_missed = 0;
    std::uint32_t n_false = 0;  ///< hits of the mode where the certified method has none
    /// Tests and steps of the mode; modulo 2^32, as all sums here.
    std::uint32_t n_tests = 0, n_steps = 0;
    std::uint32_t certified_tests = 0, certified_steps = 0;
};
static_assert(sizeof(BezierCounts) == 32);

/// Camera rays of a part of the picture, with the results of the mode and of the certified method.
struct CountedRays {
    View<const Ray> rays;
    View<const Hit> hits;
    View<const SearchCounts> work;
    View<const Hit> certified_hits;  ///< empty, like certified_work, if not compared
    View<const SearchCounts> certified_work;
};

[[nodiscard]] TL_HD inline RayVerdict verdict_of(const Hit& hit, const Hit& certified) {
    constexpr float kSame = 1e-4f;  // relative tolerance of the distance
    if (certified.found() && !(hit.found() && hit.t <= certified.t * (1 + kSame)))
        return RayVerdict::missed;
    if (hit.found() && !(certified.found() && hit.t >= certified.t * (1 - kSame)))
        return RayVerdict::false_hit;
    return certified.found() ? RayVerdict::same_hit : RayVerdict::background;
}

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Adds the rays' counts to counts[0].
    void add_bezier_counts(Stream& stream, const CountedRays& rays, View<BezierCounts> counts);
    /// Adds the quantity that `show` selects to the pixels' sums; verdicts take the maximum.
    void add_to_pixels(Stream& stream, BezierShow show, std::uint32_t sample,
                       const CountedRays& rays, const PicturePart& part, const FilmView& film,
                       View<std::uint32_t> sums);
    void write_verdicts(Stream& stream, View<const std::uint32_t> verdicts, const FilmView& film);
)
// clang-format on
