// Finds points far from all others, such as a scanner measures in the air beside an edge.
#pragma once

#include <cstdint>
#include <vector>

#include "renderer/scene/points/cloud_neighbours.h"

namespace tl {

/// Returns 1 for each point whose mean distance to its neighbours, as a logarithm, is an outlier.
/// Outliers exceed the mean of all by more than `sigmas` standard deviations, a criterion without a
/// length. After Rusu et al. 2008 ("Towards 3D point cloud based object maps for household
/// environments"). Departure: their distances follow no normal distribution, while the logarithms
/// nearly do. Fewer than 64 points have no outliers.
[[nodiscard]] std::vector<std::uint8_t> find_outliers(const CloudNeighbours& cloud, float sigmas);

}  // namespace tl
