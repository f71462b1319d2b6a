#include "solvers/dense/linear/linear_modes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/dense/largest_error.h"
#include "solvers/dense/linear/equilibrated.h"
#include "solvers/dense/linear/linear_mode.h"
#include "solvers/dense/lu/lu_factors.h"

namespace tl {

template <class T>
void solve_directly(Stream& stream, MatrixView<const T> a, LinearSolution<T>& solution,
                    StageTimer& timer, SolverRun& run) {
    auto x = solution.x.view();
    auto b = solution.x.download(stream);
    int zero_pivot = -1;
    {
        LuFactors<T> factors;
        {
            StageTimer::Scope stage(timer, "factorise");
            SolverRun part(run, 0, 0.9);
            factors = make_lu_solver("blocked", stream.device())->factorise(stream, a, part);
        }
        zero_pivot = first_zero_pivot(stream, factors);
        if (zero_pivot < 0) {
            StageTimer::Scope stage(timer, "substitute");
            auto blas = make_blas(stream);
            solve_with(*blas, factors, Transpose::no, x);
            if (all_finite<T>(stream, x)) return;
        }
    }
    StageTimer::Scope stage(timer, "scale and solve");
    SolverRun part(run, 0.9, 1);
    auto scaled = solve_equilibrated(stream, a, b, part);
    if (!scaled && zero_pivot >= 0) throw singular_matrix(zero_pivot);
    if (!scaled) throw infinite_solution();
    solution.x = std::move(*scaled);
    if (!solution.note.empty()) solution.note += "; ";
    solution.note += "rows and columns were scaled, since without it ";
    solution.note += zero_pivot >= 0 ? "a pivot became zero" : "the solution overflowed";
}

namespace {

class DirectSystem final : public LinearMode<DirectSystem> {
  public:
    DirectSystem() : LinearMode("lu") {}

    template <class T>
    void run(Stream& stream, MatrixView<const T> a, LinearSolution<T>& solution, StageTimer& timer,
             SolverRun& run) {
        solve_directly(stream, a, solution, timer, run);
    }
};

}  // namespace

template <class T>
double backward_error(Blas& blas, MatrixView<const T> a, MatrixView<const T> x,
                      MatrixView<const T> b) {
    if (b.empty()) return 0;
    Stream& stream = blas.stream();
    auto sizes_of_a = column_sizes(stream, a), of_x = column_sizes(stream, x),
         of_b = column_sizes(stream, b);
    double largest = largest_error<double>(sizes_of_a);
    if (!std::isfinite(largest + largest_error<double>(of_x) + largest_error<double>(of_b)))
        return std::numeric_limits<double>::quiet_NaN();
    // B - A X with A over 2^of_a, and column j over 2^of_columns[j], so that all is 1 or less.
    int exponent = exponents_of({largest})[0];
    constexpr int kMuch = sizeof(T) == 8 ? 200 : 30;
    int of_a = std::abs(exponent) > kMuch ? exponent : 0;
    auto in_x = exponents_of(of_x), in_b = exponents_of(of_b);
    std::vector<int> shift_x, shift_b;
    for (std::size_t j = 0; j < of_x.size(); ++j) {
        int most = of_x[j] == 0 || largest == 0 ? in_b[j] : exponent + in_x[j];
        if (of_b[j] > 0) most = std::max(most, in_b[j]);
        shift_x.push_back(of_a - most);
        shift_b.push_back(-most);
    }
    DeviceArray<int> powers_x(stream, shift_x), powers_b(stream, shift_b);
    Matrix<T> scaled_a, scaled_x(stream, x.rows, x.cols), residual(stream, b.rows, b.cols);
    if (of_a != 0) {
        scaled_a = Matrix<T>(stream, a.rows, a.cols);
        TL_DISPATCH(stream.device(), scale_by_power<T>(stream, a, -of_a, scaled_a.view()));
        a = scaled_a.view();
    }
    TL_DISPATCH(stream.device(),
                scale_by_powers<T>(stream, x, {}, powers_x.view(), scaled_x.view()));
    TL_DISPATCH(stream.device(),
                scale_by_powers<T>(stream, b, {}, powers_b.view(), residual.view()));
    of_b = column_sizes<T>(stream, residual.view());
    of_x = column_sizes<T>(stream, scaled_x.view());
    blas.gemm(Transpose::no, Transpose::no, T(-1), a, scaled_x.view(), T(1), residual.view());
    auto of_r = column_sizes<T>(stream, residual.view());
    double norm = infinity_norm(stream, a), worst = 0;
    for (std::size_t j = 0; j < of_r.size(); ++j)
        if (of_r[j] > 0) keep_larger(worst, of_r[j] / (norm * of_x[j] + of_b[j]));
    return worst;
}

std::unique_ptr<LinearSolver> make_linear_lu() {
    return std::make_unique<DirectSystem>();
}

template void solve_directly(Stream&, MatrixView<const float>, LinearSolution<float>&, StageTimer&,
                             SolverRun&);
template void solve_directly(Stream&, MatrixView<const double>, LinearSolution<double>&,
                             StageTimer&, SolverRun&);
template double backward_error(Blas&, MatrixView<const float>, MatrixView<const float>,
                               MatrixView<const float>);
template double backward_error(Blas&, MatrixView<const double>, MatrixView<const double>,
                               MatrixView<const double>);

}  // namespace tl
