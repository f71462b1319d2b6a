// Nearest neighbours of each point of a cloud, by the kd-tree over points (accel/points) on any
// device. The results lie in host memory.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/base/macros.h"
#include "core/base/math.h"
#include "core/device/device.h"

namespace tl {

/// Callback with the fraction of the work that is done, from 0 to 1. An exception that it throws
/// cancels the work.
using CloudProgress = std::function<void(double share)>;

/// Points of a cloud in the order of the tree's leaves, which keeps neighbours together, and the
/// nearest points of each. A point is among its own nearest, unless more than kNearest points
/// coincide with it.
struct CloudNeighbours {
    static constexpr std::uint32_t kNearest = 16;
    static constexpr std::uint32_t kNone = ~0u;

    std::vector<std::uint32_t> order;    ///< index of each point in the given list
    std::vector<vec3> places;            ///< positions of the points
    std::vector<std::uint32_t> nearest;  ///< kNearest for each, unordered, padded with kNone

    [[nodiscard]] std::size_t size() const { return places.size(); }
    [[nodiscard]] std::span<const std::uint32_t> of(std::size_t point) const {
        return std::span(nearest).subspan(kNearest * point, kNearest);
    }
    /// Calls `use(other, offset, squared distance)` for the other points near a point.
    template <class Use>
    void for_each_near(std::size_t point, Use&& use) const {
        for (std::uint32_t other : of(point)) {
            if (other == kNone || other == point) continue;
            vec3 offset = places[other] - places[point];
            use(other, offset, glm::dot(offset, offset));
        }
    }
};

/// Finds the neighbours of points that are finite, at most 2^27. Throws UserError where memory is
/// short.
[[nodiscard]] CloudNeighbours find_neighbours(std::span<const vec3> points, Device& device,
                                              const CloudProgress& progress = {});

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Finds the neighbours on the device of a stream.
    tl::CloudNeighbours find_cloud_neighbours(Stream& stream, std::span<const vec3> points,
                                              const CloudProgress& progress);
)
// clang-format on
