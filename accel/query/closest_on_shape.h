// The point of a triangle, a box or a sphere that is closest to a point.
#pragma once

#include "accel/query/shapes.h"

TL_DEVICE_BEGIN

/// Barycentric coordinates of vertices 1 and 2.
template <class Real>
struct Barycentric {
    Real u = 0, v = 0;
};

/// Returns the point closest to the origin of the triangle a, a + e1, a + e2 (Ericson 2005,
/// "Real-Time Collision Detection", section 5.1.5). Triangles without an area, and slivers whose
/// area is lost to rounding, are taken for their three edges.
template <class Real>
TL_HD inline Barycentric<Real> closest_on_triangle(glm::vec<3, Real> a, glm::vec<3, Real> e1,
                                                   glm::vec<3, Real> e2) {
    constexpr Real zero = 0, one = 1;
    auto ratio = [](Real n, Real d) { return d > 0 ? n / d : Real(0); };
    Real d1 = -glm::dot(e1, a), d2 = -glm::dot(e2, a);
    if (d1 <= 0 && d2 <= 0) return {zero, zero};
    Real e11 = glm::dot(e1, e1), e12 = glm::dot(e1, e2), e22 = glm::dot(e2, e2);
    Real d3 = d1 - e11, d4 = d2 - e12;  // from vertex 1
    if (d3 >= 0 && d4 <= d3) return {one, zero};
    Real d5 = d1 - e12, d6 = d2 - e22;  // from vertex 2
    if (d6 >= 0 && d5 <= d6) return {zero, one};
    Real vc = d1 * d4 - d3 * d2;
    if (vc <= 0 && d1 >= 0 && d3 <= 0) return {ratio(d1, d1 - d3), zero};
    Real vb = d5 * d2 - d1 * d6;
    if (vb <= 0 && d2 >= 0 && d6 <= 0) return {zero, ratio(d2, d2 - d6)};
    Real va = d3 * d6 - d5 * d4;
    if (va <= 0 && d4 - d3 >= 0 && d5 - d6 >= 0) {
        Real w = ratio(d4 - d3, d4 - d3 + (d5 - d6));
        return {one - w, w};
    }
    Real sum = va + vb + vc;
    constexpr Real kSliver = sizeof(Real) == 4 ? Real(1e-4) : Real(1e-13);
    if (sum > kSliver * e11 * e22) return {vb / sum, vc / sum};
    // The closest of the three edges' closest points.
    auto clamped = [](Real t) { return t < 0 ? Real(0) : t > 1 ? Real(1) : t; };
    auto square = [&](Real u, Real v) {
        auto p = a + e1 * u + e2 * v;
        return glm::dot(p, p);
    };
    Real on1 = clamped(ratio(d1, e11)), on2 = clamped(ratio(d2, e22));
    Real on3 = clamped(ratio(d4 - d3, d4 - d3 + (d5 - d6)));
    Real s1 = square(on1, zero), s2 = square(zero, on2), s3 = square(one - on3, on3);
    if (s1 <= s2 && s1 <= s3) return {on1, zero};
    if (s2 <= s3) return {zero, on2};
    return {one - on3, on3};
}

/// Returns the vector from `p` to the closest point of a shape. Sets the barycentric coordinates of
/// a triangle.
template <class Real>
TL_HD inline glm::vec<3, Real> to_closest_on(ShapeKind kind, const Primitive& shape, vec3 p,
                                             Barycentric<Real>& at) {
    using Vec = glm::vec<3, Real>;
    const Vec vertex = Vec(shape.vertex) - Vec(p);
    if (kind == ShapeKind::triangles) {
        Vec e1(shape.edge1), e2(shape.edge2);
        if (shape.kind == Primitive::kWatertightTriangle) {
            e1 -= Vec(shape.vertex);
            e2 -= Vec(shape.vertex);
        }
        at = closest_on_triangle<Real>(vertex, e1, e2);
        return vertex + e1 * at.u + e2 * at.v;
    }
    if (kind == ShapeKind::boxes) {
        Vec upper = Vec(shape.edge1) - Vec(p);
        return glm::max(vertex, glm::min(Vec(0), upper));
    }
    Real radius = shape.edge1.x, distance = glm::length(vertex);
    if (distance == 0) return Vec(radius, 0, 0);
    return vertex * ((distance - radius) / distance);
}

TL_DEVICE_END
