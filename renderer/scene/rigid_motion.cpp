#include "renderer/scene/rigid_motion.h"

#include <algorithm>
#include <cmath>
#include <glm/gtc/matrix_transform.hpp>

namespace tl {
namespace {

using glm::dmat4;
using glm::dquat;
using glm::dvec3;

dvec3 between(dvec3 a, dvec3 b, double t) {
    return glm::mix(a, b, t);
}
dquat between(dquat a, dquat b, double t) {
    return glm::slerp(a, b, t);
}
dvec3 proper(dvec3 v) {
    return v;
}
dquat proper(dquat q) {
    return glm::normalize(q);
}

/// The track's value at a time; `Wide` is its type in double precision.
template <class Wide, class T>
Wide sample(const Track<T>& track, double time, Wide otherwise) {
    if (track.times.empty()) return otherwise;
    std::size_t per_key = track.interpolation == Interpolation::cubic ? 3 : 1, middle = per_key / 2;
    auto value = [&](std::size_t key, std::size_t part) {
        return Wide(track.values[key * per_key + part]);
    };
    auto after = std::ranges::upper_bound(track.times, static_cast<float>(time));
    auto next = static_cast<std::size_t>(after - track.times.begin());
    if (next == 0) return value(0, middle);
    std::size_t key = next - 1;
    if (next == track.times.size() || track.interpolation == Interpolation::step)
        return value(key, middle);
    double length = double(track.times[next]) - double(track.times[key]);
    double t = std::clamp((time - double(track.times[key])) / length, 0.0, 1.0);
    if (track.interpolation == Interpolation::linear)
        return between(value(key, middle), value(next, middle), t);
    double t2 = t * t, t3 = t2 * t;
    return proper(value(key, 1) * (2 * t3 - 3 * t2 + 1) +
                  value(key, 2) * (length * (t3 - 2 * t2 + t)) +
                  value(next, 1) * (3 * t2 - 2 * t3) + value(next, 0) * (length * (t3 - t2)));
}

}  // namespace

dmat4 RigidMotion::at(double seconds) const {
    dmat4 m(1);
    for (auto& joint : joints) {
        m *= joint.placement;
        m = glm::translate(m, sample(joint.translation, seconds, dvec3(0)));
        m *= glm::mat4_cast(sample(joint.rotation, seconds, dquat(1, 0, 0, 0)));
        m = glm::scale(m, sample(joint.scale, seconds, dvec3(1)));
    }
    return m * rest;
}

float RigidMotion::length() const {
    float last = 0;
    for (auto& joint : joints)
        for (auto* times : {&joint.translation.times, &joint.rotation.times, &joint.scale.times})
            if (!times->empty()) last = std::max(last, times->back());
    return last;
}

}  // namespace tl
