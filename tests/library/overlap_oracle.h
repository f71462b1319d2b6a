// Overlaps of triangles and boxes by separating axes, in double precision.
#pragma once

#include <utility>

#include "tests/library/tree_oracle.h"

namespace tl::test {

inline constexpr double kFar = std::numeric_limits<double>::infinity();

/// Whether two convex sets of corners are apart, by a separating axis among many: those of edges
/// and normals. Points of both sets must have been made by the same rounding.
inline bool are_apart(const std::vector<Point>& a, const std::vector<Point>& b,
                      const std::vector<Point>& axes) {
    for (const Point& axis : axes) {
        double lo_a = kFar, hi_a = -kFar, lo_b = kFar, hi_b = -kFar;
        for (const Point& p : a) {
            lo_a = std::min(lo_a, dot(axis, p));
            hi_a = std::max(hi_a, dot(axis, p));
        }
        for (const Point& p : b) {
            lo_b = std::min(lo_b, dot(axis, p));
            hi_b = std::max(hi_b, dot(axis, p));
        }
        if (lo_a > hi_b || lo_b > hi_a) return true;
    }
    return false;
}
inline std::vector<Point> edges_of(const Corners& t) {
    return {minus(t.b, t.a), minus(t.c, t.b), minus(t.a, t.c)};
}
/// The least and greatest coordinate along an axis.
inline std::pair<double, double> extent_of(const Corners& t, std::size_t axis) {
    return std::minmax({t.a[axis], t.b[axis], t.c[axis]});
}
inline bool triangles_meet(const Corners& s, const Corners& t) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto [s_lo, s_hi] = extent_of(s, axis);
        const auto [t_lo, t_hi] = extent_of(t, axis);
        if (s_lo > t_hi || t_lo > s_hi) return false;
    }
    std::vector<Point> axes;
    const auto s_edges = edges_of(s), t_edges = edges_of(t);
    const Point s_normal = cross(s_edges[0], s_edges[1]), t_normal = cross(t_edges[0], t_edges[1]);
    if (length(s_normal) == 0 || length(t_normal) == 0) return false;
    axes = {s_normal, t_normal};
    for (const auto& e : s_edges)
        for (const auto& f : t_edges) axes.push_back(cross(e, f));
    for (const auto& e : s_edges) axes.push_back(cross(s_normal, e));
    for (const auto& f : t_edges) axes.push_back(cross(t_normal, f));
    return !are_apart({s.a, s.b, s.c}, {t.a, t.b, t.c}, axes);
}
inline bool meets_box(const Corners& t, const Point& lo, const Point& hi) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto [t_lo, t_hi] = extent_of(t, axis);
        if (t_lo > hi[axis] || lo[axis] > t_hi) return false;
    }
    std::vector<Point> axes{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, box;
    const auto edges = edges_of(t);
    axes.push_back(cross(edges[0], edges[1]));
    for (const auto& e : edges)
        for (int k = 0; k < 3; ++k) axes.push_back(cross(axes[static_cast<std::size_t>(k)], e));
    for (int k = 0; k < 8; ++k)
        box.push_back({k & 1 ? hi[0] : lo[0], k & 2 ? hi[1] : lo[1], k & 4 ? hi[2] : lo[2]});
    return !are_apart({t.a, t.b, t.c}, box, axes);
}

}  // namespace tl::test
