// Bounds of lights in a light tree (Conty Estevez & Kulla 2018): their box, cone of emission and
// power.
#pragma once

#include <cmath>
#include <cstdint>

#include "accel/box.h"

namespace tl {

/// Bounds of the emission of lights. Normals are within `cone` of the axis, and light is emitted
/// within `falloff` of a normal.
struct LightBounds {
    Box box;
    vec3 axis{0, 0, 1};     ///< unit
    float cos_cone = 1;     ///< cosine of the angle between the axis and the outermost normal
    float cos_falloff = 0;  ///< cosine of the angle around a normal within which it emits
    float power = 0;        ///< W, the mean of the channels; 0: dark

    /// Bounds of the union of both; where one is dark, those of the other.
    [[nodiscard]] TL_HD static LightBounds united(const LightBounds& a, const LightBounds& b);
};
static_assert(sizeof(LightBounds) == 48);

/// A child of a node of a light tree: the bounds of all lights below. It is three words of 16
/// bytes, each of which a GPU's thread loads at once.
struct alignas(16) LightChild {
    /// Marks a light, in `child`.
    static constexpr std::uint32_t kLeaf = 1u << 31;

    vec3 center;   ///< centre of the sphere around the box
    float radius;  ///< radius of that sphere
    vec3 axis;
    float power;  ///< 0 where there is no child
    float cos_cone, sin_cone, cos_falloff;
    std::uint32_t child;  ///< index of a node; or kLeaf | index of the light

    [[nodiscard]] TL_HD static LightChild of(const LightBounds& b, std::uint32_t child) {
        return {b.box.center(), glm::length(b.box.hi - b.box.lo) / 2,
                b.axis,         b.power,
                b.cos_cone,     sqrtf(fmaxf(0.0f, 1 - b.cos_cone * b.cos_cone)),
                b.cos_falloff,  child};
    }
};
static_assert(sizeof(LightChild) == 48);

/// A node of a light tree: up to four children, as a structure of arrays, so that one SIMD
/// instruction handles all four. A lane without a child has power 0.
struct alignas(64) LightNode {
    static constexpr std::uint32_t kWidth = 4;

    float center[3][kWidth];
    float radius[kWidth];
    float axis[3][kWidth];
    float power[kWidth];
    float cos_cone[kWidth];
    float sin_cone[kWidth];
    float cos_falloff[kWidth];
    std::uint32_t child[kWidth];

    [[nodiscard]] TL_HD LightChild at(std::uint32_t lane) const {
        return {vec3(center[0][lane], center[1][lane], center[2][lane]),
                radius[lane],
                vec3(axis[0][lane], axis[1][lane], axis[2][lane]),
                power[lane],
                cos_cone[lane],
                sin_cone[lane],
                cos_falloff[lane],
                child[lane]};
    }
    TL_HD void set(std::uint32_t lane, const LightChild& to) {
        for (int c = 0; c < 3; ++c) center[c][lane] = to.center[c], axis[c][lane] = to.axis[c];
        radius[lane] = to.radius;
        power[lane] = to.power;
        cos_cone[lane] = to.cos_cone;
        sin_cone[lane] = to.sin_cone;
        cos_falloff[lane] = to.cos_falloff;
        child[lane] = to.child;
    }
};
static_assert(sizeof(LightNode) == 192);

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
