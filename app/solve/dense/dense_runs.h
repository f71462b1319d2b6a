// The problems of dense algebra one by one, each solved on the BLAS's stream. They fill the report,
// which has rows, cols, mode and seconds, and the files, if given.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>

#include "app/solve/dense/dense_problem.h"
#include "solvers/dense/lu/lu_factors.h"

namespace tl {

/// JSON has no infinity.
[[nodiscard]] inline nlohmann::ordered_json finite_or_text(double value) {
    return std::isfinite(value) ? nlohmann::ordered_json(value)
                                : nlohmann::ordered_json("infinite");
}

template <class T>
[[nodiscard]] HostMatrix<T> host_of(Stream& stream, const Matrix<T>& matrix) {
    HostMatrix<T> host;
    host.rows = matrix.rows();
    host.cols = matrix.cols();
    host.data = matrix.download(stream);
    return host;
}

/// Seconds that the stream takes for `work`.
template <class Work>
[[nodiscard]] double dense_seconds(Stream& stream, Work work) {
    stream.synchronize();
    auto start = std::chrono::steady_clock::now();
    work();
    stream.synchronize();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

[[nodiscard]] inline nlohmann::ordered_json determinant_json(const Determinant& determinant) {
    return {{"mantissa", determinant.mantissa},
            {"exponent", determinant.exponent},
            {"log", finite_or_text(determinant.log_magnitude())}};
}

/// Operations of a PLU factorisation.
[[nodiscard]] inline double lu_operations(double rows, double cols) {
    double n = std::min(rows, cols);
    return n * n * (rows - n / 3) + 2 * (cols - n) * n * (rows - n / 2);
}

/// The mode of a task, or the first one of its problem.
[[nodiscard]] inline std::string dense_mode_of(const DenseTask& task, const Device& device) {
    return task.mode.empty() ? dense_modes(task.problem, device.kind()).front() : task.mode;
}

/// The right sides of a task for a matrix: those of its file, those whose solution is 1, or random
/// ones. `a` may be empty unless the solution is known.
template <class T>
[[nodiscard]] Matrix<T> right_of(Blas& blas, const DenseTask& task, MatrixView<const T> a,
                                 int rows) {
    if (!task.right_file.empty()) return make_input<T>(blas, {task.right_file, {}}, nullptr);
    int sides = std::max(task.n_right, 1);
    if (!task.known_solution)
        return make_matrix<T>(blas,
                              {"uniform", std::max(rows, 1), sides, 1, task.input.spec.seed + 1});
    Stream& stream = blas.stream();
    // Stored factors of a square matrix may solve with its transpose.
    auto op = task.transposed ? Transpose::yes : Transpose::no;
    Matrix<T> ones(stream, a.cols, sides), b(stream, rows, sides);
    ones.upload(stream, std::vector<T>(static_cast<std::size_t>(a.cols) * sides, T(1)));
    blas.gemm(op, Transpose::no, T(1), a, ones.view(), T(0), b.view());
    return b;
}

/// Adds the largest and the mean error of a solution that is 1.
template <class T>
void report_solution_errors(const std::vector<T>& solution, nlohmann::ordered_json& report) {
    double largest = 0, sum = 0;
    for (T x : solution) {
        double error = std::abs(static_cast<double>(x) - 1);
        largest = std::max(largest, error);
        sum += error;
    }
    auto count = std::max<std::size_t>(solution.size(), 1);
    report["accuracy"]["largest_error"] = largest;
    report["accuracy"]["mean_error"] = sum / static_cast<double>(count);
}

void run_lu(Blas& blas, const DenseTask& task, MatrixView<const float> a, SolverRun& run,
            nlohmann::ordered_json& report, DenseFiles<float>* files);
void run_lu(Blas& blas, const DenseTask& task, MatrixView<const double> a, SolverRun& run,
            nlohmann::ordered_json& report, DenseFiles<double>* files);
void run_inverse(Blas& blas, const DenseTask& task, MatrixView<const float> a, SolverRun& run,
                 nlohmann::ordered_json& report, DenseFiles<float>* files);
void run_inverse(Blas& blas, const DenseTask& task, MatrixView<const double> a, SolverRun& run,
                 nlohmann::ordered_json& report, DenseFiles<double>* files);
void run_rref(Blas& blas, const DenseTask& task, MatrixView<const float> a, SolverRun& run,
              nlohmann::ordered_json& report, DenseFiles<float>* files);
void run_rref(Blas& blas, const DenseTask& task, MatrixView<const double> a, SolverRun& run,
              nlohmann::ordered_json& report, DenseFiles<double>* files);
void run_solve(Blas& blas, const DenseTask& task, MatrixView<const float> a, SolverRun& run,
               nlohmann::ordered_json& report, DenseFiles<float>* files);
void run_solve(Blas& blas, const DenseTask& task, MatrixView<const double> a, SolverRun& run,
               nlohmann::ordered_json& report, DenseFiles<double>* files);
/// Solves with the stored factors of a task. `a` is the matrix, or empty where it is not given.
void run_with_factors(Blas& blas, const DenseTask& task, MatrixView<const float> a, SolverRun& run,
                      nlohmann::ordered_json& report, DenseFiles<float>* files);
void run_with_factors(Blas& blas, const DenseTask& task, MatrixView<const double> a, SolverRun& run,
                      nlohmann::ordered_json& report, DenseFiles<double>* files);
void run_lstsq(Blas& blas, const DenseTask& task, MatrixView<const float> a, SolverRun& run,
               nlohmann::ordered_json& report, DenseFiles<float>* files);
void run_lstsq(Blas& blas, const DenseTask& task, MatrixView<const double> a, SolverRun& run,
               nlohmann::ordered_json& report, DenseFiles<double>* files);
void run_pinv(Blas& blas, const DenseTask& task, MatrixView<const float> a, SolverRun& run,
              nlohmann::ordered_json& report, DenseFiles<float>* files);
void run_pinv(Blas& blas, const DenseTask& task, MatrixView<const double> a, SolverRun& run,
              nlohmann::ordered_json& report, DenseFiles<double>* files);
void run_matmul(Blas& blas, const DenseTask& task, MatrixView<const float> a, SolverRun& run,
                nlohmann::ordered_json& report, DenseFiles<float>* files);
void run_matmul(Blas& blas, const DenseTask& task, MatrixView<const double> a, SolverRun& run,
                nlohmann::ordered_json& report, DenseFiles<double>* files);

/// Solves lu and solve with complex matrices. Returns the report.
[[nodiscard]] nlohmann::ordered_json run_complex(Blas& blas, const DenseTask& task, SolverRun& run,
                                                 DenseFiles<float>* files);
[[nodiscard]] nlohmann::ordered_json run_complex(Blas& blas, const DenseTask& task, SolverRun& run,
                                                 DenseFiles<double>* files);

}  // namespace tl
