// Rigid motion: where something that moves as a whole is at a moment, by values at key times.
#pragma once

#include <glm/gtc/quaternion.hpp>
#include <vector>

#include "accel/parallel/math.h"

namespace tl {

/// Between two keys: the earlier one's value; their mean weighted by time, along the arc for
/// rotations; or Hermite's cubic through them.
enum class Interpolation { step, linear, cubic };

/// Values at times that rise, seconds. Before the first and after the last they stand still.
template <class T>
struct Track {
    std::vector<float> times;
    std::vector<T> values;  ///< one for each time; cubic: in-tangent, value, out-tangent
    Interpolation interpolation = Interpolation::linear;
};

/// A frame of reference that moves in the next outer one: it scales, turns, then moves, each by a
/// track. One without keys does nothing.
struct Joint {
    glm::dmat4 placement{1};  ///< of this frame in the outer one; comes last
    Track<vec3> translation{};
    Track<glm::quat> rotation{};  ///< unit length
    Track<vec3> scale{};
};

struct RigidMotion {
    std::vector<Joint> joints;  ///< the outermost first
    glm::dmat4 rest{1};         ///< from where the mesh rests into the innermost joint

    /// From where the mesh rests to where it is at a time, seconds.
    [[nodiscard]] glm::dmat4 at(double seconds) const;
    /// The time of the last key, seconds.
    [[nodiscard]] float length() const;
};

}  // namespace tl
