#include "solvers/dense/rref/rref.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "solvers/dense/lu/lu_complete.h"
#include "solvers/dense/lu/lu_factors.h"
#include "solvers/dense/lu/lu_modes.h"
#include "solvers/dense/lu/row_moves.h"
#include "solvers/dense/matrix_kernels.h"
#include "solvers/dense/matrix_norms.h"
#include "solvers/dense/rref/rref_kernels.h"

namespace tl {
namespace {

/// Columns that are eliminated before those at their right are updated.
constexpr int kPanel = 32;

/// Largest rounding residue of a column that depends on those before it. Random and integer
/// matrices of known rank leave up to 7.5 of max(m, n) eps times the largest column, in float and
/// 2000 rows, and their least pivots are 15 or more. Norms of all columns or rows grow with the
/// size as well, and would hide pivots of large matrices of floats.
template <class T>
double default_tolerance(Stream& stream, MatrixView<const T> a, T largest) {
    if (largest == T(0)) return 0;
    constexpr double kLeft = 8;
    return kLeft * std::max(a.rows, a.cols) *
           static_cast<double>(std::numeric_limits<T>::epsilon()) *
           largest_column_norm<T>(stream, a, largest) * static_cast<double>(largest);
}

/// Returns the tolerance of the request, or that of the matrix. Throws UserError for elements that
/// are not finite.
template <class T>
double tolerance_for(Stream& stream, MatrixView<const T> a, double asked) {
    T largest = largest_magnitude(stream, a, "rref", "the matrix has no reduced form");
    return asked >= 0 ? asked : default_tolerance<T>(stream, a, largest);
}

template <class T>
void require_reduction_memory(Stream& stream, MatrixView<const T> a) {
    auto bytes = 4 * static_cast<std::uint64_t>(a.rows) * static_cast<std::uint64_t>(a.cols);
    require_memory(stream.device(), bytes * sizeof(T), "the reduced row echelon form",
                   "ask for a smaller matrix, or for float instead of double");
}

/// Whether all pivots of factors are above the tolerance.
template <class T>
bool pivots_exceed(Stream& stream, MatrixView<const T> lu, double tolerance) {
    int k = std::min(lu.rows, lu.cols);
    Matrix<T> diagonal(stream, 1, k);
    TL_DISPATCH(stream.device(),
                copy_matrix<T>(stream, {lu.data, 1, k, lu.stride + 1}, diagonal.view()));
    auto host = diagonal.download(stream);
    return std::ranges::all_of(
        host, [&](T value) { return std::abs(static_cast<double>(value)) > tolerance; });
}

/// Eliminates down with a pivot tried for every column. Returns the pivot columns.
template <class T>
std::vector<int> eliminate_by_columns(Blas& blas, MatrixView<T> a, double tolerance,
                                      SolverRun& run) {
    Stream& stream = blas.stream();
    int most = std::min(a.rows, a.cols), rank = 0;
    DeviceArray<EchelonState> state(stream, 1);
    state.fill_zero(stream);
    DeviceArray<int> pivots(stream, static_cast<std::size_t>(most));
    DeviceArray<int> swaps(stream, static_cast<std::size_t>(most));
    DeviceArray<int> moves_memory(stream, std::size_t(4) * most);
    Matrix<T> l(stream, a.rows, kPanel);
    for (int first = 0; first < a.cols && rank < most; first += kPanel) {
        int width = std::min(kPanel, a.cols - first), right = first + width;
        TL_DISPATCH(stream.device(),
                    eliminate_columns<T>(stream, a, first, width, static_cast<T>(tolerance),
                                         state.data(), pivots.view(), swaps.view()));
        int before = rank;
        rank = state.download(stream)[0].rank;
        int found = rank - before;
        run.report(0.9 * right / a.cols);
        if (found == 0 || right == a.cols) continue;
        // Only these rows' exchanges; other columns than the panel's take them now.
        RowMoves moves{moves_memory.data(), kPanel, rank};
        TL_DISPATCH(stream.device(), moves_of_swaps(stream, swaps.view(), moves, before));
        TL_DISPATCH(stream.device(), move_rows<T>(stream, a, moves, before, found,
                                                  {0, right, a.cols - right, false}));
        View<const int> columns(pivots.data() + before, static_cast<std::size_t>(found));
        auto factors = l.view().block(0, 0, a.rows, found);
        TL_DISPATCH(stream.device(), permute_columns<T>(stream, a, columns, factors));
        auto top = a.block(before, right, found, a.cols - right);
        blas.solve(Triangle::unit_lower, Transpose::no, factors.block(before, 0, found, found),
                   top);
        blas.gemm(Transpose::no, Transpose::no, T(-1), factors.block(rank, 0, a.rows - rank, found),
                  top, T(1), a.block(rank, right, a.rows - rank, a.cols - right));
    }
    auto host = pivots.download(stream);
    host.resize(static_cast<std::size_t>(rank));
    return host;
}

}  // namespace

template <class T>
Rref<T> reduce_rows(Stream& stream, MatrixView<const T> a, double tolerance, SolverRun& run,
                    const std::string& mode) {
    require_reduction_memory(stream, a);
    Rref<T> result;
    result.tolerance = tolerance_for<T>(stream, a, tolerance);
    result.r = Matrix<T>(stream, a.rows, a.cols);
    if (a.empty()) return result;
    StageTimer timer(stream);
    timer.begin_frame();
    auto blas = make_blas(stream);
    Matrix<T> work;
    {
        StageTimer::Scope stage(timer, "factorise");
        SolverRun part(run, 0, 0.8);
        auto factors = make_lu_solver(mode, stream.device())->factorise(stream, a, part);
        result.full_rank = pivots_exceed<T>(stream, factors.lu.view(), result.tolerance);
        work = std::move(factors.lu);
    }
    if (result.full_rank) {
        result.pivots.resize(static_cast<std::size_t>(std::min(a.rows, a.cols)));
        std::iota(result.pivots.begin(), result.pivots.end(), 0);
    } else {
        StageTimer::Scope stage(timer, "by columns");
        TL_DISPATCH(stream.device(), copy_matrix<T>(stream, a, work.view()));
        result.pivots = eliminate_by_columns(*blas, work.view(), result.tolerance, run);
    }
    {
        StageTimer::Scope stage(timer, "eliminate up");
        auto rank = static_cast<int>(result.pivots.size());
        std::vector<int> free;
        for (int j = 0, next = 0; j < a.cols; ++j) {
            if (next < rank && result.pivots[next] == j)
                ++next;
            else
                free.push_back(j);
        }
        DeviceArray<int> pivots(stream, result.pivots), columns(stream, free);
        Matrix<T> f(stream, rank, static_cast<int>(free.size())), u(stream, rank, rank);
        auto kept = work.view().block(0, 0, rank, a.cols);
        TL_DISPATCH(stream.device(),
                    gather_free<T>(stream, kept, columns.view(), pivots.view(), f.view()));
        TL_DISPATCH(stream.device(), permute_columns<T>(stream, kept, pivots.view(), u.view()));
        blas->solve(Triangle::upper, Transpose::no, u.view(), f.view());
        TL_DISPATCH(stream.device(), assemble_reduced<T>(stream, f.view(), columns.view(),
                                                         pivots.view(), result.r.view()));
    }
    timer.end_frame();
    timer.flush();
    result.stages = timer.latest();
    run.report(1);
    return result;
}

template <class T>
Rref<T> reduce_rows_completely(Stream& stream, MatrixView<const T> a, int right, double tolerance,
                               SolverRun& run) {
    require_reduction_memory(stream, a);
    int searched = a.cols - right;
    Rref<T> result;
    result.tolerance = tolerance_for(stream, a.columns(0, searched), tolerance);
    (void)largest_magnitude(stream, a, "rref", "the right side must be");
    result.r = Matrix<T>(stream, a.rows, a.cols);
    result.r.fill_zero(stream);
    if (a.empty()) return result;
    StageTimer timer(stream);
    timer.begin_frame();
    Matrix<T> work(stream, a.rows, a.cols);
    TL_DISPATCH(stream.device(), copy_matrix<T>(stream, a, work.view()));
    int rank = 0;
    {
        StageTimer::Scope stage(timer, "eliminate");
        auto made = eliminate_completely<T>(stream, work.view(), searched, result.tolerance, run);
        rank = made.rank;
        result.order = order_of(made.columns, a.cols);
    }
    {
        StageTimer::Scope stage(timer, "eliminate up");
        auto blas = make_blas(stream);
        int below = a.rows - rank;
        auto w = work.view(), r = result.r.view(), free = w.block(0, rank, rank, a.cols - rank);
        blas->solve(Triangle::upper, Transpose::no, w.block(0, 0, rank, rank), free);
        TL_DISPATCH(stream.device(), set_identity<T>(stream, r.block(0, 0, rank, rank)));
        TL_DISPATCH(stream.device(),
                    copy_matrix<T>(stream, free, r.block(0, rank, rank, a.cols - rank)));
        TL_DISPATCH(stream.device(), copy_matrix<T>(stream, w.block(rank, searched, below, right),
                                                    r.block(rank, searched, below, right)));
    }
    result.pivots.resize(static_cast<std::size_t>(rank));
    std::iota(result.pivots.begin(), result.pivots.end(), 0);
    timer.end_frame();
    timer.flush();
    result.stages = timer.latest();
    run.report(1);
    return result;
}

template Rref<float> reduce_rows_completely(Stream&, MatrixView<const float>, int, double,
                                            SolverRun&);
template Rref<double> reduce_rows_completely(Stream&, MatrixView<const double>, int, double,
                                             SolverRun&);
template Rref<float> reduce_rows(Stream&, MatrixView<const float>, double, SolverRun&,
                                 const std::string&);
template Rref<double> reduce_rows(Stream&, MatrixView<const double>, double, SolverRun&,
                                  const std::string&);

}  // namespace tl
