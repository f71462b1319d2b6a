#include <algorithm>

#include "solvers/complex/complex_kernels.h"
#include "solvers/complex/complex_lapack.h"
#include "solvers/complex/complex_lu.h"
#include "solvers/complex/complex_matrix.h"
#include "solvers/dense/linear/linear_mode.h"

namespace tl {
namespace {

constexpr const char* kComplexDirect = "lu";
constexpr const char* kLapackSystem = "lapack-gesv";

/// Solves the real system of twice the size.
template <class T>
void solve_real_form(Stream& stream, MatrixView<const Complex<T>> a, MatrixView<const Complex<T>> b,
                     const std::string& mode, LinearSolution<Complex<T>>& solution,
                     SolverRun& run) {
    auto solver = make_linear_solver(mode, stream.device());
    auto real_a = real_form_of<T>(stream, a), real_b = stacked_parts<T>(stream, b);
    auto real = solver->solve(stream, MatrixView<const T>(real_a.view()), real_b.view(), run);
    solution.x = joined_parts<T>(stream, real.x.view());
    solution.steps = real.steps;
    solution.note = real.note;
    solution.stages = real.stages;
}

/// Solves with factors of A; X is B at first. Where that over- or underflows, solves the real
/// system, whose rows and columns are scaled.
template <class T>
void solve_by_factors(Stream& stream, MatrixView<const Complex<T>> a,
                      MatrixView<const Complex<T>> b, LinearSolution<Complex<T>>& solution,
                      SolverRun& run) {
    auto factors =
        factorise_complex<T>(stream, a, complex_lu_modes(stream.device().kind())[0], run);
    solution.stages = factors.stages;
    int zero_pivot = first_zero_pivot(stream, factors);
    if (zero_pivot < 0) {
        auto blas = make_blas(stream);
        solve_with<Complex<T>>(*blas, factors, Transpose::no, solution.x.view());
        MatrixView<const Complex<T>> x = solution.x.view();
        if (all_finite<T>(stream, parts_of(x))) return;
    }
    try {
        solve_real_form<T>(stream, a, b, kComplexDirect, solution, run);
    } catch (const UserError&) {
        // The real system counts other columns.
        if (zero_pivot >= 0) throw singular_matrix(zero_pivot);
        throw;
    }
}

template <class T>
void solve_system_by_lapack(Stream& stream, MatrixView<const Complex<T>> a,
                            LinearSolution<Complex<T>>& solution) {
    Matrix<Complex<T>> copy(stream, a.rows, a.cols);
    cpu::copy_matrix<Complex<T>>(stream, a, copy.view());
    if (int column = lapack_gesv<T>(copy.view(), solution.x.view()); column >= 0)
        throw singular_matrix(column);
    MatrixView<const Complex<T>> x = solution.x.view();
    if (!all_finite<T>(stream, parts_of(x))) throw infinite_solution();
}

}  // namespace

std::vector<std::string> complex_system_modes(DeviceKind device) {
    std::vector<std::string> modes;
    for (auto& row : linear_solvers())
        if (!row.peer && (device == DeviceKind::cpu ? row.make_cpu : row.make_cuda))
            modes.push_back(row.id);
    if (device == DeviceKind::cpu) modes.emplace_back(kLapackSystem);
    return modes;
}

template <class T>
LinearSolution<Complex<T>> solve_complex(Stream& stream, MatrixView<const Complex<T>> a,
                                         MatrixView<const Complex<T>> b, const std::string& mode,
                                         SolverRun& run) {
    require_complex_mode("solve", mode, complex_system_modes(stream.device().kind()));
    check_system_extents(a, b);
    (void)largest_magnitude(stream, a, "solve", kMatrixNotFinite);
    (void)largest_magnitude(stream, b, "solve", kRightNotFinite);
    auto rows = static_cast<std::uint64_t>(a.rows);
    bool is_direct = mode == kComplexDirect || mode == kLapackSystem;
    require_memory(stream.device(),
                   ((is_direct ? 2 : 6) * rows * rows +
                    (is_direct ? 2 : 4) * rows * static_cast<std::uint64_t>(b.cols)) *
                       sizeof(Complex<T>),
                   "solve mode " + mode, kDenseMemoryAdvice);
    LinearSolution<Complex<T>> solution;
    solution.mode = mode;
    solution.x = Matrix<Complex<T>>(stream, b.rows, b.cols);
    TL_DISPATCH(stream.device(), copy_matrix<Complex<T>>(stream, b, solution.x.view()));
    if (a.empty()) return solution;
    if (mode == kLapackSystem) {
        solve_system_by_lapack<T>(stream, a, solution);
    } else if (mode == kComplexDirect) {
        solve_by_factors<T>(stream, a, b, solution, run);
    } else {
        solve_real_form<T>(stream, a, b, mode, solution, run);
    }
    run.report(1);
    return solution;
}

template <class T>
double backward_error(Blas& blas, MatrixView<const Complex<T>> a, MatrixView<const Complex<T>> x,
                      MatrixView<const Complex<T>> b) {
    Stream& stream = blas.stream();
    auto real_a = real_form_of<T>(stream, a);
    auto real_x = stacked_parts<T>(stream, x), real_b = stacked_parts<T>(stream, b);
    return backward_error<T>(blas, MatrixView<const T>(real_a.view()),
                             MatrixView<const T>(real_x.view()),
                             MatrixView<const T>(real_b.view()));
}

#define TL_INSTANTIATE(T)                                                                    \
    template LinearSolution<Complex<T>> solve_complex(Stream&, MatrixView<const Complex<T>>, \
                                                      MatrixView<const Complex<T>>,          \
                                                      const std::string&, SolverRun&);       \
    template double backward_error(Blas&, MatrixView<const Complex<T>>,                      \
                                   MatrixView<const Complex<T>>, MatrixView<const Complex<T>>);
TL_INSTANTIATE(float)
TL_INSTANTIATE(double)
#undef TL_INSTANTIATE

}  // namespace tl
