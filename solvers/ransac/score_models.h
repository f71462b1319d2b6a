// Scores of models: inliers among many measurements, and their errors, on all threads of the CPU.
#pragma once

#include <limits>

#include "solvers/ransac/measurement_table.h"

namespace tl::minimal {

/// Sum of squared errors, each at most the squared bound (MSAC; Torr and Zisserman 2000).
struct ModelScore {
    std::size_t n_inliers = 0;
    double squares = 0;                                     ///< sum of the inliers' squared errors
    double cost = std::numeric_limits<double>::infinity();  ///< `squares`, and bound^2 an outlier

    /// A smaller cost, or more inliers of the same.
    [[nodiscard]] bool is_better_than(const ModelScore& other) const {
        return cost != other.cost ? cost < other.cost : n_inliers > other.n_inliers;
    }
};

/// Whether all of the test's positives are above 0.
[[nodiscard]] bool is_positive(const ModelTest& test, const double* model);

/// Scores models of test.n_unknowns numbers each; rows with errors up to `bound` are inliers.
/// Models whose cost turns out to be above that of `best` get no score. `poll` is called some times
/// a second with the fraction 0; it may throw.
void score_models(const ModelTest& test, const MeasurementTable& table,
                  std::span<const double> models, double bound, const ModelScore& best,
                  std::span<ModelScore> scores, const ProgressPoll& poll);

/// Whether each row of the table is an inlier, 1 or 0.
[[nodiscard]] std::vector<std::uint8_t> inliers_of(const ModelTest& test,
                                                   const MeasurementTable& table,
                                                   const double* model, double bound);

}  // namespace tl::minimal
