#include "solvers/queue/operations.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "solvers/dense/linear/linear_mode.h"
#include "solvers/dense/linear/solve_each.h"
#include "solvers/dense/linear/tridiagonal_matrices.h"
#include "solvers/dense/lu/lu_factors.h"
#include "solvers/dense/lu/lu_kernels.h"
#include "solvers/dense/matmul/matmul.h"
#include "solvers/dense/matrix_kernels.h"
#include "solvers/dense/rref/rref.h"
#include "solvers/eigen/eigen.h"
#include "solvers/least_squares/least_squares.h"
#include "solvers/svd/low_rank.h"
#include "solvers/svd/svd.h"

namespace tl {
namespace {

using Inputs = std::span<const AnyMatrix* const>;

template <class T>
MatrixView<const T> view_of(const AnyMatrix& matrix) {
    return std::get<Matrix<T>>(matrix).view();
}

template <class T>
void run_element(Stream& stream, const ElementOp& op, Inputs inputs, MatrixView<T> to) {
    // A matrix may be both operands.
    bool same = inputs.size() == 2 && inputs[0] == inputs[1];
    FusedNode node{op, {1, same ? 1U : 2U}, 3, true};
    FusedChain chain;
    (void)fuse_nodes({&node, 1}, chain);
    std::array<const T*, kFusedArrays> from{};
    for (std::size_t i = 0; i < chain.inputs.size(); ++i) from[i] = view_of<T>(*inputs[i]).data;
    auto size = static_cast<std::size_t>(to.rows) * static_cast<std::size_t>(to.cols);
    TL_DISPATCH(stream.device(), run_fused<T>(stream, chain.program, from, {to.data}, size));
}

template <class T>
void run_simple(Stream& stream, const Operation& o, Inputs inputs, MatrixView<T> to) {
    auto a = view_of<T>(*inputs[0]);
    auto copy = [&](MatrixView<const T> from, MatrixView<T> into) {
        TL_DISPATCH(stream.device(), copy_matrix<T>(stream, from, into));
    };
    switch (o.kind) {
        case OperationKind::element:
            return run_element<T>(stream, o.element, inputs, to);
        case OperationKind::matmul:
            make_multiplier("own", stream.device())
                ->multiply(stream, Transpose::no, Transpose::no, T(1), a, view_of<T>(*inputs[1]),
                           T(0), to);
            return;
        case OperationKind::transpose:
            TL_DISPATCH(stream.device(), transpose_matrix<T>(stream, a, to));
            return;
        case OperationKind::block:
            if (o.origin.is_dense())
                return copy(a.block(o.origin.row, o.origin.col, to.rows, to.cols), to);
            TL_DISPATCH(stream.device(), copy_from_block<T>(stream, a, o.origin, to));
            return;
        case OperationKind::replace: {
            auto b = view_of<T>(*inputs[1]);
            copy(a, to);
            if (o.origin.is_dense())
                return copy(b, to.block(o.origin.row, o.origin.col, b.rows, b.cols));
            TL_DISPATCH(stream.device(), copy_to_block<T>(stream, b, o.origin, to));
            return;
        }
        default:
            throw UserError(std::string(name_of(o)) + ": has no single result");
    }
}

/// The results of the solvers in one precision.
template <class T>
class Runner {
  public:
    Runner(Stream& stream, const Operation& operation, Inputs inputs, SolverRun& run)
        : stream_(stream), operation_(operation), inputs_(inputs), run_(run) {}

    std::vector<AnyMatrix> run() {
        switch (operation_.kind) {
            case OperationKind::lu:
                return lu();
            case OperationKind::lu_factors:
                return lu_factors();
            case OperationKind::lu_solve:
                return lu_solve();
            case OperationKind::rref:
                return rref();
            case OperationKind::svd:
                return svd(SvdVectors::thin);
            case OperationKind::singular_values:
                return svd(SvdVectors::none);
            case OperationKind::eig:
                return eig(EigenPairs::all);
            case OperationKind::eigenvalues:
                return eig(EigenPairs::values);
            case OperationKind::solve:
                return solve();
            case OperationKind::tridiagonals:
                return results(tridiagonal_matrices<T>(stream_, in(0), in(1)));
            case OperationKind::solve_each:
                return results(tl::solve_each<T>(stream_, in(0), in(1), run_));
            case OperationKind::inverse:
                return inverse();
            case OperationKind::least_squares:
                return least_squares();
            case OperationKind::pseudo_inverse:
                return pseudo_inverse();
            case OperationKind::numerical_rank:
                return numerical_rank();
            case OperationKind::low_rank:
                return low_rank();
            default:
                throw UserError(std::string(name_of(operation_)) + ": not for the compute lane");
        }
    }

