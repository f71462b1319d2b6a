// Surface that a cloud of points samples: normals, areas and outliers, for lighting.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "renderer/scene/points/cloud_neighbours.h"

namespace tl {

struct CloudSurfaceConfig {
    /// Number of standard deviations: points whose distance to their neighbours, as a logarithm,
    /// exceeds the mean of all points by more are outliers.
    float outlier_sigmas = 4;
    std::optional<vec3> seen_from{};  ///< a position that all normals face, if known
    vec3 up{0, 0, 1};                 ///< the side of a surface that has no outside
    Device* device = nullptr;         ///< device of the neighbour search; null: the CPU
};

/// Surface at each point, in the order in which points were given.
struct CloudSurface {
    std::vector<vec3> normals;             ///< unit length
    std::vector<float> areas;              ///< m^2, not negative
    std::vector<std::uint8_t> is_outlier;  ///< 1: lies far from all others
    std::size_t n_outliers = 0;
};

/// Largest number of points of a cloud.
inline constexpr std::size_t kMostCloudPoints = std::size_t{1} << 27;

/// Estimates normals, orientation, areas and outliers of at most kMostCloudPoints points, which are
/// finite. `normals` is empty, or has one for each point: of unit length if known, else 0. Known
/// normals are returned unchanged, and orient the others. Every number of points and every
/// arrangement has a result. If all points coincide, areas are 0. Coincident and collinear points
/// get some normal. Time grows as n log n, memory as n: about 250 bytes a point. The result does
/// not depend on the number of threads. Throws UserError where memory is short, and any exception
/// of `progress`.
[[nodiscard]] CloudSurface surface_of_cloud(std::span<const vec3> points,
                                            std::span<const vec3> normals,
                                            const CloudSurfaceConfig& config = {},
                                            const CloudProgress& progress = {});

}  // namespace tl
