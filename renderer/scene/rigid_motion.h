// Rigid motion with keyframes: the placement of a rigid object at a given time.
#pragma once

#include <glm/gtc/quaternion.hpp>
#include <vector>

#include "core/base/math.h"

namespace tl {

/// Interpolation between two keys: the earlier one's value; linear in time (slerp for rotations);
/// or Hermite's cubic through them.
enum class Interpolation { step, linear, cubic };

/// Values at increasing times, seconds; constant before the first and after the last.
template <class T>
struct Track {
    std::vector<float> times;
    std::vector<T> values;  ///< one for each time; cubic: in-tangent, value, out-tangent
    Interpolation interpolation = Interpolation::linear;
};

/// A frame of reference that moves in the next outer one: it scales, rotates, then translates, each
/// by a track. A track without keys has no effect.
struct Joint {
    glm::dmat4 placement{1};  ///< placement of this frame in the outer one; applied last
    Track<vec3> translation{};
    Track<glm::quat> rotation{};  ///< unit length
    Track<vec3> scale{};
};

struct RigidMotion {
    std::vector<Joint> joints;  ///< the outermost first
    glm::dmat4 rest{1};         ///< transform from the mesh at rest into the innermost joint

    /// The transform from the mesh at rest to its placement at a time, seconds.
    [[nodiscard]] glm::dmat4 at(double seconds) const;
    /// The time of the last key, seconds.
    [[nodiscard]] float length() const;
};

}  // namespace tl