  private:
    [[nodiscard]] MatrixView<const T> in(std::size_t i) const { return view_of<T>(*inputs_[i]); }
    template <class... Results>
    static std::vector<AnyMatrix> results(Results&&... matrices) {
        std::vector<AnyMatrix> all;
        (all.emplace_back(std::forward<Results>(matrices)), ...);
        return all;
    }
    /// Numbers of the host as a column.
    template <class From>
    Matrix<T> column(const std::vector<From>& numbers) {
        Matrix<T> matrix(stream_, static_cast<int>(numbers.size()), 1);
        matrix.upload(stream_, std::vector<T>(numbers.begin(), numbers.end()));
        return matrix;
    }

    std::vector<AnyMatrix> lu() {
        auto a = in(0);
        auto factors = make_lu_solver("blocked", stream_.device())->factorise(stream_, a, run_);
        int k = std::min(a.rows, a.cols);
        Matrix<T> l(stream_, a.rows, k), u(stream_, k, a.cols);
        MatrixView<const T> both = factors.lu.view();
        TL_DISPATCH(stream_.device(), unpack_lower<T>(stream_, both, l.view()));
        TL_DISPATCH(stream_.device(), unpack_upper<T>(stream_, both, u.view()));
        return results(std::move(l), std::move(u), column(order_of(factors.swaps, a.rows)));
    }

    std::vector<AnyMatrix> lu_factors() {
        auto factors = make_lu_solver("blocked", stream_.device())->factorise(stream_, in(0), run_);
        auto order = column(order_of(factors.swaps, in(0).rows));
        return results(std::move(factors.lu), std::move(order));
    }

    std::vector<AnyMatrix> lu_solve() {
        auto numbers = std::get<Matrix<T>>(*inputs_[1]).download(stream_);
        std::vector<int> order;
        // Numbers that are no index become -1, which is refused.
        for (T number : numbers)
            order.push_back(number >= 0 && number < static_cast<T>(numbers.size()) &&
                                    number == std::floor(number)
                                ? static_cast<int>(number)
                                : -1);
        require_order(order, "lu-solve: the order of rows");
        if (int pivot = first_zero_pivot<T>(stream_, in(0)); pivot >= 0)
            throw singular_matrix(pivot);
        (void)largest_magnitude(stream_, in(2), "lu-solve", "the right side must be");
        Matrix<T> x(stream_, in(2).rows, in(2).cols);
        TL_DISPATCH(stream_.device(), copy_matrix<T>(stream_, in(2), x.view()));
        auto op = operation_.transposed ? Transpose::yes : Transpose::no;
        substitute<T>(*make_blas(stream_), in(0), order, {}, op, x.view());
        if (!all_finite<T>(stream_, x.view())) throw infinite_solution();
        return results(std::move(x));
    }

    std::vector<AnyMatrix> rref() {
        auto form = reduce_rows<T>(stream_, in(0), -1, run_);
        form.pivots.resize(static_cast<std::size_t>(std::min(in(0).rows, in(0).cols)), -1);
        return results(std::move(form.r), column(form.pivots));
    }

    std::vector<AnyMatrix> svd(SvdVectors vectors) {
        auto solved = make_svd_solver("auto", stream_.device())
                          ->solve(stream_, in(0), {.vectors = vectors}, run_);
        auto values = column(solved.values);
        if (vectors == SvdVectors::none) return results(std::move(values));
        return results(std::move(solved.u), std::move(values), std::move(solved.v));
    }

    std::vector<AnyMatrix> eig(EigenPairs pairs) {
        auto a = in(0);
        int n = a.rows;
        // The solver takes rows one after the other.
        Matrix<T> by_rows(stream_, n, n);
        TL_DISPATCH(stream_.device(), transpose_matrix<T>(stream_, a, by_rows.view()));
        EigenBatch<T> batch{{by_rows.view().data, static_cast<std::size_t>(n) * n}, n, 1};
        if (n == 0 && pairs == EigenPairs::values) return results(Matrix<T>(stream_, 0, 2));
        if (n == 0) return results(Matrix<T>(stream_, 0, 2), Matrix<T>(stream_, 0, 0));
        auto solved =
            make_eigen_solver("auto", stream_.device())->solve(stream_, batch, {pairs}, run_);
        auto status = static_cast<EigenStatus>(solved.status.download(stream_)[0]);
        if (status == EigenStatus::not_finite)
            throw UserError("eig: an element of the matrix is not finite");
        if (status == EigenStatus::not_converged)
            throw UserError("eig: the eigenvalues did not converge");
        auto turned = [&](DeviceArray<T>& pairs_in_rows, int cols) {
            Matrix<T> to(stream_, n, cols);
            TL_DISPATCH(
                stream_.device(),
                transpose_matrix<T>(stream_, {pairs_in_rows.data(), cols, n, cols}, to.view()));
            return to;
        };
        auto values = turned(solved.values, 2);
        if (pairs == EigenPairs::values) return results(std::move(values));
        return results(std::move(values), turned(solved.vectors, 2 * n));
    }

