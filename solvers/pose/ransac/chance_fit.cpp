#include "solvers/pose/ransac/chance_fit.h"

#include <algorithm>
#include <cmath>

namespace tl {
namespace {

/// The error of a match: Sampson's distance between two views, the transfer error of a homography
/// in the second view, or the reprojection error; infinite behind the camera.
class MatchError {
  public:
    explicit MatchError(const ChanceTask& task) : kind_(task.kind), pose_(task.pose) {
        if (finds_matrix(kind_))
            std::ranges::copy(task.matrix.m, matrix_);
        else
            motion::essential_of(pose_, matrix_);
    }
    /// Pairs the image point of one match, or the point of its second view, with the rest of
    /// another.
    [[nodiscard]] double operator()(const double* rest, const double* image) const {
        if (!is_relative(kind_)) return in_image(rest + 2, image);
        return kind_ == PoseKind::homography ? in_second(rest, image + 2)
                                             : between_views(rest, image + 2);
    }

  private:
    [[nodiscard]] double between_views(const double* first, const double* second) const {
        const double x1[3] = {first[0], first[1], pose_.focal};
        const double x2[3] = {second[0], second[1], pose_.focal};
        double line2[3], line1[3];
        const double* e = matrix_;
        motion::rotate(e, x1, line2);
        for (int j = 0; j < 3; ++j) line1[j] = e[j] * x2[0] + e[3 + j] * x2[1] + e[6 + j] * x2[2];
        double squares =
            line1[0] * line1[0] + line1[1] * line1[1] + line2[0] * line2[0] + line2[1] * line2[1];
        return std::abs(motion::dot(x2, line2)) / std::sqrt(squares);
    }
    [[nodiscard]] double in_second(const double* first, const double* second) const {
        const double x1[3] = {first[0], first[1], 1};
        double moved[3];
        motion::rotate(matrix_, x1, moved);
        if (!(moved[2] > 0)) return HUGE_VAL;
        return std::hypot(moved[0] / moved[2] - second[0], moved[1] / moved[2] - second[1]);
    }
    [[nodiscard]] double in_image(const double* point, const double* image) const {
        double p[3];
        motion::rotate(pose_.rotation, point, p);
        for (int i = 0; i < 3; ++i) p[i] += pose_.translation[i];
        if (!(p[2] > 0)) return HUGE_VAL;
        double x = pose_.focal * p[0] / p[2] - image[0], y = pose_.focal * p[1] / p[2] - image[1];
        return std::sqrt(x * x + y * y);
    }

    PoseKind kind_;
    CameraPose pose_;
    double matrix_[9];  ///< E, F or H
};

/// Distances of matches that are paired at random, near the pose.
class Background {
  public:
    Background(const ChanceTask& task, const MatchError& error)
        : dimensions_(is_relative(task.kind) && task.kind != PoseKind::homography ? 1 : 2) {
        const std::size_t count = task.order.size(), size = match_size(task.kind);
        const std::size_t n_image = 2, image = is_relative(task.kind) ? 2 : 0;
        constexpr std::size_t kMost = 1024;
        std::vector<double> errors;
        for (std::size_t shift = 1; shift < count && errors.size() < kMost; ++shift)
            for (std::size_t i = 0; i < count && errors.size() < kMost; ++i) {
                const double* rest = &task.coordinates[task.order[i] * size];
                const double* other = &task.coordinates[task.order[(i + shift) % count] * size];
                // Copies of a match are no background.
                bool same_image = std::equal(rest + image, rest + image + n_image, other + image);
                bool same_rest = is_relative(task.kind) ? std::equal(rest, rest + 2, other)
                                                        : std::equal(rest + 2, rest + 5, other + 2);
                if (same_image || same_rest) continue;
                double value = error(rest, other);
                errors.push_back(value == value ? value : HUGE_VAL);
            }
        if (errors.empty()) return;
        // The nearest tenth gives the density, which is about the same from there down.
        std::size_t at = errors.size() / 10;
        std::ranges::nth_element(errors, errors.begin() + static_cast<std::ptrdiff_t>(at));
        reach_ = errors[at];
        share_ = static_cast<double>(at + 1) / static_cast<double>(errors.size());
    }
    /// The logarithm of the probability that a match has at most this error by chance.
    [[nodiscard]] double log_share(double error) const {
        if (!(reach_ > 0) || !(error < reach_)) return std::min(0.0, std::log(share_));
        constexpr double kLeast = 1e-12;  // bound of rounding
        return std::log(share_) + dimensions_ * std::log(std::max(error / reach_, kLeast));
    }

  private:
    int dimensions_;
    double reach_ = 0, share_ = 1;
};

double log_choices(double n, double k) {
    return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1);
}

}  // namespace

double log_chance_fits(const ChanceTask& task) {
    const MatchError error(task);
    const Background background(task, error);
    const std::size_t size = match_size(task.kind);
    std::vector<double> errors;
    for (std::size_t i = 0; i < task.inliers.size(); ++i) {
        const double* match = &task.coordinates[i * size];
        if (task.inliers[i]) errors.push_back(error(match, match));
    }
    std::ranges::sort(errors);
    const auto n = static_cast<double>(task.inliers.size());
    const auto sample = static_cast<double>(least_matches(task.kind) - 1);
    double least = HUGE_VAL, choices = 0;  // log_choices(n - sample, others)
    for (std::size_t k = least_matches(task.kind); k <= errors.size(); ++k) {
        double others = static_cast<double>(k) - sample;
        choices += std::log((n - static_cast<double>(k) + 1) / others);
        least = std::min(least, choices + others * background.log_share(errors[k - 1]));
    }
    double tests = std::log(std::max(n - sample, 1.0)) + std::log(std::max(task.models, 1.0)) +
                   log_choices(n, sample);
    return (least + tests) / std::log(10.0);
}

bool fits_by_chance(double log_fits, std::size_t n_matches) {
    const double most = n_matches <= kFewMatches ? 1 : 0.01;
    return !(log_fits < std::log10(most));
}

}  // namespace tl
