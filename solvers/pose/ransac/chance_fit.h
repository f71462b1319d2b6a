// Tests whether outliers alone would fit a pose as well: a contrario (Moisan and Stival 2004;
// Moulon, Monasse and Marlet 2012). The background model is the same matches, paired at random.
#pragma once

#include <span>

#include "solvers/pose/estimate_pose.h"

namespace tl {

/// A pose and its matches, in working coordinates.
struct ChanceTask {
    PoseKind kind;
    CameraPose pose;
    ViewMatrix matrix;                      ///< of the kinds that find one, which have no pose
    std::span<const double> coordinates;    ///< all matches, match_size() numbers each
    std::span<const std::uint32_t> order;   ///< random order of the matches
    std::span<const std::uint8_t> inliers;  ///< 1 for each match that fits
    double models = 1;                      ///< models of a minimal sample
};

/// Logarithm (log10) of the number of poses of minimal samples that as many matches with that error
/// are expected to fit if all are outliers. It is the least over the numbers of inliers, the
/// nearest ones first; samples count as if all of them were drawn.
[[nodiscard]] double log_chance_fits(const ChanceTask& task);

/// Whether the pose may be one of chance: the expected number is 0.01 or more, so that less than
/// one in a hundred sets of outliers passes. For up to kFewMatches, too few to prove that even if
/// all are inliers, the limit is 1.
[[nodiscard]] bool fits_by_chance(double log_fits, std::size_t n_matches);
inline constexpr std::size_t kFewMatches = 12;

}  // namespace tl
