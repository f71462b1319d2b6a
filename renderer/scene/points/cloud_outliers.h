// Points that lie far from all others, such as a scanner measures in the air beside an edge.
#pragma once

#include <cstdint>
#include <vector>

#include "renderer/scene/points/cloud_neighbours.h"

namespace tl {

/// A 1 for each point whose mean distance to its neighbours is, as a logarithm, more than `sigmas`
/// standard deviations above the mean of all: a criterion without a length, after Rusu et al. 2008
/// ("Towards 3D point cloud based object maps for household environments"), whose distances follow
/// no normal distribution where their logarithms nearly do. None of fewer than 64 points.
[[nodiscard]] std::vector<std::uint8_t> find_outliers(const CloudNeighbours& cloud, float sigmas);

}  // namespace tl
