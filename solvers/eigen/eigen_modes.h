// Common code of the modes, and Treelight's own modes.
#pragma once

#include "solvers/eigen/eigen_kernels.h"

namespace tl {

/// The settings of Treelight's own modes.
[[nodiscard]] Settings eigen_settings(EigenLimits& limits);

/// A solver whose solve() is Mode::solve_as(stream, batch, request, run), a template.
template <class Mode>
class EigenSolverOf : public EigenSolver {
  public:
    EigenResult<float> solve(Stream& stream, EigenBatch<float> batch, const EigenRequest& request,
                             SolverRun& run) final {
        return static_cast<Mode&>(*this).solve_as(stream, batch, request, run);
    }
    EigenResult<double> solve(Stream& stream, EigenBatch<double> batch, const EigenRequest& request,
                              SolverRun& run) final {
        return static_cast<Mode&>(*this).solve_as(stream, batch, request, run);
    }
};

/// A result with memory for the batch. Throws UserError if n is out of range or memory is
/// insufficient.
template <class T>
[[nodiscard]] EigenResult<T> make_eigen_result(Stream& stream, const EigenBatch<T>& batch,
                                               const EigenRequest& request, const char* mode,
                                               int most_rows);

template <class T>
using EigenKernel = void (*)(Stream&, const EigenBatch<T>&, EigenRange, EigenPairs,
                             const EigenLimits&, const EigenOutputs<T>&);

/// A kernel with the sizes that it takes.
struct EigenMethod {
    const char* id;
    int most_rows;
    EigenKernel<float> of_floats;
    EigenKernel<double> of_doubles;
};
/// Solves batches slice by slice, and can be cancelled between two slices.
[[nodiscard]] std::unique_ptr<EigenSolver> make_batched_eigen(const EigenMethod& method);
/// Selects the mode of each batch by its n.
using EigenChoice = std::unique_ptr<EigenSolver> (*)(int n);
[[nodiscard]] std::unique_ptr<EigenSolver> make_chosen_eigen(EigenChoice choose);

[[nodiscard]] std::unique_ptr<EigenSolver> make_eigen_simd();
[[nodiscard]] std::unique_ptr<EigenSolver> make_eigen_scalar();
[[nodiscard]] std::unique_ptr<EigenSolver> make_eigen_auto();

[[nodiscard]] std::unique_ptr<EigenSolver> make_eigen_thread();
[[nodiscard]] std::unique_ptr<EigenSolver> make_eigen_queue();
[[nodiscard]] std::unique_ptr<EigenSolver> make_eigen_lanes();
[[nodiscard]] std::unique_ptr<EigenSolver> make_eigen_columns();
[[nodiscard]] std::unique_ptr<EigenSolver> make_eigen_block();
[[nodiscard]] std::unique_ptr<EigenSolver> make_eigen_auto_cuda();

}  // namespace tl
