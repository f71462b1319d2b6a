// Scores of models: inliers among many measurements, and their errors, on all threads of the CPU.
#pragma once

#include "solvers/ransac/measurement_table.h"

namespace tl::minimal {

struct ModelScore {
    std::size_t n_inliers = 0;
    double squares = 0;  ///< sum of the inliers' squared errors

    /// More inliers, or as many of smaller errors.
    [[nodiscard]] bool is_better_than(const ModelScore& other) const {
        return n_inliers != other.n_inliers ? n_inliers > other.n_inliers : squares < other.squares;
    }
};

/// Whether all of the test's positives are above 0.
[[nodiscard]] bool is_positive(const ModelTest& test, const double* model);

/// Scores models of test.n_unknowns numbers each; rows with errors up to `bound` are inliers.
/// Models that turn out to have fewer inliers than `best` get no score. `poll` is called some times
/// a second with the fraction 0; it may throw.
void score_models(const ModelTest& test, const MeasurementTable& table,
                  std::span<const double> models, double bound, const ModelScore& best,
                  std::span<ModelScore> scores, const ProgressPoll& poll);

/// Whether each row of the table is an inlier, 1 or 0.
[[nodiscard]] std::vector<std::uint8_t> inliers_of(const ModelTest& test,
                                                   const MeasurementTable& table,
                                                   const double* model, double bound);

}  // namespace tl::minimal
