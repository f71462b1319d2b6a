// A ray as two planes: shears that map its direction to a coordinate axis turn a patch into two
// bicubic functions that are zero at intersections with the ray (Kajiya 1982 with the planes of
// Woop et al. 2013, "Watertight ray/triangle intersection"). A third function is the position along
// the axis.
#pragma once

#include "accel/patch/bernstein.h"
#include "accel/patch/patches.h"

TL_DEVICE_BEGIN

/// Signed distances of a patch from the two planes of a ray, and its position along the ray's axis;
/// for rational patches all multiplied by the weight.
template <class Real>
struct RayNets {
    Net<Real> a, b, way;
};

/// The two planes of a ray. `axis` is the largest component of its direction.
template <class Real>
struct RayPlanes {
    int axis;
    Real origin[3];  ///< in the order axis + 1, axis + 2, axis
    Real slope_a, slope_b;
    Real speed;  ///< along the axis

    RayPlanes() = default;
    TL_HD RayPlanes(vec3 from, vec3 direction) {
        vec3 size = glm::abs(direction);
        axis = size.x > size.y ? (size.x > size.z ? 0 : 2) : (size.y > size.z ? 1 : 2);
        int next = axis_a(), last = axis_b();
        speed = Real(direction[axis]);
        slope_a = Real(direction[next]) / speed;
        slope_b = Real(direction[last]) / speed;
        origin[0] = Real(from[next]);
        origin[1] = Real(from[last]);
        origin[2] = Real(from[axis]);
    }
    [[nodiscard]] TL_HD int axis_a() const { return axis == 2 ? 0 : axis + 1; }
    [[nodiscard]] TL_HD int axis_b() const { return axis == 0 ? 2 : axis - 1; }
    /// A patch's coordinates along the k-th axis, in the order of `origin`.
    [[nodiscard]] TL_HD const float* coordinate(const PatchPoints& points, int k) const {
        return points.of_axis[k == 0 ? axis_a() : k == 1 ? axis_b() : axis];
    }

    [[nodiscard]] TL_HD RayNets<Real> nets(const PatchPoints& points,
                                           const PatchWeights* weights) const {
        RayNets<Real> n;
        const float* pa = coordinate(points, 0);
        const float* pb = coordinate(points, 1);
        const float* pw = coordinate(points, 2);
        for (int k = 0; k < PatchPoints::kCount; ++k) {
            Real w = weights ? Real(weights->at[k]) : Real(1);
            Real way = Real(pw[k]) - origin[2] * w;
            n.way.at[k] = way;
            n.a.at[k] = (Real(pa[k]) - origin[0] * w) - slope_a * way;
            n.b.at[k] = (Real(pb[k]) - origin[1] * w) - slope_b * way;
        }
        return n;
    }
};

TL_DEVICE_END
