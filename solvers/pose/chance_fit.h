// Whether as many matches as fit a pose would fit one by chance: an a contrario test (Moisan and
// Stival 2004; Moulon, Monasse and Marlet 2012), whose background is the same matches with their
// parts paired anew.
#pragma once

#include <span>

#include "solvers/pose/estimate_pose.h"

namespace tl {

/// What is tested, in working coordinates.
struct ChanceTask {
    PoseKind kind;
    CameraPose pose;
    std::span<const double> coordinates;    ///< of all matches, match_size() numbers each
    std::span<const std::uint32_t> order;   ///< of the matches, random
    std::span<const std::uint8_t> inliers;  ///< 1 for each match that fits
    double models = 1;                      ///< that a minimal sample has
};

/// How many poses of minimal samples are to be expected that as many matches of that error fit, if
/// no match was right, as log10: the least over the numbers of inliers, the nearest ones first.
/// Samples count as if all of them were drawn.
[[nodiscard]] double log_chance_fits(const ChanceTask& task);

/// Whether so many are to be expected that the pose may be one of them: 0.01 or more, so that less
/// than one in a hundred sets of wrong matches passes. Of up to kFewMatches, which cannot tell so
/// much even if all are right, 1 or more.
[[nodiscard]] bool fits_by_chance(double log_fits, std::size_t n_matches);
inline constexpr std::size_t kFewMatches = 12;

}  // namespace tl
