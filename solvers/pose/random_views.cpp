#include "solvers/pose/random_views.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

namespace tl {
namespace {

constexpr double kFocal = 800, kWidth = 1000, kHeight = 800;

/// A turn of some ten degrees, and a translation of length 1.
CameraPose random_pose(std::mt19937_64& random, ViewsKind kind) {
    std::normal_distribution<double> bell;
    CameraPose pose;
    double turn[3] = {0.2 * bell(random), 0.2 * bell(random), 0.2 * bell(random)};
    // Larger rotations would leave no overlap of the two views.
    constexpr double kMostTurn = 0.5;
    double angle = std::sqrt(motion::dot(turn, turn));
    for (double& w : turn) w *= std::min(1.0, kMostTurn / angle);
    motion::turn(pose.rotation, turn);
    double t[3] = {bell(random), bell(random), 0.5 * bell(random)};
    if (kind == ViewsKind::forward) t[0] = t[1] = 0, t[2] = -1;
    motion::normalise(t);
    std::copy(t, t + 3, pose.translation);
    pose.focal = kFocal;
    return pose;
}

/// The point of a pixel of the first view, in its camera's coordinates; between 2 and 8 baselines
/// away.
void place_point(const ViewsSpec& spec, const CameraPose& moved, double x, double y, double even,
                 double* point) {
    const double way[3] = {(x - kWidth / 2) / kFocal, (y - kHeight / 2) / kFocal, 1};
    double depth = 2 + 6 * even;
    if (spec.kind == ViewsKind::plane) depth = 4 / (1 + 0.3 * x / kWidth - 0.5 * y / kHeight);
    if (spec.kind == ViewsKind::facing_plane)
        depth = (4 - moved.translation[2]) / motion::dot(moved.rotation + 6, way);
    if (spec.kind == ViewsKind::short_baseline) depth *= 10;
    for (int k = 0; k < 3; ++k) point[k] = way[k] * depth;
}

/// Sampson's squared distance of a pair x1, y1, x2, y2 (Hartley and Zisserman 2003, 4.2.6, 11.4.3).
double squared_distance(const double* m, const double* c, bool is_homography) {
    const double first[3] = {c[0], c[1], 1}, second[3] = {c[2], c[3], 1};
    double a[3];
    motion::rotate(m, first, a);
    if (!is_homography) {
        double value = motion::dot(second, a), squares = a[0] * a[0] + a[1] * a[1];
        for (int j = 0; j < 2; ++j) {
            double slope = m[j] * c[2] + m[3 + j] * c[3] + m[6 + j];
            squares += slope * slope;
        }
        return value * value / squares;
    }
    double values[2], by[2][4] = {}, products[3] = {};
    for (int i = 0; i < 2; ++i) {
        values[i] = c[2 + i] * a[2] - a[i];
        for (int j = 0; j < 2; ++j) by[i][j] = c[2 + i] * m[6 + j] - m[3 * i + j];
        by[i][2 + i] = a[2];
    }
    for (int k = 0; k < 4; ++k) {
        products[0] += by[0][k] * by[0][k];
        products[1] += by[0][k] * by[1][k];
        products[2] += by[1][k] * by[1][k];
    }
    return (products[2] * values[0] * values[0] - 2 * products[1] * values[0] * values[1] +
            products[0] * values[1] * values[1]) /
           (products[0] * products[2] - products[1] * products[1]);
}

}  // namespace

const std::vector<ViewsKindRow>& views_kinds() {
    static const std::vector<ViewsKindRow> table{
        {"general", ViewsKind::general, "points between 2 and 8 baselines away, any motion"},
        {"plane", ViewsKind::plane, "points of one plane"},
        {"facing-plane", ViewsKind::facing_plane, "points of a plane that faces the last camera"},
        {"forward", ViewsKind::forward, "the camera moves along its axis"},
        {"short-baseline", ViewsKind::short_baseline, "points between 20 and 80 baselines away"},
        {"rotation", ViewsKind::rotation, "the camera only turns"},
    };
    return table;
}

RandomViews make_views(const ViewsSpec& spec) {
    std::mt19937_64 random(spec.seed);
    std::normal_distribution<double> bell;
    std::uniform_real_distribution<double> even(0, 1);
    RandomViews views;
    views.camera = {kFocal, kFocal, kWidth / 2, kHeight / 2};
    CameraPose moved = random_pose(random, spec.kind);
    if (spec.kind == ViewsKind::rotation) std::fill(moved.translation, moved.translation + 3, 0.0);
    // Known points are in coordinates of their own.
    constexpr double kUnits = 3;
    const double origin[3] = {10, 20, -5};
    views.pose = moved;
    if (!is_relative(spec.pose)) {
        double turned[3];
        motion::rotate(moved.rotation, origin, turned);
        for (int k = 0; k < 3; ++k)
            views.pose.translation[k] = kUnits * moved.translation[k] - turned[k];
    }
    auto n_wrong = static_cast<std::size_t>(spec.outliers * static_cast<double>(spec.count) + 0.5);
    std::vector<bool> wrong(spec.count);
    std::fill_n(wrong.begin(), std::min(n_wrong, spec.count), true);
    std::shuffle(wrong.begin(), wrong.end(), random);
    for (bool is_wrong : wrong) views.right.push_back(is_wrong ? 0 : 1);
    for (std::size_t i = 0; i < spec.count;) {
        double x = even(random) * kWidth, y = even(random) * kHeight, point[3], seen[3];
        place_point(spec, moved, x, y, even(random), point);
        motion::rotate(moved.rotation, point, seen);
        for (int k = 0; k < 3; ++k) seen[k] += moved.translation[k];
        double x2 = seen[0] / seen[2] * kFocal + kWidth / 2;
        double y2 = seen[1] / seen[2] * kFocal + kHeight / 2;
        if (seen[2] < 0.3 || x2 < 0 || x2 > kWidth || y2 < 0 || y2 > kHeight) continue;
        if (wrong[i]) {
            x2 = even(random) * kWidth;
            y2 = even(random) * kHeight;
        } else {
            x2 += spec.noise * bell(random);
            y2 += spec.noise * bell(random);
        }
        x += spec.noise * bell(random);
        y += spec.noise * bell(random);
        if (is_relative(spec.pose))
            views.matches.insert(views.matches.end(), {x, y, x2, y2});
        else
            views.matches.insert(views.matches.end(),
                                 {x2, y2, kUnits * point[0] + origin[0],
                                  kUnits * point[1] + origin[1], kUnits * point[2] + origin[2]});
        ++i;
    }
    return views;
}

PoseError pose_error(const CameraPose& found, const CameraPose& truth, PoseKind kind) {
    constexpr double kDegrees = 180 / std::numbers::pi;
    double squares = 0;
    for (int i = 0; i < 9; ++i) {
        double difference = found.rotation[i] - truth.rotation[i];
        squares += difference * difference;
    }
    // |R - S| is sqrt(8) sin(angle / 2).
    PoseError error;
    error.rotation = 2 * std::asin(std::min(1.0, std::sqrt(squares / 8))) * kDegrees;
    const double* t = found.translation;
    const double* s = truth.translation;
    if (is_relative(kind)) {
        double across[3];
        motion::cross(t, s, across);
        error.translation =
            std::atan2(std::sqrt(motion::dot(across, across)), motion::dot(t, s)) * kDegrees;
        return error;
    }
    double difference[3] = {t[0] - s[0], t[1] - s[1], t[2] - s[2]};
    error.translation = std::sqrt(motion::dot(difference, difference) / motion::dot(s, s));
    return error;
}

double matrix_error(const ViewMatrix& found, PoseKind kind, const RandomViews& exact) {
    double squares = 0, n_right = 0;
    for (std::size_t i = 0; i < exact.right.size(); ++i) {
        if (!exact.right[i]) continue;
        squares +=
            squared_distance(found.m, exact.matches.data() + 4 * i, kind == PoseKind::homography);
        n_right += 1;
    }
    return std::sqrt(squares / n_right);
}

double matrix_error_bound(const ViewsSpec& spec) {
    const double n_parameters = spec.pose == PoseKind::homography ? 8 : 7;
    return spec.noise *
           std::sqrt(n_parameters / (static_cast<double>(spec.count) * (1 - spec.outliers)));
}

bool has_homography(ViewsKind kind) {
    return kind == ViewsKind::plane || kind == ViewsKind::facing_plane ||
           kind == ViewsKind::rotation;
}

}  // namespace tl
