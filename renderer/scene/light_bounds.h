// What a light tree knows of its lights: where light comes from, where it goes and how much it is.
#pragma once

#include <cmath>
#include <cstdint>

#include "accel/box.h"

namespace tl {

/// Where light comes from and where it goes: directions within `cone` of the axis, and within
/// `falloff` more of one of those.
struct LightBounds {
    Box box;
    vec3 axis{0, 0, 1};     ///< unit
    float cos_cone = 1;     ///< cosine of the angle between the axis and the outermost normal
    float cos_falloff = 0;  ///< cosine of the angle around a normal within which it emits
    float power = 0;        ///< W, the mean of the channels; 0: dark

    /// Bounds of both; where one is dark those of the other.
    [[nodiscard]] TL_HD static LightBounds united(const LightBounds& a, const LightBounds& b);
};
static_assert(sizeof(LightBounds) == 48);

/// A node: bounds of all its lights.
struct alignas(16) LightNode {
    /// Marks a leaf, in `child`.
    static constexpr std::uint32_t kLeaf = 1u << 31;

    vec3 center;   ///< of the sphere around the box,
    float radius;  ///< and its radius
    vec3 axis;
    float power;
    float cos_cone;
    float sin_cone;
    float cos_falloff;
    std::uint32_t child;  ///< the first of two that lie together; or kLeaf | the light's index

    [[nodiscard]] TL_HD static LightNode of(const LightBounds& b, std::uint32_t child) {
        float sin_cone = sqrtf(fmaxf(0.0f, 1 - b.cos_cone * b.cos_cone));
        return {b.box.center(), glm::length(b.box.hi - b.box.lo) / 2,
                b.axis,         b.power,
                b.cos_cone,     sin_cone,
                b.cos_falloff,  child};
    }
};
static_assert(sizeof(LightNode) == 48);

/// The angle of a cosine that may be rounded beyond 1.
TL_HD inline double angle_of_cosine(float cosine) {
    return acos(fmin(fmax(static_cast<double>(cosine), -1.0), 1.0));
}

/// The smallest cone, about, that holds both: its axis and the cosine of its half angle.
TL_HD inline void unite_cones(vec3 axis_a, float cos_a, vec3 axis_b, float cos_b, vec3& axis,
                              float& cosine) {
    constexpr double kPiD = 3.14159265358979323846;
    double a = angle_of_cosine(cos_a), b = angle_of_cosine(cos_b);
    double between = angle_of_cosine(glm::dot(axis_a, axis_b));
    axis = axis_a, cosine = cos_a;
    if (fmin(between + b, kPiD) <= a) return;
    axis = axis_b, cosine = cos_b;
    if (fmin(between + a, kPiD) <= b) return;
    double half = (a + between + b) / 2;
    vec3 pivot = glm::cross(axis_a, axis_b);
    axis = axis_a, cosine = -1;
    if (half >= kPiD || !(glm::length(pivot) > 0)) return;
    // The new axis lies between both, half - a away from the first.
    vec3 side = glm::normalize(glm::cross(glm::normalize(pivot), axis_a));
    double turn = half - a;
    axis = glm::normalize(static_cast<float>(cos(turn)) * axis_a +
                          static_cast<float>(sin(turn)) * side);
    cosine = static_cast<float>(cos(half));
}

TL_HD inline LightBounds LightBounds::united(const LightBounds& a, const LightBounds& b) {
    if (!(b.power > 0)) return a;
    if (!(a.power > 0)) return b;
    LightBounds both;
    both.box = a.box;
    both.box.extend(b.box);
    unite_cones(a.axis, a.cos_cone, b.axis, b.cos_cone, both.axis, both.cos_cone);
    both.cos_falloff = fminf(a.cos_falloff, b.cos_falloff);
    both.power = a.power + b.power;
    return both;
}

}  // namespace tl
