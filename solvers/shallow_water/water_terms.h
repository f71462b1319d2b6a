// The terms of the momentum equation at one face, and the depths and flows of faces: formulas that
// all modes share, for whichever direction a system runs along (Brodtkorb 2007, equations 5.2 to
// 5.6). Only files compiled for a device include this header.
#pragma once

#include <cmath>
#include <cstdint>

#include "core/base/macros.h"
#include "solvers/shallow_water/water_lines.h"

TL_DEVICE_BEGIN

/// Terms of a face of a line: the new velocity is r (e - kappa (z_right - z_left)), and a is the
/// weight of such a difference in the system.
struct FaceTerms {
    double a = 0, e = 0, r = 0;
};

/// Water that is less deep does not flow, m: a quotient by its depth might not be finite.
inline constexpr double kDryDepth = 1e-9;

/// The wind moves shallower water as if it had this depth, m.
inline constexpr double kLeastWindDepth = 0.05;

TL_HD inline double larger(double a, double b) {
    return a > b ? a : b;
}
TL_HD inline double smaller(double a, double b) {
    return a < b ? a : b;
}

/// The same; NaN if either is.
TL_HD inline double larger_or_nan(double a, double b) {
    return a > b || a != a ? a : b;
}

/// Depth of the water on a face between two cells; 0 where the bed of either is above the water of
/// both. `flow` > 0: from left to right.
TL_HD inline double face_depth(Advection advection, double zl, double zr, double bl, double br,
                               double flow) {
    double sill = larger(bl, br), top = larger(zl, zr);
    bool wet = smaller(zl, zr) > sill;
    double before = flow > 0 ? zl : flow < 0 ? zr : top;
    double mean = 0.5 * ((zl - bl) + (zr - br));
    double inside = advection == Advection::momentum ? before - sill : mean;
    return wet ? inside : larger(0.0, top - sill);
}

/// Flow across at the face between line t - 1 and line t, for t in [0, m]. kInside: 0 < t < m.
template <bool kInside = false>
TL_HD TL_ALWAYS_INLINE double flow_across(const WaterLines& l, int s, int t) {
    int before = t - 1, after = t;
    if (!kInside) {
        bool wraps = l.border_across == WaterBorder::periodic;
        before = t > 0 ? t - 1 : wraps ? l.m - 1 : 0;
        after = t < l.m ? t : wraps ? 0 : l.m - 1;
    }
    int p = l.cell(s, before), q = l.cell(s, after);
    double c = l.c[l.cell(s, t)];
    return c * face_depth(l.advection, l.z[p], l.z[q], l.bed[p], l.bed[q], c);
}

/// The cells beside face s: the same one twice at a border that is not periodic.
struct CellPair {
    int left, right;
};
TL_HD inline CellPair cells_of_face(const WaterLines& l, int s) {
    bool wraps = l.border == WaterBorder::periodic;
    return {s > 0 ? s - 1 : wraps ? l.n - 1 : 0, s < l.n ? s : wraps ? 0 : l.n - 1};
}

/// Flow along through face s.
TL_HD inline double flow_along(const WaterLines& l, int s, int t) {
    auto [sl, sr] = cells_of_face(l, s);
    int p = l.cell(sl, t), q = l.cell(sr, t);
    double w = l.w[l.cell(s, t)];
    return w * face_depth(l.advection, l.z[p], l.z[q], l.bed[p], l.bed[q], w);
}

/// The velocity along, one step ago, of a particle that is at face s now: back in a straight line,
/// bilinear between faces.
TL_HD inline double carried_velocity(const WaterLines& l, int s, int t, double w, double c) {
    double x = s - w * l.courant, y = t - c * l.courant_across;
    if (l.border == WaterBorder::periodic) x -= l.n * floor(x / l.n);
    if (l.border_across == WaterBorder::periodic) y -= l.m * floor(y / l.m);
    bool wraps = l.border_across == WaterBorder::periodic;
    x = smaller(larger(x, 0.0), double(l.n));
    y = smaller(larger(y, 0.0), wraps ? double(l.m) : double(l.m - 1));
    int i = static_cast<int>(x), j = static_cast<int>(y);
    i = i < l.n ? i : l.n - 1;
    j = j < l.m ? j : l.m - 1;
    double fx = x - i, fy = y - j;
    int next = j + 1 < l.m ? j + 1 : wraps ? 0 : j;
    const double *p = l.w + l.cell(i, j), *q = l.w + l.cell(i, next);
    double low = p[0] + fx * (p[l.step] - p[0]), high = q[0] + fx * (q[l.step] - q[0]);
    return low + fy * (high - low);
}