    std::vector<AnyMatrix> solve() {
        auto solved =
            make_linear_solver("lu", stream_.device())->solve(stream_, in(0), in(1), run_);
        return results(std::move(solved.x));
    }

    std::vector<AnyMatrix> inverse() {
        auto factors = make_lu_solver("blocked", stream_.device())->factorise(stream_, in(0), run_);
        if (int column = first_zero_pivot(stream_, factors); column >= 0)
            throw UserError("inverse: the matrix is singular: the pivot of column " +
                            std::to_string(column) + ", counted from 0, is zero");
        return results(inverse_of(*make_blas(stream_), factors));
    }

    std::vector<AnyMatrix> least_squares() {
        auto solved = make_least_squares_solver("qr", stream_.device())
                          ->solve(stream_, in(0), in(1), operation_.rcond, run_);
        return results(std::move(solved.x), column(std::vector{solved.rank}));
    }

    std::vector<AnyMatrix> pseudo_inverse() {
        auto inverse = tl::pseudo_inverse<T>(stream_, in(0), operation_.rcond, run_);
        return results(std::move(inverse.x), column(std::vector{inverse.rank}));
    }

    std::vector<AnyMatrix> numerical_rank() {
        auto solved = make_svd_solver("auto", stream_.device())
                          ->solve(stream_, in(0), {.vectors = SvdVectors::none}, run_);
        double rcond = rcond_of<T>(in(0).rows, in(0).cols, operation_.rcond);
        return results(column(std::vector{tl::numerical_rank(solved.values, rcond)}));
    }

    std::vector<AnyMatrix> low_rank() {
        auto near = best_of_rank<T>(stream_, in(0), operation_.rank, run_);
        return results(std::move(near.matrix), column(std::vector{near.error}));
    }

    Stream& stream_;
    const Operation& operation_;
    Inputs inputs_;
    SolverRun& run_;
};

}  // namespace

bool runs_into(OperationKind kind) {
    return kind <= OperationKind::replace;
}

void run_into(Stream& stream, const Operation& operation, Inputs inputs, AnyMatrix& to) {
    if (auto* floats = std::get_if<Matrix<float>>(&to))
        run_simple<float>(stream, operation, inputs, floats->view());
    else
        run_simple<double>(stream, operation, inputs, std::get<Matrix<double>>(to).view());
}

std::vector<AnyMatrix> run_operation(Stream& stream, const Operation& operation, Inputs inputs,
                                     SolverRun& run) {
    if (runs_into(operation.kind)) {
        std::vector<Shape> shapes;
        for (auto* input : inputs) shapes.push_back(shape_of(*input));
        std::vector<AnyMatrix> results;
        results.push_back(make_any(stream, result_shapes(operation, shapes)[0]));
        run_into(stream, operation, inputs, results[0]);
        return results;
    }
    if (std::holds_alternative<Matrix<float>>(*inputs[0]))
        return Runner<float>(stream, operation, inputs, run).run();
    return Runner<double>(stream, operation, inputs, run).run();
}

AnyMatrix make_any(Stream& stream, const Shape& shape) {
    if (shape.precision == Precision::float32) return Matrix<float>(stream, shape.rows, shape.cols);
    return Matrix<double>(stream, shape.rows, shape.cols);
}

Shape shape_of(const AnyMatrix& matrix) {
    if (auto* floats = std::get_if<Matrix<float>>(&matrix))
        return {floats->rows(), floats->cols(), Precision::float32};
    auto& doubles = std::get<Matrix<double>>(matrix);
    return {doubles.rows(), doubles.cols(), Precision::float64};
}

void* data_of(AnyMatrix& matrix) {
    if (auto* floats = std::get_if<Matrix<float>>(&matrix)) return floats->view().data;
    if (auto* doubles = std::get_if<Matrix<double>>(&matrix)) return doubles->view().data;
    return nullptr;
}

const void* data_of(const AnyMatrix& matrix) {
    if (auto* floats = std::get_if<Matrix<float>>(&matrix)) return floats->view().data;
    if (auto* doubles = std::get_if<Matrix<double>>(&matrix)) return doubles->view().data;
    return nullptr;
}

}  // namespace tl
