// Tests whether a triangle intersects a box, or two triangles intersect, by separating axes in
// double precision. Touching counts.
#pragma once

#include "accel/box.h"

namespace tl {

using dvec3 = glm::vec<3, double>;

/// A triangle's vertices.
struct TriangleCorners {
    dvec3 at[3];
};

}  // namespace tl

TL_DEVICE_BEGIN

/// Whether an axis separates a triangle from the box of half extents `half` about the origin.
TL_HD inline bool separates_from_box(dvec3 axis, const TriangleCorners& t, dvec3 half) {
    double a = glm::dot(axis, t.at[0]), b = glm::dot(axis, t.at[1]), c = glm::dot(axis, t.at[2]);
    double reach = glm::dot(glm::abs(axis), half);
    return glm::min(a, glm::min(b, c)) > reach || glm::max(a, glm::max(b, c)) < -reach;
}

/// Akenine-Moeller 2001, "Fast 3D triangle-box overlap testing", with 13 axes.
TL_HD inline bool triangle_meets_box(TriangleCorners t, const Box& box) {
    const dvec3 center = (dvec3(box.lo) + dvec3(box.hi)) * 0.5;
    const dvec3 half = (dvec3(box.hi) - dvec3(box.lo)) * 0.5;
    for (auto& corner : t.at) corner -= center;
    const dvec3 edges[3] = {t.at[1] - t.at[0], t.at[2] - t.at[1], t.at[0] - t.at[2]};
    for (int k = 0; k < 3; ++k) {
        dvec3 axis(0);
        axis[k] = 1;
        if (separates_from_box(axis, t, half)) return false;
    }
    if (separates_from_box(glm::cross(edges[0], edges[1]), t, half)) return false;
    for (const auto& edge : edges)
        for (int k = 0; k < 3; ++k) {
            dvec3 axis(0);
            axis[k] = 1;
            if (separates_from_box(glm::cross(axis, edge), t, half)) return false;
        }
    return true;
}

/// Whether an axis separates two triangles.
TL_HD inline bool separates(dvec3 axis, const TriangleCorners& s, const TriangleCorners& t) {
    double a[3], b[3];
    for (int k = 0; k < 3; ++k) {
        a[k] = glm::dot(axis, s.at[k]);
        b[k] = glm::dot(axis, t.at[k]);
    }
    return glm::max(a[0], glm::max(a[1], a[2])) < glm::min(b[0], glm::min(b[1], b[2])) ||
           glm::max(b[0], glm::max(b[1], b[2])) < glm::min(a[0], glm::min(a[1], a[2]));
}

/// Whether two triangles intersect; false if one has no area.
TL_HD inline bool triangles_meet(TriangleCorners s, TriangleCorners t) {
    const dvec3 origin = s.at[0];
    for (int k = 0; k < 3; ++k) {
        s.at[k] -= origin;
        t.at[k] -= origin;
    }
    const dvec3 s_edges[3] = {s.at[1], s.at[2] - s.at[1], -s.at[2]};
    const dvec3 t_edges[3] = {t.at[1] - t.at[0], t.at[2] - t.at[1], t.at[0] - t.at[2]};
    const dvec3 s_normal = glm::cross(s_edges[0], s_edges[1]);
    const dvec3 t_normal = glm::cross(t_edges[0], t_edges[1]);
    if (s_normal == dvec3(0) || t_normal == dvec3(0)) return false;
    if (separates(s_normal, s, t) || separates(t_normal, s, t)) return false;
    for (const auto& s_edge : s_edges)
        for (const auto& t_edge : t_edges)
            if (separates(glm::cross(s_edge, t_edge), s, t)) return false;
    for (int k = 0; k < 3; ++k)
        if (separates(glm::cross(s_normal, s_edges[k]), s, t) ||
            separates(glm::cross(t_normal, t_edges[k]), s, t))
            return false;
    return true;
}

TL_DEVICE_END
