// Common code of all modes of least squares.
#pragma once

#include <cmath>

#include "solvers/dense/lu/lu.h"
#include "solvers/dense/matrix_kernels.h"
#include "solvers/dense/matrix_norms.h"
#include "solvers/least_squares/least_squares.h"

namespace tl {

/// A matrix scaled by a power of two so that its largest element is in [0.5, 1), or 0.
template <class T>
struct ScaledMatrix {
    Matrix<T> matrix;  ///< A over 2^exponent
    int exponent = 0;
};
template <class T>
[[nodiscard]] ScaledMatrix<T> scaled_to_one(Stream& stream, MatrixView<const T> a,
                                            const std::string& who, const std::string& why);

/// Solves with scaled matrices by the singular value decomposition of A, and fills rank, values
/// and x (X over the powers of both).
template <class T>
void solve_by_svd(Stream& stream, MatrixView<const T> a, MatrixView<const T> b,
                  LeastSquares<T>& solution, StageTimer& timer, SolverRun& run);

/// Base of a `Mode` with the member
///     template <class T> void run(Stream&, MatrixView<const T> a, MatrixView<const T> b,
///                                 LeastSquares<T>& solution, StageTimer&, SolverRun&)
/// for scaled matrices that are not empty. It sets x, rank and values; rcond is there.
template <class Mode>
class LeastSquaresMode : public LeastSquaresSolver {
  public:
    /// `id` must outlive the mode.
    explicit LeastSquaresMode(const char* id) : id_(id) {}

    LeastSquares<float> solve(Stream& stream, MatrixView<const float> a, MatrixView<const float> b,
                              double rcond, SolverRun& run) override {
        return checked(stream, a, b, rcond, run);
    }
    LeastSquares<double> solve(Stream& stream, MatrixView<const double> a,
                               MatrixView<const double> b, double rcond, SolverRun& run) override {
        return checked(stream, a, b, rcond, run);
    }

  protected:
    [[nodiscard]] const char* id() const { return id_; }

  private:
    template <class T>
    LeastSquares<T> checked(Stream& stream, MatrixView<const T> a, MatrixView<const T> b,
                            double rcond, SolverRun& run) {
        if (b.rows != a.rows)
            throw UserError("lstsq: the right side is " + std::to_string(b.rows) + "x" +
                            std::to_string(b.cols) + ", but the matrix has " +
                            std::to_string(a.rows) + " rows");
        auto m = static_cast<std::uint64_t>(a.rows), n = static_cast<std::uint64_t>(a.cols);
        require_memory(stream.device(),
                       (3 * m * n + 3 * (m + n) * static_cast<std::uint64_t>(b.cols)) * sizeof(T),
                       std::string("lstsq mode ") + id_, kDenseMemoryAdvice);
        LeastSquares<T> solution;
        solution.mode = id_;
        solution.rcond = rcond_of<T>(a.rows, a.cols, rcond);
        auto left = scaled_to_one(stream, a, "lstsq", "the problem has no solution");
        auto right = scaled_to_one(stream, b, "lstsq", "the right side must be");
        solution.x = Matrix<T>(stream, a.cols, b.cols);
        solution.x.fill_zero(stream);
        StageTimer timer(stream);
        timer.begin_frame();
        if (!a.empty())
            static_cast<Mode&>(*this).template run<T>(stream, left.matrix.view(),
                                                      right.matrix.view(), solution, timer, run);
        timer.end_frame();
        timer.flush();
        Matrix<T> x(stream, a.cols, b.cols);
        TL_DISPATCH(stream.device(), scale_by_power<T>(stream, solution.x.view(),
                                                       right.exponent - left.exponent, x.view()));
        solution.x = std::move(x);
        if (!all_finite<T>(stream, solution.x.view()))
            throw UserError(
                "lstsq: the solution has elements that are beyond the range of its numbers: let "
                "more singular values count as zero (rcond), or solve in double");
        for (double& value : solution.values) value = std::ldexp(value, left.exponent);
        solution.stages = timer.latest();
        run.report(1);
        return solution;
    }

    const char* id_;
};

[[nodiscard]] std::unique_ptr<LeastSquaresSolver> make_least_squares_qr();
[[nodiscard]] std::unique_ptr<LeastSquaresSolver> make_least_squares_svd();
[[nodiscard]] std::unique_ptr<LeastSquaresSolver> make_lapack_gelsd();

}  // namespace tl
