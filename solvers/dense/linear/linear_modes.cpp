#include "solvers/dense/linear/linear_modes.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/dense/linear/linear_mode.h"
#include "solvers/dense/lu/lu_factors.h"
#include "solvers/dense/lu/lu_kernels.h"
#include "solvers/dense/lu/lu_modes.h"

namespace tl {
namespace {

/// X = A^-1 X in the precision of T.
template <class T>
void solve_directly(Stream& stream, MatrixView<const T> a, MatrixView<T> x, StageTimer& timer,
                    SolverRun& run) {
    LuFactors<T> factors;
    {
        StageTimer::Scope stage(timer, "factorise");
        SolverRun part(run, 0, 0.9);
        factors = make_lu_solver("blocked", stream.device())->factorise(stream, a, part);
    }
    if (int column = first_zero_pivot(stream, factors); column >= 0) throw singular_matrix(column);
    StageTimer::Scope stage(timer, "substitute");
    auto blas = make_blas(stream);
    solve_with(*blas, factors, Transpose::no, x);
}

class DirectSystem final : public LinearMode<DirectSystem> {
  public:
    DirectSystem() : LinearMode("lu") {}

    template <class T>
    void run(Stream& stream, MatrixView<const T> a, LinearSolution<T>& solution, StageTimer& timer,
             SolverRun& run) {
        solve_directly(stream, a, solution.x.view(), timer, run);
    }
};

/// The largest magnitude of each column.
std::vector<double> column_sizes(Stream& stream, MatrixView<const double> a) {
    auto n = static_cast<std::size_t>(a.cols);
    DeviceArray<double> largest(stream, n);
    DeviceArray<int> bad(stream, n);
    TL_DISPATCH(stream.device(), column_maxima<double>(stream, a, largest.view(), bad.view()));
    auto sizes = largest.download(stream);
    auto bad_rows = bad.download(stream);
    for (std::size_t j = 0; j < n; ++j)
        if (bad_rows[j] >= 0) sizes[j] = std::numeric_limits<double>::infinity();
    return sizes;
}

class RefinedSystem final : public LinearMode<RefinedSystem> {
  public:
    RefinedSystem(const char* id, bool tf32) : LinearMode(id), tf32_(tf32) {}

    template <class T>
    void run(Stream& stream, MatrixView<const T> a, LinearSolution<T>& solution, StageTimer& timer,
             SolverRun& run) {
        if constexpr (sizeof(T) == 4) {
            throw UsageError(std::string("solve: mode ") + id() +
                             " refines doubles; floats are solved by mode lu");
        } else {
            Matrix<double> b(stream, a.rows, solution.x.cols());
            TL_DISPATCH(stream.device(), copy_matrix<double>(stream, solution.x.view(), b.view()));
            auto reason = refine(stream, a, b.view(), solution, timer, run);
            if (reason.empty()) return;
            solution.note = "solved in double, since " + reason;
            TL_DISPATCH(stream.device(), copy_matrix<double>(stream, b.view(), solution.x.view()));
            solve_directly<double>(stream, a, solution.x.view(), timer, run);
        }
    }

