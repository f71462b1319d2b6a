// A camera of the scene as poses have it, in double precision.
#pragma once

#include "accel/parallel/math.h"
#include "solvers/pose/estimate_pose.h"

namespace tl {

struct Camera;

/// A view without a lens: x to the right, y down, z forward; pixels from the picture's top left
/// corner. As CameraRays has it, but for rounding.
struct PinholeView {
    double rotation[9] = {};  ///< from the scene's coordinates, row by row
    double center[3] = {};    ///< the eye, in the scene's coordinates
    PinholeCamera camera;
    Extent extent;  ///< of the picture

    /// The direction of a place in the picture, in the scene's coordinates; 1 along z.
    void towards(const double* pixel, double* direction) const;
    /// Where the picture shows a point of the scene; false if that is behind the eye.
    [[nodiscard]] bool project(const double* point, double* pixel) const;
    [[nodiscard]] bool shows(const double* pixel) const {
        return pixel[0] >= 0 && pixel[1] >= 0 && pixel[0] <= extent.width &&
               pixel[1] <= extent.height;
    }
};
[[nodiscard]] PinholeView pinhole_view(const Camera& camera, Extent picture);

/// The pose of the second view as a kind of pose has it: X2 = R X1 + t between two views, with t of
/// length 1 or, without a baseline, 0; or X2 = R X + t. With the focal length of the second view.
[[nodiscard]] CameraPose true_pose(const PinholeView& first, const PinholeView& second,
                                   PoseKind kind);
/// The second view by such a pose. The length of a baseline is taken from the true one.
[[nodiscard]] PinholeView view_by_pose(const PinholeView& first, const PinholeView& truth,
                                       const CameraPose& pose, PoseKind kind);

[[nodiscard]] double distance_between(const double* a, const double* b);

/// The line a x + b y + c = 0 in the picture of `to` on which what `from` shows at a pixel must be.
struct EpipolarLine {
    double a = 0, b = 0, c = 0;
};
[[nodiscard]] EpipolarLine epipolar_line(const PinholeView& from, const PinholeView& to,
                                         const double* pixel);

}  // namespace tl
