// Finds points far from all others, such as a scanner measures in the air beside an edge.
#pragma once

#include <cstdint>
#include <vector>

#include "renderer/scene/points/cloud_neighbours.h"

namespace tl {

/// Returns 1 for each outlier, 0 for other points. An outlier has a mean distance to its neighbours
/// whose logarithm exceeds the mean of all by more than `sigmas` standard deviations. The criterion
/// needs no length. After Rusu et al. 2008 ("Towards 3D point cloud based object maps for household
/// environments"). Departure: it uses logarithms, which nearly follow a normal distribution, while
/// distances do not. Fewer than 64 points have no outliers.
[[nodiscard]] std::vector<std::uint8_t> find_outliers(const CloudNeighbours& cloud, float sigmas);

}  // namespace tl
