// The nearest points of each point of a cloud, by the kd-tree over points (accel/points) on any
// device; the answers lie in host memory.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "accel/parallel/device.h"
#include "accel/parallel/macros.h"
#include "accel/parallel/math.h"

namespace tl {

/// Is told which share of the work is done, from 0 to 1; what it throws ends the work.
using CloudProgress = std::function<void(double share)>;

/// The points of a cloud in the order of the tree's leaves, which keeps neighbours together, and
/// for each the nearest ones: it itself among them, unless more points lie in its place.
struct CloudNeighbours {
    static constexpr std::uint32_t kNearest = 16;
    static constexpr std::uint32_t kNone = ~0u;

    std::vector<std::uint32_t> order;    ///< the index that each was given with
    std::vector<vec3> places;            ///< their positions
    std::vector<std::uint32_t> nearest;  ///< kNearest for each, in no order; kNone for no more

    [[nodiscard]] std::size_t size() const { return places.size(); }
    [[nodiscard]] std::span<const std::uint32_t> of(std::size_t point) const {
        return std::span(nearest).subspan(kNearest * point, kNearest);
    }
    /// Calls `use(other, offset, square of the distance)` for the others near a point.
    template <class Use>
    void for_each_near(std::size_t point, Use&& use) const {
        for (std::uint32_t other : of(point)) {
            if (other == kNone || other == point) continue;
            vec3 offset = places[other] - places[point];
            use(other, offset, glm::dot(offset, offset));
        }
    }
};

/// Finds them for points that are finite, at most 2^27. Throws UserError where memory is short.
[[nodiscard]] CloudNeighbours find_neighbours(std::span<const vec3> points, Device& device,
                                              const CloudProgress& progress = {});

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// The same on the device of a stream.
    tl::CloudNeighbours find_cloud_neighbours(Stream& stream, std::span<const vec3> points,
                                              const CloudProgress& progress);
)
// clang-format on
