// Least squares by a QR factorisation: of A where it has more rows than columns, else of A^T, which
// gives the solution of least norm. An estimate of the condition of R tells whether the rank is
// full; where it may not be, the singular value decomposition decides.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "solvers/dense/block_reflector.h"
#include "solvers/dense/lu/lu_factors.h"
#include "solvers/least_squares/least_squares_mode.h"

namespace tl {
namespace {

/// The condition number of an upper triangle in the 1-norm, estimated.
template <class T>
double triangle_condition(Blas& blas, Matrix<T>& r) {
    // R = I R: factors whose L is not stored, since R is zero below its diagonal.
    LuFactors<T> factors;
    factors.swaps.resize(static_cast<std::size_t>(r.rows()));
    std::iota(factors.swaps.begin(), factors.swaps.end(), 0);
    double norm = one_norm<T>(blas.stream(), r.view());
    factors.lu = std::move(r);
    double condition = condition_of(blas, factors, norm);
    r = std::move(factors.lu);
    return condition;
}

class QrLeastSquares final : public LeastSquaresMode<QrLeastSquares> {
  public:
    QrLeastSquares() : LeastSquaresMode("qr") {}

    template <class T>
    void run(Stream& stream, MatrixView<const T> a, MatrixView<const T> b,
             LeastSquares<T>& solution, StageTimer& timer, SolverRun& run) {
        constexpr int kBlock = 64;
        auto blas = make_blas(stream);
        auto& device = stream.device();
        bool is_tall = a.rows >= a.cols;
        int m = std::max(a.rows, a.cols), n = std::min(a.rows, a.cols);
        Matrix<T> reflectors(stream, m, n), r(stream, n, n);
        if (is_tall)
            TL_DISPATCH(device, copy_matrix<T>(stream, a, reflectors.view()));
        else
            TL_DISPATCH(device, transpose_matrix<T>(stream, a, reflectors.view()));
        {
            StageTimer::Scope stage(timer, "factorise");
            TL_DISPATCH(device, qr_factorise<T>(*blas, reflectors.view(), r.view()));
        }
        run.report(0.3);
        if (!is_full_rank(*blas, r, solution.rcond)) {
            solution.note =
                "solved by the singular value decomposition, since the matrix may "
                "not have full rank";
            SolverRun part(run, 0.3, 1);
            return solve_by_svd(stream, a, b, solution, timer, part);
        }
        StageTimer::Scope stage(timer, "substitute");
        solution.rank = n;
        Matrix<T> longer(stream, m, b.cols);
        auto top = longer.view().block(0, 0, n, b.cols);
        if (is_tall) {
            TL_DISPATCH(device, copy_matrix<T>(stream, b, longer.view()));
            TL_DISPATCH(device, apply_reflectors<T>(*blas, Transpose::yes, reflectors.view(),
                                                    longer.view(), kBlock));
            blas->solve(Triangle::upper, Transpose::no, r.view(), top);
            TL_DISPATCH(device, copy_matrix<T>(stream, top, solution.x.view()));
        } else {
            longer.fill_zero(stream);
            TL_DISPATCH(device, copy_matrix<T>(stream, b, top));
            blas->solve(Triangle::upper, Transpose::yes, r.view(), top);
            TL_DISPATCH(device, apply_reflectors<T>(*blas, Transpose::no, reflectors.view(),
                                                    longer.view(), kBlock));
            solution.x = std::move(longer);
        }
    }

  private:
    /// Whether no singular value can be below the ratio: the condition in the 2-norm is at most n
    /// times that in the 1-norm, of which the estimate is seldom less than a third.
    template <class T>
    static bool is_full_rank(Blas& blas, Matrix<T>& r, double rcond) {
        double worst = 3.0 * r.rows() * triangle_condition(blas, r);
        return std::isfinite(worst) && worst * rcond < 1;
    }
};

}  // namespace

std::unique_ptr<LeastSquaresSolver> make_least_squares_qr() {
    return std::make_unique<QrLeastSquares>();
}

}  // namespace tl
