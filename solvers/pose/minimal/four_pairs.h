// The homography of two views from four pairs of points, in closed form.
#pragma once

#include "solvers/pose/minimal/four_point_plane.h"
#include "solvers/pose/view_matrix.h"

namespace tl::motion {

/// Whether three of four points (x, y) are on one line: their triangle is lower than kFlat of its
/// longest side.
TL_HD inline bool three_are_on_a_line(const double* points) {
    constexpr double kFlat = 1e-3;
    for (int left_out = 0; left_out < 4; ++left_out) {
        const double* p[3];
        for (int i = 0, n = 0; i < 4; ++i)
            if (i != left_out) p[n++] = points + 2 * i;
        double longest = 0;  // squared
        for (int i = 0; i < 3; ++i) {
            double x = p[(i + 1) % 3][0] - p[i][0], y = p[(i + 1) % 3][1] - p[i][1];
            longest = fmax(longest, x * x + y * y);
        }
        double area =
            (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[1][1] - p[0][1]) * (p[2][0] - p[0][0]);
        if (!(fabs(area) > kFlat * longest)) return true;
    }
    return false;
}

/// Finds the homography of four pairs x1, y1, x2, y2, with positive third components of all four
/// points. False for degenerate pairs: where three points of a view are on one line, or where the
/// four are not before both cameras, so that the third components differ in sign.
TL_HD inline bool four_pairs(const double* pairs, ViewMatrix& result) {
    double from[8], to[8], columns[9];
    for (int i = 0; i < 4; ++i)
        for (int k = 0; k < 2; ++k) {
            from[2 * i + k] = pairs[4 * i + k];
            to[2 * i + k] = pairs[4 * i + 2 + k];
        }
    if (three_are_on_a_line(from) || three_are_on_a_line(to)) return false;
    if (!homography_of(from, to, columns)) return false;
    int n_positive = 0;
    for (int i = 0; i < 4; ++i)
        n_positive += columns[2] * from[2 * i] + columns[5] * from[2 * i + 1] + columns[8] > 0;
    if (n_positive != 0 && n_positive != 4) return false;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            result.m[3 * i + j] = columns[3 * j + i] * (n_positive == 4 ? 1 : -1);
    normalise_matrix(result.m);
    return true;
}

}  // namespace tl::motion
