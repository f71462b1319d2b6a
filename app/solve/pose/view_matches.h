// Matches between two views of a scene: positions in both pictures that show the same point. They
// are exact, or have noise and wrong matches among them.
#pragma once

#include <vector>

#include "app/solve/pose/pinhole_view.h"
#include "core/base/settings.h"
#include "session/session.h"
#include "solvers/solver.h"

namespace tl {

/// Settings of matches made from a scene.
struct MatchSpec {
    int count = 2000;
    float noise = 0.5f;     ///< standard deviation of each image coordinate, pixels
    float outliers = 0.3f;  ///< fraction of the matches whose second position is random
    int seed = 0;
};
[[nodiscard]] Settings match_settings(MatchSpec& spec);

struct ViewMatches {
    std::vector<double> first, second;  ///< x, y in each picture, pixels
    std::vector<double> points;         ///< X, Y, Z in the scene; NaN where unknown
    std::vector<std::uint8_t> right;    ///< 1: both positions show the point

    [[nodiscard]] std::size_t count() const { return right.size(); }
    [[nodiscard]] std::size_t n_right() const;
    void add(const double* in_first, const double* in_second, const double* point, bool is_right);
};

/// Input of the estimation of a pose of this kind, from the matches.
/// Between two views: x, y in each picture. Both have the camera of `first`, so positions in the
/// second picture are scaled if its focal length differs and is not estimated. Else: x, y in the
/// second picture and X, Y, Z; matches with unknown points are left out, and removed from
/// `matches`.
[[nodiscard]] std::vector<double> numbers_of(ViewMatches& matches, const PinholeView& first,
                                             const PinholeView& second, PoseKind kind);

/// Points of the scene's surfaces at pixels (x, y interleaved) of a view: X, Y, Z, exactly on the
/// pixels' rays; NaN where there is no surface. The session must have rendered a frame. Waits.
[[nodiscard]] std::vector<double> points_at(Session& session, const PinholeView& view,
                                            const std::vector<double>& pixels);

/// Matches at random positions of the first picture whose surface points are unoccluded in the
/// second view and project into its picture. Fewer than requested where the views overlap little.
/// Throws UserError if they are too few for a pose of this kind, and Cancelled.
[[nodiscard]] ViewMatches scene_matches(Session& session, const PinholeView& first,
                                        const PinholeView& second, const MatchSpec& spec,
                                        PoseKind kind, SolverRun& run);

}  // namespace tl
