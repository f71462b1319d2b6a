// OpenBLAS's LAPACK behind the LinearSolver interface.
#include "solvers/dense/blas_of.h"
#include "solvers/dense/linear/linear_mode.h"
#include "solvers/dense/linear/linear_modes.h"
#include "solvers/dense/openblas.h"

namespace tl {
namespace {

class LapackSystem final : public LinearMode<LapackSystem> {
  public:
    LapackSystem() : LinearMode("lapack-gesv") {}

    template <class T>
    void run(Stream& stream, MatrixView<const T> a, LinearSolution<T>& solution, StageTimer&,
             SolverRun&) {
        Matrix<T> lu(stream, a.rows, a.cols);
        cpu::copy_matrix<T>(stream, a, lu.view());
        std::vector<int> swaps(static_cast<std::size_t>(a.rows));
        int info = 0;
        auto factors = lu.view(), x = solution.x.view();
        routine_of<T>(late::sgesv_, late::dgesv_)(&factors.rows, &x.cols, factors.data,
                                                  &factors.stride, swaps.data(), x.data, &x.stride,
                                                  &info);
        if (info > 0) throw singular_matrix(info - 1);
        if (info < 0)
            throw UserError(std::string(id()) + " failed with info " + std::to_string(info));
    }
};

}  // namespace

std::unique_ptr<LinearSolver> make_lapack_gesv() {
    return std::make_unique<LapackSystem>();
}

}  // namespace tl
