// Background work of the poses' section: makes matches between two views of the scene by a session
// of its own, and estimates the second view's pose from them. No GL, no ImGui.
#pragma once

#include <string>
#include <utility>

#include "app/jobs/background_job.h"
#include "app/solve/pose/view_matches.h"
#include "core/device/background.h"
#include "session/session_copy.h"
#include "solvers/pose/pose_solver.h"

namespace tl {

enum class MatchSource : int {
    scene,    ///< surfaces that both views see
    pictures  ///< features that look alike in both pictures
};

/// The views, the source of their matches, and the method.
struct PoseTask {
    MatchSource source = MatchSource::scene;
    MatchSpec matches;
    PoseKind kind = PoseKind::relative;
    std::string mode = "fused", device = "auto";
    RansacConfig ransac;
    BackgroundConfig background;

    /// State of the viewer's session at the start.
    SessionSnapshot session;
    Camera first, second;
    std::string first_name, second_name;  ///< "bookmark 1", "the view"
    Extent picture;                       ///< size of the picture in which scene matches are made
};

/// Errors of the pose against the true one; below 0: not defined for this kind.
struct ViewError {
    double rotation = -1;   ///< degrees
    double direction = -1;  ///< of the translation between two views, degrees
    double position = -1;   ///< of the eye, in the scene's units
    double focal = -1;      ///< relative to the true focal length
};

/// The result of a task. `error` is "" on success.
struct PoseOutcome {
    std::string first_name, second_name, kind, mode, device;
    MatchSource source = MatchSource::scene;
    MatchSpec spec;
    float threshold = 0;  ///< pixels
    std::size_t n_matches = 0, n_right = 0;
    std::size_t n_right_found = 0;  ///< right matches among the inliers
    PoseEstimate estimate;
    ViewError off;
    PinholeView first, second, found;  ///< `found`: the second view by the estimate
    double depth = 0;                  ///< median distance of the points from the first eye
    std::string error;
    JobFrameRates rates;

    ViewMatches matches;  ///< of the newest outcome alone
    Image8 pictures;      ///< of the newest outcome alone: the first view and, below it, the second

    /// Whether there is a pose to be drawn.
    [[nodiscard]] bool has_pose() const {
        return error.empty() && n_matches > 0 && estimate.doubt != PoseDoubt::not_found;
    }
    /// The first view with the focal length that the estimate has for both.
    [[nodiscard]] PinholeView assumed_first() const;
    /// Frees what only the newest outcome keeps.
    void shrink() {
        matches = {};
        pictures = {};
        (void)std::exchange(estimate.inliers, {});
    }
};

[[nodiscard]] const char* id_of(MatchSource source);  ///< "scene" or "pictures"

/// Outcome with the fields that are known before the run.
[[nodiscard]] PoseOutcome expected_outcome(const PoseTask& task);
/// Makes the matches and estimates the pose, in threads of low priority. Throws UserError where the
/// views cannot be used or share too little, and Cancelled.
void run_pose(const PoseTask& task, JobRun& run, PoseOutcome& outcome);

}  // namespace tl