/// The velocity along, one step later, that keeps momentum: upwind differences, weighted by the
/// flows into the face's half cells, of mean depth `depth` (Stelling & Duinmeijer 2003, equations
/// 15 to 19).
TL_HD inline double kept_velocity(const WaterLines& l, int s, int t, CellPair cells, double depth,
                                  double w) {
    bool around = l.border == WaterBorder::periodic;
    bool wraps = l.border_across == WaterBorder::periodic;
    int before = s > 0 ? s - 1 : around ? l.n - 1 : 0;
    int after = s < l.n ? s + 1 : around ? 1 : l.n;
    double here = flow_along(l, s, t);
    double in_left = 0.5 * (flow_along(l, before, t) + here);
    double in_right = 0.5 * (here + flow_along(l, after, t));
    double below = 0.5 * (flow_across(l, cells.left, t) + flow_across(l, cells.right, t));
    double above = 0.5 * (flow_across(l, cells.left, t + 1) + flow_across(l, cells.right, t + 1));
    int lower = t > 0 ? t - 1 : wraps ? l.m - 1 : 0, upper = t + 1 < l.m ? t + 1 : wraps ? 0 : t;
    // Weights of the neighbouring values; at the thin front of a wave on dry land they may add up
    // to more than 1.
    double over = 1 / depth, along = l.courant * over, across = l.courant_across * over;
    double from_left = larger(in_left, 0.0) * along;
    double from_right = larger(-in_right, 0.0) * along;
    double from_below = larger(below, 0.0) * across;
    double from_above = larger(-above, 0.0) * across;
    double change =
        from_left * (l.w[l.cell(before, t)] - w) + from_right * (l.w[l.cell(after, t)] - w) +
        from_below * (l.w[l.cell(s, lower)] - w) + from_above * (l.w[l.cell(s, upper)] - w);
    return w + change / larger(1.0, from_left + from_right + from_below + from_above);
}

/// The terms of a face at a border where waves leave: their velocity goes with the level above that
/// of rest.
TL_HD inline FaceTerms open_face(const WaterLines& l, int cell) {
    double depth = l.z[cell] - l.bed[cell];
    if (!(depth > kDryDepth)) return {};
    double r = std::sqrt(l.g / depth) * l.over_kappa;
    return {l.weight * depth * r, 0, r};
}

/// Factor of a velocity by friction where the water has this depth.
TL_HD inline double resistance(const WaterLines& l, double depth, double w, double c) {
    return l.friction > 0 ? depth / (depth + l.friction * std::sqrt(w * w + c * c)) : 1;
}
/// Velocity that the wind adds.
TL_HD inline double wind_push(const WaterLines& l, double depth) {
    return l.wind != 0 ? l.wind / larger(depth, kLeastWindDepth) : 0;
}

/// The terms of face s of line t. `advection` is that of the lines, for loops that know it.
/// kInside: 0 < s < n, which spares loops the borders.
template <bool kInside>
TL_HD TL_ALWAYS_INLINE FaceTerms face_terms(const WaterLines& l, Advection advection, int s,
                                            int t) {
    CellPair cells{s - 1, s};
    if (!kInside && (s == 0 || s == l.n)) {
        if (l.border == WaterBorder::wall) return {};
        cells = cells_of_face(l, s);
        if (l.border == WaterBorder::open) return open_face(l, l.cell(cells.left, t));
    }
    int p = l.cell(cells.left, t), q = l.cell(cells.right, t);
    double zl = l.z[p], zr = l.z[q], bl = l.bed[p], br = l.bed[q];
    double w = l.w[l.cell(s, t)];
    double depth = face_depth(advection, zl, zr, bl, br, w);
    double c = 0.25 * (l.c[p] + l.c[p + l.across] + l.c[q] + l.c[q + l.across]);
    bool dry = !(depth > kDryDepth);
    double e = w;
    if (advection == Advection::streamline) e = carried_velocity(l, s, t, w, c);
    if (advection == Advection::momentum) {
        double mean = 0.5 * ((zl - bl) + (zr - br));
        e = dry ? w : kept_velocity(l, s, t, cells, larger(mean, 0.5 * depth), w);
    }
    e -= l.pull_before * (l.z_before[q] - l.z_before[p]);
    e += wind_push(l, depth);
    double r = dry ? 0 : resistance(l, depth, w, c);
    return {l.weight * depth * r, dry ? 0 : e, r};
}

/// Level of cell s of line t without the flow along: its old level, rain, and the flow across.
/// kInside: 0 < t < m - 1.
template <bool kInside = false>
TL_HD TL_ALWAYS_INLINE double level_without_flow(const WaterLines& l, int s, int t) {
    double out = flow_across<kInside>(l, s, t + 1) - flow_across<kInside>(l, s, t);
    return l.z[l.cell(s, t)] + l.rain - l.drop_across * out;
}

TL_DEVICE_END
