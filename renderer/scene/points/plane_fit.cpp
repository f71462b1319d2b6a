#include "renderer/scene/points/plane_fit.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tl {

using glm::dmat3;
using glm::dvec3;

SymmetricEigen symmetric_eigen(const dmat3& matrix) {
    // Rotations converge quadratically: three or four sweeps are usual.
    constexpr int kMostSweeps = 12;
    constexpr double kRounding = 1e-17;  // of the diagonal's squares
    dmat3 a = matrix, v(1);
    for (int sweep = 0; sweep < kMostSweeps; ++sweep) {
        double off = a[0][1] * a[0][1] + a[0][2] * a[0][2] + a[1][2] * a[1][2];
        double on = a[0][0] * a[0][0] + a[1][1] * a[1][1] + a[2][2] * a[2][2];
        if (!(off > kRounding * kRounding * on)) break;
        for (auto [p, q] : {std::pair{0, 1}, std::pair{0, 2}, std::pair{1, 2}}) {
            if (a[p][q] == 0) continue;
            double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
            double t = std::copysign(1.0, theta) / (std::abs(theta) + std::sqrt(1 + theta * theta));
            double cosine = 1 / std::sqrt(1 + t * t), sine = t * cosine;
            int r = 3 - p - q;
            double change = t * a[p][q], rp = a[r][p], rq = a[r][q];
            a[p][p] -= change;
            a[q][q] += change;
            a[p][q] = a[q][p] = 0;
            a[r][p] = a[p][r] = cosine * rp - sine * rq;
            a[r][q] = a[q][r] = sine * rp + cosine * rq;
            dvec3 vp = v[p], vq = v[q];
            v[p] = cosine * vp - sine * vq;
            v[q] = sine * vp + cosine * vq;
        }
    }
    int order[3] = {0, 1, 2};
    std::ranges::sort(order, {}, [&](int k) { return a[k][k]; });
    SymmetricEigen eigen;
    for (int k = 0; k < 3; ++k) {
        eigen.values[k] = a[order[k]][order[k]];
        eigen.vectors[k] = v[order[k]];
    }
    return eigen;
}

PlaneFit::Plane PlaneFit::plane() const {
    Plane plane;
    if (!(weight_ > 0)) return plane;
    plane.middle = first_ / weight_;
    dmat3 covariance({squares_.x, products_.x, products_.z}, {products_.x, squares_.y, products_.y},
                     {products_.z, products_.y, squares_.z});
    for (int i = 0; i < 3; ++i)
        covariance[i] = covariance[i] / weight_ - plane.middle[i] * plane.middle;
    auto [values, vectors] = symmetric_eigen(covariance);
    plane.normal = vectors[0];
    plane.thickness = std::sqrt(std::max(values[0], 0.0));
    plane.width = std::sqrt(std::max(values[1], 0.0));
    plane.length = std::sqrt(std::max(values[2], 0.0));
    return plane;
}

}  // namespace tl
