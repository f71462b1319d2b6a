// The point of a triangle, a box or a sphere that is closest to a point.
#pragma once

#include "accel/query/shapes.h"

TL_DEVICE_BEGIN

/// Barycentric coordinates of vertices 1 and 2.
template <class Real>
struct Barycentric {
    Real u = 0, v = 0;
};

/// Returns where on the triangle's edges the closest point to the origin is.
template <class Real>
TL_HD inline Barycentric<Real> closest_on_edges(glm::vec<3, Real> a, glm::vec<3, Real> e1,
                                                glm::vec<3, Real> e2) {
    auto on = [](glm::vec<3, Real> from, glm::vec<3, Real> edge) {
        Real square = glm::dot(edge, edge), t = -glm::dot(from, edge);
        return !(t > 0) ? Real(0) : t >= square ? Real(1) : t / square;
    };
    auto square = [&](Real u, Real v) {
        auto p = a + e1 * u + e2 * v;
        return glm::dot(p, p);
    };
    Real t1 = on(a, e1), t2 = on(a, e2), t3 = on(a + e1, e2 - e1);
    Real s1 = square(t1, 0), s2 = square(0, t2), s3 = square(1 - t3, t3);
    if (s1 <= s2 && s1 <= s3) return {t1, 0};
    if (s2 <= s3) return {0, t2};
    return {1 - t3, t3};
}

/// Returns where on the triangle a, a + e1, a + e2 the closest point to the origin is (Ericson
/// 2005, "Real-Time Collision Detection", section 5.1.5).
template <class Real>
TL_HD inline Barycentric<Real> closest_on_triangle(glm::vec<3, Real> a, glm::vec<3, Real> e1,
                                                   glm::vec<3, Real> e2) {
    constexpr Real zero = 0, one = 1;
    const Real d1 = -glm::dot(e1, a), d2 = -glm::dot(e2, a);
    if (d1 <= 0 && d2 <= 0) return {zero, zero};
    const Real e11 = glm::dot(e1, e1), e12 = glm::dot(e1, e2), e22 = glm::dot(e2, e2);
    const Real d3 = d1 - e11, d4 = d2 - e12;  // from vertex 1
    if (d3 >= 0 && d4 <= d3) return {one, zero};
    const Real d5 = d1 - e12, d6 = d2 - e22;  // from vertex 2
    if (d6 >= 0 && d5 <= d6) return {zero, one};
    // The test compares the square of the sine between the edges: rounding that hides the area
    // also hides the signs below.
    constexpr Real kSliver = sizeof(Real) == sizeof(float) ? Real(1e-3) : Real(1e-13);
    const Real area = e11 * e22 - e12 * e12;
    if (!(area > kSliver * e11 * e22)) {
        const auto on_edge = closest_on_edges(a, e1, e2);
        const Real u = (e22 * d1 - e12 * d2) / area, v = (e11 * d2 - e12 * d1) / area;
        auto square = [&](Real s, Real t) {
            auto p = a + e1 * s + e2 * t;
            return glm::dot(p, p);
        };
        if (!(u >= 0 && v >= 0 && u + v <= 1)) return on_edge;
        if (!(square(u, v) < square(on_edge.u, on_edge.v))) return on_edge;
        return {u, v};
    }
    const Real vc = d1 * d4 - d3 * d2;
    if (vc <= 0 && d1 >= 0 && d3 <= 0) return {d1 / (d1 - d3), zero};
    const Real vb = d5 * d2 - d1 * d6;
    if (vb <= 0 && d2 >= 0 && d6 <= 0) return {zero, d2 / (d2 - d6)};
    const Real va = d3 * d6 - d5 * d4;
    if (va <= 0 && d4 >= d3 && d5 >= d6) {
        const Real w = (d4 - d3) / (d4 - d3 + (d5 - d6));
        return {one - w, w};
    }
    const Real inverse = one / (va + vb + vc);
    return {vb * inverse, vc * inverse};
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
