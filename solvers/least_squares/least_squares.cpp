#include "solvers/least_squares/least_squares.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/least_squares/least_squares_mode.h"
#include "solvers/svd/svd.h"

namespace tl {

template <class T>
double rcond_of(int rows, int cols, double asked) {
    return asked >= 0
               ? asked
               : std::max(rows, cols) * static_cast<double>(std::numeric_limits<T>::epsilon());
}

int numerical_rank(const std::vector<double>& values, double rcond) {
    if (values.empty() || !(values[0] > 0)) return 0;
    return static_cast<int>(
        std::ranges::count_if(values, [&](double value) { return value > rcond * values[0]; }));
}

template <class T>
ScaledMatrix<T> scaled_to_one(Stream& stream, MatrixView<const T> a, const std::string& who,
                              const std::string& why) {
    ScaledMatrix<T> scaled;
    (void)std::frexp(static_cast<double>(largest_magnitude(stream, a, who, why)), &scaled.exponent);
    scaled.matrix = Matrix<T>(stream, a.rows, a.cols);
    TL_DISPATCH(stream.device(),
                scale_by_power<T>(stream, a, -scaled.exponent, scaled.matrix.view()));
    return scaled;
}

template <class T>
void solve_by_svd(Stream& stream, MatrixView<const T> a, MatrixView<const T> b,
                  LeastSquares<T>& solution, StageTimer& timer, SolverRun& run) {
    SvdResult<T> svd;
    {
        StageTimer::Scope stage(timer, "decompose");
        SolverRun part(run, 0, 0.95);
        svd = make_svd_solver("auto", stream.device())->solve(stream, a, {}, part);
    }
    StageTimer::Scope stage(timer, "project");
    solution.values = svd.values;
    solution.rank = numerical_rank(svd.values, solution.rcond);
    int rank = solution.rank;
    if (rank == 0) return solution.x.fill_zero(stream);
    // B^T U over the values, so that columns are scaled.
    auto blas = make_blas(stream);
    Matrix<T> parts(stream, b.cols, rank);
    std::vector<T> inverses;
    for (int i = 0; i < rank; ++i) inverses.push_back(static_cast<T>(1 / svd.values[i]));
    DeviceArray<T> factors(stream, inverses);
    blas->gemm(Transpose::yes, Transpose::no, T(1), b, svd.u.view().columns(0, rank), T(0),
               parts.view());
    TL_DISPATCH(stream.device(), scale_columns<T>(stream, parts.view(), factors.view()));
    blas->gemm(Transpose::no, Transpose::yes, T(1), svd.v.view().columns(0, rank), parts.view(),
               T(0), solution.x.view());
}

namespace {

class SvdLeastSquares final : public LeastSquaresMode<SvdLeastSquares> {
  public:
    SvdLeastSquares() : LeastSquaresMode("svd") {}

    template <class T>
    void run(Stream& stream, MatrixView<const T> a, MatrixView<const T> b,
             LeastSquares<T>& solution, StageTimer& timer, SolverRun& run) {
        solve_by_svd(stream, a, b, solution, timer, run);
    }
};

}  // namespace

std::unique_ptr<LeastSquaresSolver> make_least_squares_svd() {
    return std::make_unique<SvdLeastSquares>();
}

template <class T>
double gradient_error(Blas& blas, MatrixView<const T> a, MatrixView<const T> x,
                      MatrixView<const T> b) {
    if (a.empty() || b.empty()) return 0;
    Stream& stream = blas.stream();
    auto left = scaled_to_one(stream, a, "lstsq", "it cannot be compared");
    auto right = scaled_to_one(stream, b, "lstsq", "it cannot be compared");
    Matrix<T> scaled_x(stream, x.rows, x.cols), gradient(stream, x.rows, x.cols);
    TL_DISPATCH(stream.device(),
                scale_by_power<T>(stream, x, left.exponent - right.exponent, scaled_x.view()));
    double norm_a = frobenius_norm<T>(stream, left.matrix.view()),
           norm_b = frobenius_norm<T>(stream, right.matrix.view()),
           norm_x = frobenius_norm<T>(stream, scaled_x.view());
    auto residual = right.matrix.view();
    blas.gemm(Transpose::no, Transpose::no, T(-1), left.matrix.view(), scaled_x.view(), T(1),
              residual);
    blas.gemm(Transpose::yes, Transpose::no, T(1), left.matrix.view(), residual, T(0),
              gradient.view());
    double scale = norm_a * (norm_a * norm_x + norm_b);
    return scale > 0 ? frobenius_norm<T>(stream, gradient.view()) / scale : 0;
}

#define TL_INSTANTIATE(T)                                                                    \
    template double rcond_of<T>(int, int, double);                                           \
    template ScaledMatrix<T> scaled_to_one(Stream&, MatrixView<const T>, const std::string&, \
                                           const std::string&);                              \
    template void solve_by_svd(Stream&, MatrixView<const T>, MatrixView<const T>,            \
                               LeastSquares<T>&, StageTimer&, SolverRun&);                   \
    template double gradient_error(Blas&, MatrixView<const T>, MatrixView<const T>,          \
                                   MatrixView<const T>);
TL_INSTANTIATE(float)
TL_INSTANTIATE(double)
#undef TL_INSTANTIATE

}  // namespace tl
