// Matrices between two uncalibrated views: homographies and fundamental matrices.
#pragma once

#include <cmath>

#include "core/base/macros.h"

namespace tl {

/// A 3 x 3 matrix that relates the points x1 and x2 of two views, row by row, of Frobenius norm 1.
/// Homography: x2 is at H x1, with a positive third component. Fundamental matrix: x2' F x1 = 0.
struct ViewMatrix {
    double m[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
};

/// Shift and scale of the points of two views, each x' = (x - center) / scale.
struct ViewScaling {
    double center[4] = {0, 0, 0, 0};  ///< x1, y1, x2, y2
    double scale[2] = {1, 1};         ///< one for each view
};

namespace motion {

/// Scales a matrix to Frobenius norm 1.
TL_HD inline void normalise_matrix(double* m) {
    double squares = 0;
    for (int i = 0; i < 9; ++i) squares += m[i] * m[i];
    double factor = squares > 0 ? 1 / sqrt(squares) : 0;
    for (int i = 0; i < 9; ++i) m[i] *= factor;
}

/// M T1, where T1 shifts and scales the points of the first view.
TL_HD inline void after_first_scaling(const double* m, const ViewScaling& by, double* result) {
    for (int i = 0; i < 3; ++i) {
        const double* row = m + 3 * i;
        result[3 * i] = row[0] / by.scale[0];
        result[3 * i + 1] = row[1] / by.scale[0];
        result[3 * i + 2] = row[2] - (row[0] * by.center[0] + row[1] * by.center[1]) / by.scale[0];
    }
}
/// The homography between points before scaling, from that between scaled points.
TL_HD inline ViewMatrix unscaled_homography(const ViewMatrix& scaled, const ViewScaling& by) {
    ViewMatrix result;
    double* h = result.m;
    after_first_scaling(scaled.m, by, h);
    for (int j = 0; j < 3; ++j)
        for (int i = 0; i < 2; ++i)
            h[3 * i + j] = by.scale[1] * h[3 * i + j] + by.center[2 + i] * h[6 + j];
    normalise_matrix(h);
    return result;
}
/// The fundamental matrix between points before scaling, from that between scaled points.
TL_HD inline ViewMatrix unscaled_fundamental(const ViewMatrix& scaled, const ViewScaling& by) {
    ViewMatrix result;
    double* f = result.m;
    after_first_scaling(scaled.m, by, f);
    for (int j = 0; j < 3; ++j) {
        f[j] /= by.scale[1];
        f[3 + j] /= by.scale[1];
        f[6 + j] -= by.center[2] * f[j] + by.center[3] * f[3 + j];
    }
    normalise_matrix(f);
    return result;
}

}  // namespace motion
}  // namespace tl
