#include "solvers/pose/ransac/doubtful_pose.h"

#include <cmath>
#include <vector>

namespace tl {
namespace {

/// Solves the 3 x 3 system a x = b, a symmetric and positive definite. False where it is singular.
bool solve_three(const double* a, const double* b, double* x) {
    double products[9];
    motion::cross(a + 3, a + 6, products);
    motion::cross(a + 6, a, products + 3);
    motion::cross(a, a + 3, products + 6);
    double determinant = motion::dot(a, products);
    if (!(std::abs(determinant) > 1e-300)) return false;
    for (int i = 0; i < 3; ++i)
        x[i] = (products[i] * b[0] + products[3 + i] * b[1] + products[6 + i] * b[2]) / determinant;
    return true;
}

/// The squared distance of the second point of a pair from where H moves the first.
double transfer_error(const double* h, const double* pair, double* moved) {
    const double first[3] = {pair[0], pair[1], 1};
    motion::rotate(h, first, moved);
    if (!(moved[2] > 0)) return 1e300;
    double x = moved[0] / moved[2] - pair[2], y = moved[1] / moved[2] - pair[3];
    return x * x + y * y;
}

std::size_t n_moved_well(const double* h, std::span<const double> pairs, double most) {
    std::size_t n = 0;
    double moved[3];
    for (std::size_t i = 0; i < pairs.size(); i += 4)
        n += transfer_error(h, pairs.data() + i, moved) < most * most ? 1 : 0;
    return n;
}

constexpr int kSteps = 5;

/// The rotation that moves the first points of pairs nearest to the second ones, where they are
/// nearer than `most`: steps of Gauss and Newton from `rotation`.
void fit_rotation(double* rotation, std::span<const double> pairs, double most) {
    for (int step = 0; step < kSteps; ++step) {
        double products[9] = {}, right[3] = {}, moved[3];
        // All pairs take part in the first step, which may be far from the solution.
        double limit = step == 0 ? 1e300 : most * most * std::pow(4.0, kSteps - step);
        for (std::size_t i = 0; i < pairs.size(); i += 4) {
            if (!(transfer_error(rotation, pairs.data() + i, moved) < limit)) continue;
            double inverse = 1 / moved[2];
            for (int axis = 0; axis < 2; ++axis) {
                double slope = moved[axis] * inverse, residual = slope - pairs[i + 2 + axis];
                const double by[3] = {axis == 0 ? inverse : 0, axis == 1 ? inverse : 0,
                                      -slope * inverse};
                double row[3];
                motion::cross(moved, by, row);
                for (int k = 0; k < 3; ++k) {
                    right[k] -= row[k] * residual;
                    for (int q = 0; q < 3; ++q) products[3 * k + q] += row[k] * row[q];
                }
            }
        }
        double turn[3];
        if (!solve_three(products, right, turn)) return;
        motion::turn(rotation, turn);
    }
}

/// The homography R + t n' of the plane n' X = 1 that the pairs' points are nearest to.
bool fit_plane(const CameraPose& pose, std::span<const double> pairs, double most, double* h) {
    for (int k = 0; k < 9; ++k) h[k] = pose.rotation[k];
    for (int step = 0; step < kSteps; ++step) {
        double products[9] = {}, right[3] = {}, moved[3];
        for (std::size_t i = 0; i < pairs.size(); i += 4) {
            const double* pair = pairs.data() + i;
            if (step > 0 && !(transfer_error(h, pair, moved) < 4 * most * most)) continue;
            double depths[2];
            motion::depths_of(pose, pair, depths);
            if (!(depths[0] > 0 && depths[1] > 0)) continue;
            // An error of the point in the image is one of 1 / depth in this proportion.
            const double first[3] = {pair[0], pair[1], 1};
            for (int k = 0; k < 3; ++k) {
                right[k] += first[k] / depths[0];
                for (int q = 0; q < 3; ++q) products[3 * k + q] += first[k] * first[q];
            }
        }
        double normal[3];
        if (!solve_three(products, right, normal)) return false;
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j)
                h[3 * i + j] = pose.rotation[3 * i + j] + pose.translation[i] * normal[j];
    }
    return true;
}

}  // namespace

PoseDoubt doubt_of(const CameraPose& pose, std::span<const double> pairs, double threshold) {
    // Few outliers happen to be near an epipolar line, and count as inliers.
    constexpr double kShare = 0.9, kFactor = 2;
    auto enough = kShare * static_cast<double>(pairs.size() / 4);
    double h[9];
    for (int k = 0; k < 9; ++k) h[k] = pose.rotation[k];
    fit_rotation(h, pairs, kFactor * threshold);
    if (static_cast<double>(n_moved_well(h, pairs, kFactor * threshold)) >= enough)
        return PoseDoubt::pure_rotation;
    if (fit_plane(pose, pairs, kFactor * threshold, h) &&
        static_cast<double>(n_moved_well(h, pairs, kFactor * threshold)) >= enough)
        return PoseDoubt::one_plane;
    return PoseDoubt::none;
}

bool are_on_one_line(std::span<const double> pairs, double threshold) {
    constexpr double kShare = 0.9, kFactor = 2;
    const auto count = static_cast<double>(pairs.size() / 4);
    double x = 0, y = 0, xx = 0, xy = 0, yy = 0;
    for (std::size_t i = 0; i < pairs.size(); i += 4) {
        x += pairs[i] / count;
        y += pairs[i + 1] / count;
    }
    for (std::size_t i = 0; i < pairs.size(); i += 4) {
        double own_x = pairs[i] - x, own_y = pairs[i + 1] - y;
        xx += own_x * own_x;
        xy += own_x * own_y;
        yy += own_y * own_y;
    }
    // The line of total least squares.
    double angle = std::atan2(2 * xy, xx - yy) / 2;
    double n_near = 0;
    for (std::size_t i = 0; i < pairs.size(); i += 4) {
        double across = (pairs[i + 1] - y) * std::cos(angle) - (pairs[i] - x) * std::sin(angle);
        n_near += std::abs(across) < kFactor * threshold ? 1 : 0;
    }
    return n_near >= kShare * count;
}

bool focal_is_arbitrary(const CameraPose& pose, std::span<const double> matches, double threshold) {
    // Scaling the focal length by 1 + s moves x by s x. A change d of the distance moves x by -d x
    // / z. The motion that is left after the best d is compared with the threshold.
    constexpr std::size_t kMatch = 5;
    constexpr double kShare = 0.1;
    std::vector<double> squares, inverses;
    double with_inverse = 0, with_both = 0;
    for (std::size_t i = 0; i < matches.size(); i += kMatch) {
        const double* m = matches.data() + i;
        inverses.push_back(1 / (motion::dot(pose.rotation + 6, m + 2) + pose.translation[2]));
        squares.push_back(m[0] * m[0] + m[1] * m[1]);
        with_inverse += squares.back() * inverses.back();
        with_both += squares.back() * inverses.back() * inverses.back();
    }
    double moved = 0, most = threshold * threshold;
    for (std::size_t i = 0; i < squares.size(); ++i) {
        double rest = 1 - with_inverse / with_both * inverses[i];
        moved += squares[i] * rest * rest;
    }
    return kShare * kShare * moved < most;
}

}  // namespace tl
