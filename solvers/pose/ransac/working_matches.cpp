#include "solvers/pose/ransac/working_matches.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/base/random.h"

namespace tl {
namespace {

/// A random order of `count` items (Fisher and Yates).
std::vector<std::uint32_t> random_order(std::size_t count, std::uint64_t seed) {
    std::vector<std::uint32_t> order(count);
    std::iota(order.begin(), order.end(), 0u);
    // A stream that no sample draws from: their numbers are smaller.
    constexpr std::uint32_t kOrder = ~0u;
    RandomStream random(seed, kOrder, kOrder);
    for (std::size_t i = count; i > 1; --i)
        std::swap(order[i - 1], order[(random.next_uint() * static_cast<std::uint64_t>(i)) >> 32]);
    return order;
}

/// Divides image points, relative to the principal point, by the focal length or their largest
/// coordinate.
void scale_image(WorkingMatches& matches, PoseKind kind, const PinholeCamera& camera) {
    auto& own = matches.coordinates;
    const std::size_t n = match_size(kind), n_image = is_relative(kind) ? 4 : 2;
    double largest = 0;
    for (std::size_t i = 0; i < own.size(); ++i) {
        std::size_t k = i % n;
        if (k >= n_image) continue;
        own[i] -= k % 2 == 0 ? camera.cx : camera.cy;
        if (!finds_focal(kind)) own[i] /= k % 2 == 0 ? camera.fx : camera.fy;
        largest = std::max(largest, std::abs(own[i]));
    }
    matches.scale = (camera.fx + camera.fy) / 2;
    if (!finds_focal(kind)) return;
    matches.scale = largest > 0 ? largest : 1;
    for (std::size_t i = 0; i < own.size(); ++i)
        if (i % n < n_image) own[i] /= matches.scale;
}

/// Moves the points of both views to their centres, and divides them by their largest coordinate.
void scale_views(WorkingMatches& matches) {
    constexpr std::size_t kImage = 4;
    auto& own = matches.coordinates;
    auto& views = matches.views;
    const auto count = static_cast<double>(own.size() / kImage);
    for (std::size_t i = 0; i < own.size(); ++i) views.center[i % kImage] += own[i] / count;
    double largest = 0;
    for (std::size_t i = 0; i < own.size(); ++i) {
        own[i] -= views.center[i % kImage];
        largest = std::max(largest, std::abs(own[i]));
    }
    // One scale for both views, so that distances in them have one unit.
    matches.scale = views.scale[0] = views.scale[1] = largest > 0 ? largest : 1;
    for (double& x : own) x /= matches.scale;
}

/// Moves points in space to their centre, and divides them by their size.
void scale_points(WorkingMatches& matches) {
    constexpr std::size_t kMatch = 5, kImage = 2;
    auto& own = matches.coordinates;
    const auto count = static_cast<double>(own.size() / kMatch);
    for (std::size_t i = 0; i < own.size(); ++i)
        if (i % kMatch >= kImage) matches.center[i % kMatch - kImage] += own[i] / count;
    double squares = 0;
    for (std::size_t i = 0; i < own.size(); ++i)
        if (i % kMatch >= kImage) {
            own[i] -= matches.center[i % kMatch - kImage];
            squares += own[i] * own[i];
        }
    double size = std::sqrt(squares / count);
    matches.size = size > 0 ? size : 1;
    for (std::size_t i = 0; i < own.size(); ++i)
        if (i % kMatch >= kImage) own[i] /= matches.size;
}

/// Copies the matches, `n` numbers each, to the device in random order.
void upload_matches(Stream& stream, WorkingMatches& matches, std::size_t n, std::uint64_t seed) {
    const std::size_t count = matches.coordinates.size() / n;
    matches.order = random_order(count, seed);
    constexpr std::size_t kMultiple = MatchView::kMultiple;
    std::size_t stride = (count + kMultiple - 1) / kMultiple * kMultiple;
    require_memory(stream.device(), stride * n * (sizeof(double) + sizeof(float)),
                   "matches for a pose", "use a part of them");
    auto& exact = matches.on_host;
    exact.assign(stride * n, std::numeric_limits<double>::quiet_NaN());
    for (std::size_t i = 0; i < count; ++i)
        for (std::size_t k = 0; k < n; ++k)
            exact[k * stride + i] = matches.coordinates[matches.order[i] * n + k];
    std::vector<float> rounded(exact.begin(), exact.end());
    matches.exact.assign(stream, exact);
    matches.rounded.assign(stream, rounded);
    matches.view = {std::as_const(matches.exact).view(), std::as_const(matches.rounded).view(),
                    static_cast<std::uint32_t>(count), static_cast<std::uint32_t>(stride)};
}

}  // namespace

void check_matches(PoseKind kind, std::span<const double> matches) {
    std::size_t size = match_size(kind), count = matches.size() / size;
    for (std::size_t i = 0; i < count * size; ++i)
        if (!std::isfinite(matches[i]))
            throw UserError("match " + std::to_string(i / size + 1) +
                            " has a number that is not finite; leave it out");
    if (count < least_matches(kind))
        throw UserError(std::to_string(count) + " matches are too few: this pose needs at least " +
                        std::to_string(least_matches(kind)));
    if (count > std::numeric_limits<std::int32_t>::max())
        throw UserError(std::to_string(count) + " matches are too many; use a part of them");
}

MatchView WorkingMatches::host_view() const {
    return {{on_host.data(), on_host.size()}, {}, view.count, view.stride};
}

ViewMatrix WorkingMatches::original(const ViewMatrix& matrix, PoseKind kind) const {
    return kind == PoseKind::homography ? motion::unscaled_homography(matrix, views)
                                        : motion::unscaled_fundamental(matrix, views);
}

CameraPose WorkingMatches::original(const CameraPose& pose, PoseKind kind) const {
    CameraPose result = pose;
    result.focal = finds_focal(kind) ? pose.focal * scale : 1;
    if (is_relative(kind)) return result;
    double turned[3];
    motion::rotate(pose.rotation, center, turned);
    for (int k = 0; k < 3; ++k) result.translation[k] = size * pose.translation[k] - turned[k];
    return result;
}

WorkingMatches make_working_matches(Stream& stream, PoseKind kind, const PinholeCamera& camera,
                                    std::span<const double> matches, std::uint64_t seed) {
    check_matches(kind, matches);
    WorkingMatches result;
    const std::size_t n = match_size(kind), count = matches.size() / n;
    result.coordinates.assign(matches.begin(),
                              matches.begin() + static_cast<std::ptrdiff_t>(count * n));
    if (finds_matrix(kind))
        scale_views(result);
    else
        scale_image(result, kind, camera);
    if (!is_relative(kind)) scale_points(result);
    upload_matches(stream, result, n, seed);
    return result;
}

}  // namespace tl
