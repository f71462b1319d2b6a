// Least squares of the errors of inliers (Levenberg 1944; Marquardt 1963) over models that satisfy
// the test's constraints: steps are tangent to these, and Newton's steps return to them.
#pragma once

#include "solvers/ransac/measurement_table.h"

namespace tl::minimal {

/// Moves a model, which satisfies the constraints, to a local minimum of its inliers' squared
/// errors. `inliers`: 1 or 0 for each row of the table. `model`: test.n_unknowns numbers. `poll` is
/// called before each step with the fraction 0; it may throw.
void refine_model(const ModelTest& test, const MeasurementTable& table,
                  std::span<const std::uint8_t> inliers, std::span<double> model,
                  const ProgressPoll& poll);

}  // namespace tl::minimal
