// Iterative refinement of systems: factors in float, residuals in double.
#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/dense/largest_error.h"
#include "solvers/dense/linear/linear_mode.h"
#include "solvers/dense/linear/linear_modes.h"
#include "solvers/dense/lu/lu_factors.h"
#include "solvers/dense/lu/lu_kernels.h"
#include "solvers/dense/lu/lu_modes.h"

namespace tl {
namespace {

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
            solve_directly<double>(stream, a, solution, timer, run);
        }
    }

  private:
    /// Refines the solution. Returns the reason for a failure, or "". Works on A over 2^of_a and
    /// columns of B over 2^sides[j], so that neither residuals nor corrections over- or underflow.
    std::string refine(Stream& stream, MatrixView<const double> a, MatrixView<double> b,
                       LinearSolution<double>& solution, StageTimer& timer, SolverRun& run) {
        int n = a.rows;
        auto& device = stream.device();
        double most = largest_magnitude(stream, a, id(), "the system has no solution");
        int exponent = exponents_of({most})[0];
        constexpr int kMuch = 200;
        int of_a = std::abs(exponent) > kMuch ? exponent : 0;
        Matrix<double> scaled;
        if (of_a != 0) {
            scaled = Matrix<double>(stream, n, n);
            TL_DISPATCH(device, scale_by_power<double>(stream, a, -of_a, scaled.view()));
            a = scaled.view();
        }
        auto sides = exponents_of(column_sizes<double>(stream, b));
        Matrix<double> scaled_b(stream, n, b.cols);
        auto scale_sides = [&](MatrixView<const double> from, int sign, int add,
                               MatrixView<double> to) {
            std::vector<int> powers;
            for (int side : sides) powers.push_back(sign * side + add);
            DeviceArray<int> on_device(stream, powers);
            TL_DISPATCH(device, scale_by_powers<double>(stream, from, {}, on_device.view(), to));
        };
        scale_sides(b, -1, 0, scaled_b.view());
        auto reason =
            refine_scaled(stream, a, exponent - of_a, scaled_b.view(), solution, timer, run);
        if (!reason.empty()) return reason;
        scale_sides(solution.x.view(), 1, -of_a, solution.x.view());
        return all_finite<double>(stream, solution.x.view()) ? "" : "the solution overflowed";
    }

    /// Refines the solution for A of about 2^exponent and columns of B of about 1.
    std::string refine_scaled(Stream& stream, MatrixView<const double> a, int exponent,
                              MatrixView<const double> b, LinearSolution<double>& solution,
                              StageTimer& timer, SolverRun& run) {
        int n = a.rows;
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
        Matrix<double> residual(stream, n, b.cols);
        Matrix<float> correction(stream, n, b.cols);
        TL_DISPATCH(stream.device(), copy_matrix<double>(stream, b, residual.view()));
        auto sizes = column_sizes<double>(stream, residual.view());
        double last = std::numeric_limits<double>::infinity();
        constexpr int kMostSteps = 30;
        for (int step = 0; step < kMostSteps; ++step) {
            add_correction(*blas, factors, residual.view(), sizes, exponent, correction.view(), x);
            TL_DISPATCH(stream.device(), copy_matrix<double>(stream, b, residual.view()));
            blas->gemm(Transpose::no, Transpose::no, -1.0, a, x, 1.0, residual.view());
            solution.steps = step + 1;
            sizes = column_sizes<double>(stream, residual.view());
            auto of_x = column_sizes<double>(stream, x);
            double worst = 0;
            for (std::size_t j = 0; j < sizes.size(); ++j)
                if (sizes[j] > 0) keep_larger(worst, sizes[j] / of_x[j] / norm);
            if (!std::isfinite(worst)) return "refinement overflowed";
            if (worst <= goal) return "";
            if (worst > last / 2)
                return "refinement stopped converging after " + std::to_string(step + 1) + " steps";
            last = worst;
            run.report(0.8 + 0.2 * step / kMostSteps);
        }
        return "refinement took too many steps";
    }

    /// Adds the solution for the residual, whose columns have these sizes, to X.
    static void add_correction(Blas& blas, const LuFactors<float>& factors,
                               MatrixView<const double> residual, const std::vector<double>& sizes,
                               int exponent, MatrixView<float> correction, MatrixView<double> x) {
        Stream& stream = blas.stream();
        auto powers = exponents_of(sizes);
        std::vector<double> scales(powers.size());
        DeviceArray<double> on_device;
        auto use_scales = [&](int power) {
            // Residuals below 2^-700 are far below any goal.
            for (std::size_t j = 0; j < powers.size(); ++j)
                scales[j] = std::ldexp(1.0, power - std::max(powers[j], -700));
            on_device.assign(stream, scales);
        };
        use_scales(0);
        TL_DISPATCH(stream.device(),
                    narrow_columns(stream, residual, on_device.view(), correction));
        solve_with(blas, factors, Transpose::no, correction);
        use_scales(exponent);
        TL_DISPATCH(stream.device(), add_columns(stream, correction, on_device.view(), x));
    }

    bool tf32_;
};

}  // namespace

std::unique_ptr<LinearSolver> make_linear_refined() {
    return std::make_unique<RefinedSystem>("refined", false);
}
std::unique_ptr<LinearSolver> make_linear_refined_tf32() {
    return std::make_unique<RefinedSystem>("refined-tf32", true);
}

}  // namespace tl
