// Matches between two views of a scene: places in both pictures that show the same point, exact or
// with noise and wrong ones among them.
#pragma once

#include <vector>

#include "accel/parallel/settings.h"
#include "app/solve/pose/pinhole_view.h"
#include "session/session.h"
#include "solvers/solver.h"

namespace tl {

/// How matches are made from a scene.
struct MatchSpec {
    int count = 2000;
    float noise = 0.5f;     ///< standard deviation of each image coordinate, pixels
    float outliers = 0.3f;  ///< share of the matches whose second place is anywhere
    int seed = 0;
};
[[nodiscard]] Settings match_settings(MatchSpec& spec);

struct ViewMatches {
    std::vector<double> first, second;  ///< x, y in each picture, pixels
    std::vector<double> points;         ///< X, Y, Z in the scene; NaN where that is not known
    std::vector<std::uint8_t> right;    ///< 1: both places show the point

    [[nodiscard]] std::size_t count() const { return right.size(); }
    [[nodiscard]] std::size_t n_right() const;
    void add(const double* in_first, const double* in_second, const double* point, bool is_right);
};

/// What the matches are to the estimation of a pose of this kind, which has one camera, `camera` of
/// the first view or of the only one: places in the second picture are scaled where its focal
/// length is another. Points that are not known are left out, of `matches` too.
[[nodiscard]] std::vector<double> numbers_of(ViewMatches& matches, const PinholeView& first,
                                             const PinholeView& second, PoseKind kind);

/// Points of the scene's surfaces at these pixels (x, y in turn) of a view: X, Y, Z, exactly on
/// the pixels' rays; NaN where there is no surface. The session must have rendered a frame. Waits.
[[nodiscard]] std::vector<double> points_at(Session& session, const PinholeView& view,
                                            const std::vector<double>& pixels);

/// Matches at random places of the first picture whose surfaces the second view sees, too: nothing
/// is between, and they are inside its picture. Fewer than asked for where the views share little.
/// Throws UserError if that is too little for a pose of this kind, and SolverCancelled.
[[nodiscard]] ViewMatches scene_matches(Session& session, const PinholeView& first,
                                        const PinholeView& second, const MatchSpec& spec,
                                        PoseKind kind, SolverRun& run);

}  // namespace tl
