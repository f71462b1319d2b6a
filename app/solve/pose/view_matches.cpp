#include "app/solve/pose/view_matches.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "app/jobs/format.h"
#include "renderer/probe/solid_hits.h"

namespace tl {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

/// Distances of the hits along the rays from the view's eye, in units of their directions; infinite
/// without a hit.
std::vector<double> lengths_of(Session& session, const PinholeView& view,
                               const std::vector<double>& directions) {
    auto& stream = session.stream();
    std::size_t count = directions.size() / 3;
    std::vector<Ray> rays(count);
    std::vector<double> units(count);
    for (std::size_t i = 0; i < count; ++i) {
        const double* d = directions.data() + 3 * i;
        units[i] = std::sqrt(motion::dot(d, d));
        for (int k = 0; k < 3; ++k) {
            rays[i].origin[k] = static_cast<float>(view.center[k]);
            rays[i].direction[k] = static_cast<float>(d[k] / units[i]);
        }
    }
    DeviceArray<Ray> on_device(stream, std::span<const Ray>(rays));
    DeviceArray<ProbeHit> hits(stream, count);
    TL_DISPATCH(session.device(), find_solid_hits(stream, session.live_scene().view(),
                                                  on_device.view(), hits.view()));
    auto found = hits.download(stream);
    for (std::size_t i = 0; i < count; ++i)
        units[i] = found[i].found() ? double(found[i].t) / units[i]
                                    : std::numeric_limits<double>::infinity();
    return units;
}

/// Whether each point is visible from the view's eye: no surface occludes it.
std::vector<bool> seen_from(Session& session, const PinholeView& view,
                            const std::vector<double>& points) {
    // Hits are rounded to 2^-24 of coordinates that are up to a thousand times the distance.
    constexpr double kNear = 1e-4;
    std::vector<double> ways(points.size());
    for (std::size_t i = 0; i < points.size(); ++i) ways[i] = points[i] - view.center[i % 3];
    auto lengths = lengths_of(session, view, ways);
    std::vector<bool> seen(lengths.size());
    for (std::size_t i = 0; i < seen.size(); ++i) seen[i] = lengths[i] > 1 - kNear;
    return seen;
}

}  // namespace

Settings match_settings(MatchSpec& spec) {
    static const SettingsOf<MatchSpec> all{
        {"matches", &MatchSpec::count, 10, 100'000, "", "number of matches"},
        {"noise", &MatchSpec::noise, 0.0f, 20.0f, "pixels",
         "standard deviation of each coordinate in both pictures"},
        {"outliers", &MatchSpec::outliers, 0.0f, 0.95f, "",
         "fraction of outliers, whose position in the second picture is random"},
        {"seed-of-matches", &MatchSpec::seed, 0, 2'000'000'000, "",
         "seed of positions, noise and outliers"},
    };
    return all.of(spec);
}

std::size_t ViewMatches::n_right() const {
    return static_cast<std::size_t>(std::ranges::count(right, 1));
}

void ViewMatches::add(const double* in_first, const double* in_second, const double* point,
                      bool is_right) {
    first.insert(first.end(), in_first, in_first + 2);
    second.insert(second.end(), in_second, in_second + 2);
    points.insert(points.end(), point, point + 3);
    right.push_back(is_right ? 1 : 0);
}

std::vector<double> numbers_of(ViewMatches& matches, const PinholeView& first,
                               const PinholeView& second, PoseKind kind) {
    ViewMatches kept;
    std::vector<double> numbers;
    double scale = finds_focal(kind) ? 1 : first.camera.fx / second.camera.fx;
    for (std::size_t i = 0; i < matches.count(); ++i) {
        const double* a = matches.first.data() + 2 * i;
        const double* b = matches.second.data() + 2 * i;
        const double* p = matches.points.data() + 3 * i;
        if (!is_relative(kind) && std::isnan(p[0])) continue;
        kept.add(a, b, p, matches.right[i] == 1);
        if (is_relative(kind))
            numbers.insert(numbers.end(),
                           {a[0], a[1], (b[0] - second.camera.cx) * scale + first.camera.cx,
                            (b[1] - second.camera.cy) * scale + first.camera.cy});
        else
            numbers.insert(numbers.end(), {b[0], b[1], p[0], p[1], p[2]});
    }
    matches = std::move(kept);
    return numbers;
}

std::vector<double> points_at(Session& session, const PinholeView& view,
                              const std::vector<double>& pixels) {
    std::size_t count = pixels.size() / 2;
    std::vector<double> directions(3 * count), points(3 * count, kUnknown);
    for (std::size_t i = 0; i < count; ++i)
        view.towards(pixels.data() + 2 * i, directions.data() + 3 * i);
    auto lengths = lengths_of(session, view, directions);
    for (std::size_t i = 0; i < 3 * count; ++i)
        if (std::isfinite(lengths[i / 3]))
            points[i] = view.center[i % 3] + lengths[i / 3] * directions[i];
    return points;
}

ViewMatches scene_matches(Session& session, const PinholeView& first, const PinholeView& second,
                          const MatchSpec& spec, PoseKind kind, SolverRun& run) {
    constexpr int kRounds = 32;
    constexpr std::size_t kLeastTries = 4096;
    std::mt19937_64 random(static_cast<std::uint64_t>(spec.seed));
    std::normal_distribution<double> bell;
    std::uniform_real_distribution<double> even(0, 1);
    auto wanted = static_cast<std::size_t>(spec.count);
    std::size_t tries = std::max(wanted, kLeastTries), n_tried = 0;
    ViewMatches matches;
    for (int round = 0; round < kRounds && matches.count() < wanted; ++round) {
        run.report(double(matches.count()) / double(wanted));
        std::vector<double> pixels(2 * tries);
        for (std::size_t i = 0; i < pixels.size(); ++i)
            pixels[i] = even(random) * (i % 2 == 0 ? first.extent.width : first.extent.height);
        auto points = points_at(session, first, pixels);
        // Candidates that project into the second picture, whether visible or occluded.
        ViewMatches inside;
        for (std::size_t i = 0; i < tries; ++i) {
            double pixel[2];
            const double* point = points.data() + 3 * i;
            if (!std::isnan(point[0]) && second.project(point, pixel) && second.shows(pixel))
                inside.add(pixels.data() + 2 * i, pixel, point, true);
        }
        auto seen = seen_from(session, second, inside.points);
        for (std::size_t i = 0; i < seen.size() && matches.count() < wanted; ++i)
            if (seen[i])
                matches.add(inside.first.data() + 2 * i, inside.second.data() + 2 * i,
                            inside.points.data() + 3 * i, true);
        n_tried += tries;
    }
    if (matches.count() < least_matches(kind))
        throw UserError(formatted(
            "the second view sees %zu of the %zu points that were tried of the first one; a pose "
            "needs %zu: choose two views that show the same surfaces",
            matches.count(), n_tried, least_matches(kind)));
    auto n_wrong = static_cast<std::size_t>(double(spec.outliers) * double(matches.count()) + 0.5);
    // Positions are random, so the first matches are as good as any.
    for (std::size_t i = 0; i < matches.count(); ++i) {
        double* a = matches.first.data() + 2 * i;
        double* b = matches.second.data() + 2 * i;
        if (i < n_wrong) {
            matches.right[i] = 0;
            b[0] = even(random) * second.extent.width;
            b[1] = even(random) * second.extent.height;
        }
        for (double* x : {a, a + 1, b, b + 1}) *x += double(spec.noise) * bell(random);
    }
    return matches;
}

}  // namespace tl
