// OpenBLAS's LAPACK behind the LeastSquaresSolver interface.
#include <algorithm>
#include <limits>

#include "solvers/dense/blas_of.h"
#include "solvers/dense/openblas.h"
#include "solvers/least_squares/least_squares_mode.h"

namespace tl {
namespace {

class LapackLeastSquares final : public LeastSquaresMode<LapackLeastSquares> {
  public:
    LapackLeastSquares() : LeastSquaresMode("lapack-gelsd") {}

    template <class T>
    void run(Stream& stream, MatrixView<const T> a, MatrixView<const T> b,
             LeastSquares<T>& solution, StageTimer&, SolverRun&) {
        int m = a.rows, n = a.cols, sides = b.cols, rows = std::max(m, n), info = 0;
        Matrix<T> left(stream, m, n), right(stream, rows, sides);
        auto l = left.view(), r = right.view();
        cpu::copy_matrix<T>(stream, a, l);
        cpu::copy_matrix<T>(stream, b, r.block(0, 0, m, sides));
        std::vector<T> values(static_cast<std::size_t>(std::min(m, n))), work(1);
        std::vector<int> integers(1);
        // The routine would take eps for ratios outside of (0, 1).
        auto rcond = static_cast<T>(
            std::clamp(solution.rcond, static_cast<double>(std::numeric_limits<T>::min()),
                       1 - static_cast<double>(std::numeric_limits<T>::epsilon())));
        auto call = [&](int size) {
            routine_of<T>(late::sgelsd_, late::dgelsd_)(
                &m, &n, &sides, l.data, &l.stride, r.data, &r.stride, values.data(), &rcond,
                &solution.rank, work.data(), &size, integers.data(), &info);
        };
        call(-1);
        work.resize(static_cast<std::size_t>(work[0]) + 1);
        integers.resize(static_cast<std::size_t>(integers[0]) + 1);
        call(static_cast<int>(work.size()));
        if (info != 0)
            throw UserError(std::string(id()) + " failed with info " + std::to_string(info));
        solution.values.assign(values.begin(), values.end());
        cpu::copy_matrix<T>(stream, r.block(0, 0, n, sides), solution.x.view());
    }
};

}  // namespace

std::unique_ptr<LeastSquaresSolver> make_lapack_gelsd() {
    return std::make_unique<LapackLeastSquares>();
}

}  // namespace tl
