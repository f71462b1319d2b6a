// Camera motion: on a smooth curve through keyed cameras, or around its target.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "renderer/scene/scene.h"

namespace tl {

/// Returns a moving camera at a time, in seconds.
using MovingCamera = std::function<Camera(double)>;

struct TimedCamera {
    double time = 0;  ///< seconds
    Camera camera;
};

/// A Catmull-Rom spline through cameras (Catmull and Rom, "A class of local interpolating splines",
/// 1974, for non-uniform times). All numbers are cubic in time between two keys. The derivative at
/// a key is the difference of its two neighbours over their distance in time. The camera rests
/// before the first key and after the last.
class CameraPath {
  public:
    /// `cameras`: at least one, in the order of increasing times.
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
