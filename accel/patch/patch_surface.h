// The surface of a patch at (u, v): position, derivatives and exact normals, even where an edge is
// collapsed to a point.
#pragma once

#include "accel/patch/bernstein.h"
#include "accel/patch/patches.h"

TL_DEVICE_BEGIN

struct PatchSurface {
    vec3 position;
    vec3 du, dv;  ///< derivatives by u and v
    vec3 normal;  ///< unit, along du x dv; zero if undefined, as on a single point
};

/// Value and derivatives of one coordinate or of the weight.
struct BicubicValue {
    float value, du, dv, duv;
};

TL_HD inline BicubicValue evaluate_bicubic(const float* at, float u, float v) {
    CubicBasis<float> bu(u), bv(v);
    CubicSlopes<float> su(u), sv(v);
    BicubicValue r{0, 0, 0, 0};
    for (int i = 0; i < 4; ++i) {
        const float* row = at + 4 * i;
        // Differences come first: exact where control points coincide, as at collapsed edges.
        float slope = 3 * ((1 - v) * (1 - v) * (row[1] - row[0]) +
                           2 * v * (1 - v) * (row[2] - row[1]) + v * v * (row[3] - row[2]));
        float along = 0;
        for (int j = 0; j < 4; ++j) along += bv.of[j] * row[j];
        r.value += bu.of[i] * along;
        r.dv += bu.of[i] * slope;
    }
    for (int i = 0; i < 3; ++i) {
        float weight = i == 0 ? (1 - u) * (1 - u) : i == 1 ? 2 * u * (1 - u) : u * u;
        float difference = 0, slope = 0;
        for (int j = 0; j < 4; ++j) {
            float step = at[4 * i + 4 + j] - at[4 * i + j];
            difference += bv.of[j] * step;
            slope += sv.of[j] * step;
        }
        r.du += 3 * weight * difference;
        r.duv += 3 * weight * slope;
    }
    return r;
}

/// The surface without its normal; `duv` is the mixed derivative.
TL_HD inline PatchSurface evaluate_patch(const PatchPoints& points, const PatchWeights* weights,
                                         float u, float v, vec3& duv) {
    PatchSurface s;
    for (int axis = 0; axis < 3; ++axis) {
        BicubicValue value = evaluate_bicubic(points.of_axis[axis], u, v);
        s.position[axis] = value.value;
        s.du[axis] = value.du;
        s.dv[axis] = value.dv;
        duv[axis] = value.duv;
    }
    s.normal = vec3(0);
    if (!weights) return s;
    // The quotient rule for the coordinates, which are multiplied by the weight.
    BicubicValue w = evaluate_bicubic(weights->at, u, v);
    s.position /= w.value;
    s.du = (s.du - w.du * s.position) / w.value;
    s.dv = (s.dv - w.dv * s.position) / w.value;
    duv = (duv - w.du * s.dv - w.dv * s.du - w.duv * s.position) / w.value;
    return s;
}

/// The normal where a derivative vanishes, as along a collapsed edge. The limit of the derivative
/// is the mixed derivative, up to its length; the sign makes it point into the patch.
TL_HD inline vec3 limit_normal(const PatchSurface& s, vec3 duv, float u, float v) {
    constexpr float kVanishing = 1e-6f;  // relative to the other derivatives
    float size = glm::dot(s.du, s.du) + glm::dot(s.dv, s.dv) + glm::dot(duv, duv);
    vec3 along_u = s.du, along_v = s.dv;
    if (glm::dot(s.du, s.du) <= kVanishing * kVanishing * size) along_u = v < 0.5f ? duv : -duv;
    if (glm::dot(s.dv, s.dv) <= kVanishing * kVanishing * size) along_v = u < 0.5f ? duv : -duv;
    vec3 normal = glm::cross(along_u, along_v);
    float length = glm::length(normal);
    return length > kVanishing * size ? normal / length : vec3(0);
}

/// The surface with its normal. Where the limit vanishes as well, as at a point where two edges
/// collapse, the normal is that of the nearest point towards the middle that has one.
TL_HD TL_NO_INLINE inline PatchSurface patch_surface_at(const PatchPoints& points,
                                                        const PatchWeights* weights, float u,
                                                        float v) {
    vec3 duv;
    PatchSurface s = evaluate_patch(points, weights, u, v, duv);
    s.normal = limit_normal(s, duv, u, v);
    for (float step = 0x1p-10f; step < 0.5f && s.normal == vec3(0); step *= 4) {
        float nu = u + step * (0.5f - u), nv = v + step * (0.5f - v);
        PatchSurface near = evaluate_patch(points, weights, nu, nv, duv);
        s.normal = limit_normal(near, duv, nu, nv);
    }
    return s;
}

TL_DEVICE_END