  private:
    /// Returns why it did not succeed, or "".
    std::string refine(Stream& stream, MatrixView<const double> a, MatrixView<const double> b,
                       LinearSolution<double>& solution, StageTimer& timer, SolverRun& run) {
        int n = a.rows, n_sides = b.cols;
        // Factors of A 2^-exponent, whose largest element is about 1.
        double most = largest_magnitude(stream, a, id(), "the system has no solution");
        int exponent = 0;
        (void)std::frexp(most, &exponent);
        Matrix<float> narrow(stream, n, n);
        TL_DISPATCH(stream.device(), narrow_matrix(stream, a, -exponent, narrow.view()));
        LuFactors<float> factors;
        {
            StageTimer::Scope stage(timer, "factorise in float");
            SolverRun part(run, 0, 0.8);
            auto solver = tf32_ ? make_lu_tf32() : make_lu_solver("blocked", stream.device());
            factors = solver->factorise(stream, narrow.view(), part);
        }
        if (first_zero_pivot(stream, factors) >= 0) return "the matrix is singular in float";
        StageTimer::Scope stage(timer, "refine");
        auto blas = make_blas(stream);
        double norm = infinity_norm(stream, a);
        double goal = std::sqrt(static_cast<double>(n)) * std::numeric_limits<double>::epsilon();
        auto x = solution.x.view();
        TL_DISPATCH(stream.device(), set_zero(stream, x));
        Matrix<double> residual(stream, n, n_sides);
        Matrix<float> correction(stream, n, n_sides);
        std::vector<double> sizes = column_sizes(stream, b), scales(sizes.size());
        TL_DISPATCH(stream.device(), copy_matrix<double>(stream, b, residual.view()));
        double last = std::numeric_limits<double>::infinity();
        constexpr int kMostSteps = 30;
        for (int step = 0; step < kMostSteps; ++step) {
            DeviceArray<double> device_scales;
            auto use_scales = [&](int power) {
                for (std::size_t j = 0; j < sizes.size(); ++j)
                    scales[j] = std::ldexp(sizes[j] > 0 ? 1 / sizes[j] : 1.0, power);
                device_scales.assign(stream, scales);
            };
            use_scales(0);
            TL_DISPATCH(stream.device(), narrow_columns(stream, residual.view(),
                                                        device_scales.view(), correction.view()));
            solve_with(*blas, factors, Transpose::no, correction.view());
            use_scales(exponent);
            TL_DISPATCH(stream.device(),
                        add_columns(stream, correction.view(), device_scales.view(), x));
            TL_DISPATCH(stream.device(), copy_matrix<double>(stream, b, residual.view()));
            blas->gemm(Transpose::no, Transpose::no, -1.0, a, x, 1.0, residual.view());
            solution.steps = step + 1;
            sizes = column_sizes(stream, residual.view());
            auto of_x = column_sizes(stream, x);
            double worst = 0;
            for (std::size_t j = 0; j < sizes.size(); ++j)
                if (sizes[j] > 0) worst = std::max(worst, sizes[j] / of_x[j] / norm);
            if (!std::isfinite(worst)) return "refinement overflowed";
            if (worst <= goal) return "";
            if (worst > last / 2)
                return "refinement stopped converging after " + std::to_string(step + 1) + " steps";
            last = worst;
            run.report(0.8 + 0.2 * step / kMostSteps);
        }
        return "refinement took too many steps";
    }

    bool tf32_;
};

}  // namespace

template <class T>
double backward_error(Blas& blas, MatrixView<const T> a, MatrixView<const T> x,
                      MatrixView<const T> b) {
    if (b.empty()) return 0;
    Stream& stream = blas.stream();
    Matrix<T> residual(stream, b.rows, b.cols);
    TL_DISPATCH(stream.device(), copy_matrix<T>(stream, b, residual.view()));
    blas.gemm(Transpose::no, Transpose::no, T(-1), a, x, T(1), residual.view());
    auto sizes = [&](MatrixView<const T> m) {
        auto n = static_cast<std::size_t>(m.cols);
        DeviceArray<T> largest(stream, n);
        DeviceArray<int> bad(stream, n);
        TL_DISPATCH(stream.device(), column_maxima<T>(stream, m, largest.view(), bad.view()));
        auto host = largest.download(stream);
        return std::vector<double>(host.begin(), host.end());
    };
    double norm = infinity_norm(stream, a), worst = 0;
    auto of_r = sizes(residual.view()), of_x = sizes(x), of_b = sizes(b);
    for (std::size_t j = 0; j < of_r.size(); ++j)
        if (of_r[j] > 0) worst = std::max(worst, of_r[j] / (norm * of_x[j] + of_b[j]));
    return worst;
}

std::unique_ptr<LinearSolver> make_linear_lu() {
    return std::make_unique<DirectSystem>();
}
std::unique_ptr<LinearSolver> make_linear_refined() {
    return std::make_unique<RefinedSystem>("refined", false);
}
std::unique_ptr<LinearSolver> make_linear_refined_tf32() {
    return std::make_unique<RefinedSystem>("refined-tf32", true);
}

template double backward_error(Blas&, MatrixView<const float>, MatrixView<const float>,
                               MatrixView<const float>);
template double backward_error(Blas&, MatrixView<const double>, MatrixView<const double>,
                               MatrixView<const double>);

}  // namespace tl
