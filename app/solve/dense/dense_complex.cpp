// PLU factorisations and systems of equations with complex matrices.
#include <algorithm>
#include <cmath>

#include "app/solve/dense/dense_runs.h"
#include "core/base/error.h"
#include "core/base/paths.h"
#include "solvers/complex/complex_lu.h"
#include "solvers/dense/lu/lu_kernels.h"
#include "solvers/dense/matrix_files.h"

namespace tl {
namespace {

using Json = nlohmann::ordered_json;

std::string mode_of(const DenseTask& task, const std::vector<std::string>& modes) {
    return task.mode.empty() ? modes.front() : task.mode;
}

template <class T>
void run_complex_lu(Blas& blas, const DenseTask& task, MatrixView<const Complex<T>> a,
                    SolverRun& run, Json& report, DenseFiles<T>* files) {
    Stream& stream = blas.stream();
    auto mode = mode_of(task, complex_lu_modes(stream.device().kind()));
    LuFactors<Complex<T>> factors;
    report["seconds"] =
        dense_seconds(stream, [&] { factors = factorise_complex<T>(stream, a, mode, run); });
    report["mode"] = factors.mode;
    report["stages"] = stages_json(factors.stages);
    auto accuracy = measure_lu<T>(blas, a, factors);
    report["accuracy"] = {{"residual", accuracy.residual}, {"growth", accuracy.growth}};
    Json results;
    if (a.rows == a.cols) {
        auto determinant = determinant_of<T>(stream, factors);
        results["determinant"] = {{"mantissa", determinant.mantissa.re},
                                  {"imaginary_mantissa", determinant.mantissa.im},
                                  {"exponent", determinant.exponent},
                                  {"log", finite_or_text(determinant.log_magnitude())}};
    }
    results["zero_pivot"] = first_zero_pivot(stream, factors);
    report["results"] = results;
    if (!files) return;
    if (task.packed) {
        files->complex_matrices = {{"_LU", host_of(stream, factors.lu)}};
    } else {
        int k = std::min(a.rows, a.cols);
        Matrix<Complex<T>> l(stream, a.rows, k), u(stream, k, a.cols);
        TL_DISPATCH(stream.device(), unpack_lower<Complex<T>>(stream, factors.lu.view(), l.view()));
        TL_DISPATCH(stream.device(), unpack_upper<Complex<T>>(stream, factors.lu.view(), u.view()));
        files->complex_matrices = {{"_L", host_of(stream, l)}, {"_U", host_of(stream, u)}};
    }
    files->orders = {{"_p", order_of(factors.swaps, a.rows)}};
}

/// The right sides of a task: those of its file, those whose solution is 1, or random ones.
template <class T>
Matrix<Complex<T>> complex_right_of(Blas& blas, const DenseTask& task,
                                    MatrixView<const Complex<T>> a) {
    using Number = Complex<T>;
    if (!task.right_file.empty()) return make_complex_input<T>(blas, {task.right_file, {}});
    int sides = std::max(task.n_right, 1);
    if (!task.known_solution) {
        constexpr std::uint64_t kNextSeed = 2;  // a complex matrix takes two
        return make_complex_input<T>(
            blas,
            {"", {"uniform", std::max(a.rows, 1), sides, 1, task.input.spec.seed + kNextSeed}});
    }
    Stream& stream = blas.stream();
    Matrix<Number> ones(stream, a.cols, sides), b(stream, a.rows, sides);
    ones.upload(stream, std::vector<Number>(static_cast<std::size_t>(a.cols) * sides, Number(1)));
    blas.gemm(Transpose::no, Transpose::no, Number(1), a, ones.view(), Number(0), b.view());
    return b;
}

template <class T>
void run_complex_solve(Blas& blas, const DenseTask& task, MatrixView<const Complex<T>> a,
                       SolverRun& run, Json& report, DenseFiles<T>* files) {
    Stream& stream = blas.stream();
    auto mode = mode_of(task, complex_system_modes(stream.device().kind()));
    auto b = complex_right_of<T>(blas, task, a);
    LinearSolution<Complex<T>> solution;
    report["seconds"] =
        dense_seconds(stream, [&] { solution = solve_complex<T>(stream, a, b.view(), mode, run); });
    report["mode"] = solution.mode;
    report["stages"] = stages_json(solution.stages);
    report["accuracy"] = {
        {"backward_error", backward_error<T>(blas, a, solution.x.view(), b.view())}};
    if (task.known_solution) {
        // The distances from 1, as solutions that are 1 more.
        std::vector<T> distances;
        for (auto x : solution.x.download(stream))
            distances.push_back(1 + std::hypot(x.re - 1, x.im));
        report_solution_errors(distances, report);
    }
    report["results"] = {{"right_sides", b.cols()}, {"refinement_steps", solution.steps}};
    if (!solution.note.empty()) report["results"]["note"] = solution.note;
    if (files) files->complex_matrices = {{"_X", host_of(stream, solution.x)}};
}

template <class T>
Json run_complex_as(Blas& blas, const DenseTask& task, SolverRun& run, DenseFiles<T>* files) {
    if (task.input.file.empty()) {
        auto bytes = 5 * static_cast<std::uint64_t>(task.input.spec.rows) *
                     static_cast<std::uint64_t>(task.input.spec.cols) * sizeof(Complex<T>);
        require_memory(blas.stream().device(), bytes, "the complex matrix with its results",
                       kDenseMemoryAdvice);
    }
    auto a = make_complex_input<T>(blas, task.input);
    Json report{{"rows", a.rows()}, {"cols", a.cols()}, {"mode", ""}, {"seconds", 0.0}};
    report["numbers"] = "complex";
    if (task.problem == DenseProblem::lu)
        run_complex_lu<T>(blas, task, a.view(), run, report, files);
    else
        run_complex_solve<T>(blas, task, a.view(), run, report, files);
    return report;
}

}  // namespace

bool is_complex(const DenseTask& task) {
    bool is_lu = task.problem == DenseProblem::lu;
    if ((!is_lu && task.problem != DenseProblem::solve) || !task.factors.empty()) return false;
    bool of_right =
        !is_lu && !task.right_file.empty() && is_complex_file(with_home(task.right_file));
    if (!of_right && !is_complex(task.input)) return false;
    if (!task.settings.empty()) {
        auto flag = task.settings.begin()->first;
        std::ranges::replace(flag, '.', '-');
        throw UsageError(std::string("solve ") + id_of(task.problem) + ": --" + flag +
                         " is a setting of real matrices");
    }
    return true;
}

Json run_complex(Blas& blas, const DenseTask& task, SolverRun& run, DenseFiles<float>* files) {
    return run_complex_as(blas, task, run, files);
}
Json run_complex(Blas& blas, const DenseTask& task, SolverRun& run, DenseFiles<double>* files) {
    return run_complex_as(blas, task, run, files);
}

}  // namespace tl
