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
    const std::size_t n_image = is_relative(kind) ? 4 : 2;
    auto& own = result.coordinates;
    own.assign(matches.begin(), matches.begin() + static_cast<std::ptrdiff_t>(count * n));
    double largest = 0;
    for (std::size_t i = 0; i < own.size(); ++i) {
        std::size_t k = i % n;
        if (k >= n_image) {
            result.center[k - n_image] += own[i] / static_cast<double>(count);
            continue;
        }
        own[i] -= k % 2 == 0 ? camera.cx : camera.cy;
        if (!finds_focal(kind)) own[i] /= k % 2 == 0 ? camera.fx : camera.fy;
        largest = std::max(largest, std::abs(own[i]));
    }
    result.scale = (camera.fx + camera.fy) / 2;
    if (finds_focal(kind)) {
        result.scale = largest > 0 ? largest : 1;
        for (std::size_t i = 0; i < own.size(); ++i)
            if (i % n < n_image) own[i] /= result.scale;
    }
    if (!is_relative(kind)) {
        double squares = 0;
        for (std::size_t i = 0; i < own.size(); ++i)
            if (i % n >= n_image) {
                own[i] -= result.center[i % n - n_image];
                squares += own[i] * own[i];
            }
        double size = std::sqrt(squares / static_cast<double>(count));
        result.size = size > 0 ? size : 1;
        for (std::size_t i = 0; i < own.size(); ++i)
            if (i % n >= n_image) own[i] /= result.size;
    }

    result.order = random_order(count, seed);
    constexpr std::size_t kMultiple = MatchView::kMultiple;
    std::size_t stride = (count + kMultiple - 1) / kMultiple * kMultiple;
    require_memory(stream.device(), stride * n * (sizeof(double) + sizeof(float)),
                   "matches for a pose", "use a part of them");
    std::vector<double> exact(stride * n, std::numeric_limits<double>::quiet_NaN());
    for (std::size_t i = 0; i < count; ++i)
        for (std::size_t k = 0; k < n; ++k) exact[k * stride + i] = own[result.order[i] * n + k];
    std::vector<float> rounded(exact.begin(), exact.end());
    result.exact.assign(stream, exact);
    result.rounded.assign(stream, rounded);
    result.view = {std::as_const(result.exact).view(), std::as_const(result.rounded).view(),
                   static_cast<std::uint32_t>(count), static_cast<std::uint32_t>(stride)};
    return result;
}

}  // namespace tl
