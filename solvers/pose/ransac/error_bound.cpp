#include "solvers/pose/ransac/error_bound.h"

#include <cmath>
#include <numbers>
#include <random>

namespace tl {
namespace {

/// Parameters of a small step: a rotation, a translation (of pairs along two tangents) and the
/// focal length.
constexpr int kMostParameters = 7;
int n_parameters(PoseKind kind) {
    return (is_relative(kind) ? 5 : 6) + (finds_focal(kind) ? 1 : 0);
}

CameraPose stepped(const CameraPose& from, PoseKind kind, int parameter, double step) {
    CameraPose pose = from;
    const int n_moves = is_relative(kind) ? 2 : 3;
    if (parameter < 3) {
        double turn[3] = {0, 0, 0};
        turn[parameter] = step;
        motion::turn(pose.rotation, turn);
    } else if (parameter >= 3 + n_moves) {
        pose.focal += step;
    } else if (is_relative(kind)) {
        double tangents[2][3];
        motion::tangents(from.translation, tangents[0], tangents[1]);
        for (int i = 0; i < 3; ++i) pose.translation[i] += step * tangents[parameter - 3][i];
    } else {
        pose.translation[parameter - 3] += step;
    }
    return pose;
}

/// The signed residuals of a match under a pose, in pixels: one between two views, to first order
/// (Sampson); two of a known point.
int residuals_of(const CameraPose& pose, PoseKind kind, const PinholeCamera& camera,
                 const double* m, double* r) {
    const double f = pose.focal;
    if (is_relative(kind)) {
        double e[9], a[3], b[3];
        motion::essential_of(pose, e);
        const double first[3] = {(m[0] - camera.cx) / f, (m[1] - camera.cy) / f, 1};
        const double second[3] = {(m[2] - camera.cx) / f, (m[3] - camera.cy) / f, 1};
        motion::rotate(e, first, a);
        for (int i = 0; i < 3; ++i) b[i] = e[i] * second[0] + e[3 + i] * second[1] + e[6 + i];
        r[0] = f * motion::dot(second, a) /
               std::sqrt(a[0] * a[0] + a[1] * a[1] + b[0] * b[0] + b[1] * b[1]);
        return 1;
    }
    double p[3];
    motion::rotate(pose.rotation, m + 2, p);
    for (int i = 0; i < 3; ++i) p[i] += pose.translation[i];
    for (int i = 0; i < 2; ++i) r[i] = f * p[i] / p[2] + (i == 0 ? camera.cx : camera.cy) - m[i];
    return 2;
}

/// Adds the Fisher information of a match: J' J.
void add_information(const CameraPose& pose, PoseKind kind, const PinholeCamera& camera,
                     const double* match, const double* steps, double* information) {
    const int n = n_parameters(kind);
    double j[2][kMostParameters] = {}, before[2], after[2];
    int n_residuals = 0;
    for (int p = 0; p < n; ++p) {
        n_residuals = residuals_of(stepped(pose, kind, p, -steps[p]), kind, camera, match, before);
        (void)residuals_of(stepped(pose, kind, p, steps[p]), kind, camera, match, after);
        for (int k = 0; k < n_residuals; ++k) j[k][p] = (after[k] - before[k]) / (2 * steps[p]);
    }
    for (int k = 0; k < n_residuals; ++k)
        for (int p = 0; p < n; ++p)
            for (int q = 0; q < n; ++q) information[p * n + q] += j[k][p] * j[k][q];
}

/// Cholesky's factor of a matrix, in its lower triangle. False where it is not positive.
bool factorise(double* a, int n) {
    for (int i = 0; i < n; ++i)
        for (int j = 0; j <= i; ++j) {
            double& own = a[i * n + j];
            for (int k = 0; k < j; ++k) own -= a[i * n + k] * a[j * n + k];
            if (i == j && !(own > 0)) return false;
            own = i == j ? std::sqrt(own) : own / a[j * n + j];
        }
    return true;
}

}  // namespace

std::vector<PoseError> errors_at_bound(const ViewsSpec& spec, std::size_t n_draws) {
    const PoseKind kind = spec.pose;
    const int n = n_parameters(kind);
    ViewsSpec exact = spec;
    exact.noise = 0;
    auto views = make_views(exact);
    auto distance = std::sqrt(motion::dot(views.pose.translation, views.pose.translation));
    double steps[kMostParameters];
    for (int p = 0; p < n; ++p) {
        constexpr double kStep = 1e-5;  // step of an angle, a distance and a focal length
        bool is_focal = finds_focal(kind) && p == n - 1;
        steps[p] = kStep * (is_focal ? views.pose.focal : p < 3 ? 1 : distance);
    }
    double factor[kMostParameters * kMostParameters] = {};
    for (std::size_t i = 0; i < spec.count; ++i)
        if (views.right[i])
            add_information(views.pose, kind, views.camera,
                            views.matches.data() + i * match_size(kind), steps, factor);
    for (double& x : factor) x /= spec.noise * spec.noise;
    std::vector<PoseError> errors;
    if (!factorise(factor, n)) return errors;
    std::mt19937_64 random(spec.seed);
    std::normal_distribution<double> bell;
    constexpr double kDegrees = 180 / std::numbers::pi;
    for (std::size_t draw = 0; draw < n_draws; ++draw) {
        // L' x = z has the covariance (L L')^-1.
        double x[kMostParameters];
        for (int p = n - 1; p >= 0; --p) {
            x[p] = bell(random);
            for (int q = p + 1; q < n; ++q) x[p] -= factor[q * n + p] * x[q];
            x[p] /= factor[p * n + p];
        }
        double moved = x[3] * x[3] + x[4] * x[4] + (is_relative(kind) ? 0 : x[5] * x[5]);
        errors.push_back({std::sqrt(motion::dot(x, x)) * kDegrees,
                          std::sqrt(moved) * (is_relative(kind) ? kDegrees : 1 / distance)});
    }
    return errors;
}

}  // namespace tl
