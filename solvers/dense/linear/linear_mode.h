// Common code of all modes of linear systems.
#pragma once

#include <string>

#include "solvers/dense/linear/linear.h"
#include "solvers/dense/lu/lu.h"
#include "solvers/dense/matrix_kernels.h"
#include "solvers/dense/matrix_norms.h"

namespace tl {

/// Throws UserError unless A is square and B has its rows.
template <class Number>
void check_system_extents(MatrixView<const Number> a, MatrixView<const Number> b) {
    auto extents = [](MatrixView<const Number> m) {
        return std::to_string(m.rows) + "x" + std::to_string(m.cols);
    };
    if (a.rows != a.cols)
        throw UserError("solve: the matrix is " + extents(a) +
                        ", but only square ones can be solved with");
    if (b.rows != a.rows)
        throw UserError("solve: the right side is " + extents(b) + ", but the matrix has " +
                        std::to_string(a.rows) + " rows");
}

/// Why a system with elements that are not finite is refused.
inline constexpr const char* kMatrixNotFinite = "the system has no solution";
inline constexpr const char* kRightNotFinite = "the right side must be";

/// Throws UserError unless A is square, B has its rows, and both are finite.
template <class T>
void check_system(Stream& stream, MatrixView<const T> a, MatrixView<const T> b) {
    check_system_extents(a, b);
    (void)largest_magnitude(stream, a, "solve", kMatrixNotFinite);
    (void)largest_magnitude(stream, b, "solve", kRightNotFinite);
}

/// The error of a matrix whose pivot in that column is zero.
[[nodiscard]] inline UserError singular_matrix(int column) {
    return UserError("the matrix is singular: the pivot of column " + std::to_string(column) +
                     ", counted from 0, is zero");
}

/// The error of a solution with elements beyond the range of T.
[[nodiscard]] inline UserError infinite_solution() {
    return UserError(
        "solve: the solution has elements that are beyond the range of its numbers: the matrix is "
        "singular up to rounding, or the right side is far larger than it; divide the right side, "
        "or solve in double");
}

/// Solves A X = B by a PLU factorisation in the precision of T, with X = B at first. Where that
/// over- or underflows, solves again with rows and columns scaled, and adds to the note. Throws
/// UserError if A is singular or the solution is not finite.
template <class T>
void solve_directly(Stream& stream, MatrixView<const T> a, LinearSolution<T>& solution,
                    StageTimer& timer, SolverRun& run);

/// Base of a `Mode` with the member
///     template <class T> void run(Stream&, MatrixView<const T> a, LinearSolution<T>& solution,
///                                 StageTimer&, SolverRun&)
/// where solution.x is B at first.
template <class Mode>
class LinearMode : public LinearSolver {
  public:
    /// `id` must outlive the mode.
    explicit LinearMode(const char* id) : id_(id) {}

    LinearSolution<float> solve(Stream& stream, MatrixView<const float> a,
                                MatrixView<const float> b, SolverRun& run) override {
        return checked(stream, a, b, run);
    }
    LinearSolution<double> solve(Stream& stream, MatrixView<const double> a,
                                 MatrixView<const double> b, SolverRun& run) override {
        return checked(stream, a, b, run);
    }

  protected:
    [[nodiscard]] const char* id() const { return id_; }

  private:
    template <class T>
    LinearSolution<T> checked(Stream& stream, MatrixView<const T> a, MatrixView<const T> b,
                              SolverRun& run) {
        check_system(stream, a, b);
        auto rows = static_cast<std::uint64_t>(a.rows);
        require_memory(
            stream.device(),
            (2 * rows * rows + 4 * rows * static_cast<std::uint64_t>(b.cols)) * sizeof(T),
            std::string("solve mode ") + id_, kDenseMemoryAdvice);
        LinearSolution<T> solution;
        solution.mode = id_;
        solution.x = Matrix<T>(stream, b.rows, b.cols);
        TL_DISPATCH(stream.device(), copy_matrix<T>(stream, b, solution.x.view()));
        StageTimer timer(stream);
        timer.begin_frame();
        if (!a.empty()) static_cast<Mode&>(*this).template run<T>(stream, a, solution, timer, run);
        timer.end_frame();
        timer.flush();
        if (!all_finite<T>(stream, solution.x.view())) throw infinite_solution();
        solution.stages = timer.latest();
        run.report(1);
        return solution;
    }

    const char* id_;
};

}  // namespace tl
