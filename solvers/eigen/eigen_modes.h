// What the modes share, and Treelight's own ones.
#pragma once

#include "solvers/eigen/eigen.h"

namespace tl {

/// The settings of Treelight's own modes.
[[nodiscard]] Settings eigen_settings(EigenLimits& limits);

/// A result with memory for the batch. Throws UserError if n is out of range or memory is
/// insufficient.
template <class T>
[[nodiscard]] EigenResult<T> make_eigen_result(Stream& stream, const EigenBatch<T>& batch,
                                               const EigenRequest& request, const char* mode,
                                               int most_rows);

[[nodiscard]] std::unique_ptr<EigenSolver> make_eigen_simd();
[[nodiscard]] std::unique_ptr<EigenSolver> make_eigen_scalar();
[[nodiscard]] std::unique_ptr<EigenSolver> make_eigen_auto();

}  // namespace tl
