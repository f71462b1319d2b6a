// A camera that moves: from camera to camera on a smooth curve, or around its target.
#pragma once

#include <string>
#include <vector>

#include "renderer/scene/scene.h"

namespace tl {

struct TimedCamera {
    double time = 0;  ///< seconds
    Camera camera;
};

/// A Catmull-Rom spline through cameras: between two of them all numbers are cubic in time, and at
/// each one they change as fast as the two neighbours are apart (Catmull and Rom, "A class of local
/// interpolating splines", 1974, for times of any distances). The camera rests before the first and
/// after the last.
class CameraPath {
  public:
    /// At least one camera, in the order of ever later times.
    explicit CameraPath(std::vector<TimedCamera> cameras);

    /// The camera at a time, in seconds. It may be one that camera_fault() rejects, such as where
    /// the eye passes through the target.
    [[nodiscard]] Camera at(double time) const;

  private:
    std::vector<TimedCamera> cameras_;
};

/// The camera turned about the axis through its target along `up`, counterclockwise as seen from
/// the end of `up`; radians.
[[nodiscard]] Camera turned_about_target(const Camera& camera, double angle);

}  // namespace tl
