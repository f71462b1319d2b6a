// Camera of the scene in the form of pose estimation, in double precision.
#pragma once

#include "core/base/math.h"
#include "solvers/pose/estimate_pose.h"

namespace tl {

struct Camera;

/// Pinhole view: x to the right, y down, z forward; pixels from the picture's top left corner.
/// Equals CameraRays but for rounding.
struct PinholeView {
    double rotation[9] = {};  ///< from the scene's coordinates, row by row
    double center[3] = {};    ///< the eye, in the scene's coordinates
    PinholeCamera camera;
    Extent extent;  ///< of the picture

    /// Direction of the ray through a pixel, in the scene's coordinates; its z in the view is 1.
    void towards(const double* pixel, double* direction) const;
    /// Projects a point of the scene to a pixel; returns false if it is behind the eye.
    [[nodiscard]] bool project(const double* point, double* pixel) const;
    [[nodiscard]] bool shows(const double* pixel) const {
        return pixel[0] >= 0 && pixel[1] >= 0 && pixel[0] <= extent.width &&
               pixel[1] <= extent.height;
    }
};
[[nodiscard]] PinholeView pinhole_view(const Camera& camera, Extent picture);

/// Pose of the second view in the form of `kind`: X2 = R X1 + t between two views, or X2 = R X + t.
/// Between two views t has length 1 or, without a baseline, is 0. Includes the focal length of the
/// second view.
[[nodiscard]] CameraPose true_pose(const PinholeView& first, const PinholeView& second,
                                   PoseKind kind);
/// Second view that such a pose describes. The length of a baseline is taken from `truth`.
[[nodiscard]] PinholeView view_by_pose(const PinholeView& first, const PinholeView& truth,
                                       const CameraPose& pose, PoseKind kind);

[[nodiscard]] double distance_between(const double* a, const double* b);

/// Epipolar line a x + b y + c = 0 in the picture of `to`, on which the point that `from` shows at
/// a pixel lies.
struct EpipolarLine {
    double a = 0, b = 0, c = 0;
};
[[nodiscard]] EpipolarLine epipolar_line(const PinholeView& from, const PinholeView& to,
                                         const double* pixel);

}  // namespace tl
