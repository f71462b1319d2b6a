#include "solvers/queue/operations.h"

#include <algorithm>
#include <string>

#include "solvers/dense/linear/linear.h"
#include "solvers/dense/lu/lu_factors.h"
#include "solvers/dense/lu/lu_kernels.h"
#include "solvers/dense/matmul/matmul.h"
#include "solvers/dense/matrix_kernels.h"
#include "solvers/dense/rref/rref.h"
#include "solvers/eigen/eigen.h"
#include "solvers/queue/sequence.h"
#include "solvers/svd/svd.h"

namespace tl {
namespace {

using Shapes = std::span<const Shape>;
using Inputs = std::span<const AnyMatrix* const>;

std::string extents_of(const Shape& shape) {
    return std::to_string(shape.rows) + "x" + std::to_string(shape.cols);
}

double cube(const Shape& shape) {
    return static_cast<double>(shape.rows) * shape.cols * std::min(shape.rows, shape.cols);
}
double bytes_of_first(const Operation&, Shapes in) {
    return static_cast<double>(in[0].bytes());
}

void require_square(const char* what, const Shape& shape) {
    if (shape.rows != shape.cols)
        throw UserError(std::string(what) + ": the matrix is " + extents_of(shape) +
                        ", but has to be square");
}

std::vector<Shape> element_shapes(const Operation& operation, Shapes in) {
    bool two = operation.element.form == ElementForm::both;
    if (takes_one(operation.element.code) != (operation.element.form == ElementForm::one))
        throw UserError(std::string(name_of(operation)) + ": wrong kind of operands");
    if (in.size() != (two ? 2U : 1U))
        throw UserError(std::string(name_of(operation)) + ": wrong number of matrices");
    if (two && in[0] != in[1])
        throw UserError(std::string(name_of(operation)) + ": the matrices are " +
                        extents_of(in[0]) + " and " + extents_of(in[1]) +
                        ", but have to be of one size");
    return {in[0]};
}

std::vector<Shape> matmul_shapes(const Operation&, Shapes in) {
    if (in[0].cols != in[1].rows)
        throw UserError("matmul: the matrices are " + extents_of(in[0]) + " and " +
                        extents_of(in[1]) +
                        ", but the left one has to have as many columns as the right one has rows");
    return {{in[0].rows, in[1].cols, in[0].precision}};
}

bool has_block(const Shape& whole, int row, int col, int rows, int cols) {
    return row >= 0 && col >= 0 && rows >= 0 && cols >= 0 && row <= whole.rows - rows &&
           col <= whole.cols - cols;
}

std::vector<Shape> block_shapes(const Operation& o, Shapes in) {
    if (!has_block(in[0], o.row, o.col, o.shape.rows, o.shape.cols))
        throw UserError("block: " + extents_of(o.shape) + " from row " + std::to_string(o.row) +
                        " and column " + std::to_string(o.col) + " is not within " +
                        extents_of(in[0]));
    return {{o.shape.rows, o.shape.cols, in[0].precision}};
}

std::vector<Shape> replace_shapes(const Operation& o, Shapes in) {
    if (!has_block(in[0], o.row, o.col, in[1].rows, in[1].cols))
        throw UserError("replace: " + extents_of(in[1]) + " at row " + std::to_string(o.row) +
                        " and column " + std::to_string(o.col) + " is not within " +
                        extents_of(in[0]));
    return {in[0]};
}

std::vector<Shape> lu_shapes(const Operation&, Shapes in) {
    int k = std::min(in[0].rows, in[0].cols);
    auto precision = in[0].precision;
    return {{in[0].rows, k, precision}, {k, in[0].cols, precision}, {in[0].rows, 1, precision}};
}

std::vector<Shape> rref_shapes(const Operation&, Shapes in) {
    return {in[0], {std::min(in[0].rows, in[0].cols), 1, in[0].precision}};
}

std::vector<Shape> svd_shapes(const Operation&, Shapes in) {
    int k = std::min(in[0].rows, in[0].cols);
    auto precision = in[0].precision;
    return {{in[0].rows, k, precision}, {k, 1, precision}, {in[0].cols, k, precision}};
}

std::vector<Shape> singular_value_shapes(const Operation& operation, Shapes in) {
    return {svd_shapes(operation, in)[1]};
}

std::vector<Shape> eigenvalue_shapes(const Operation&, Shapes in) {
    require_square("eig", in[0]);
    if (in[0].rows > EigenSolver::kMostRows)
        throw UserError("eig: the matrix is " + extents_of(in[0]) + ", but at most " +
                        std::to_string(EigenSolver::kMostRows) + " rows can be solved");
    return {{in[0].rows, 2, in[0].precision}};
}

std::vector<Shape> eig_shapes(const Operation& operation, Shapes in) {
    return {eigenvalue_shapes(operation, in)[0], {in[0].rows, 2 * in[0].cols, in[0].precision}};
}

std::vector<Shape> solve_shapes(const Operation&, Shapes in) {
    require_square("solve", in[0]);
    if (in[1].rows != in[0].rows)
        throw UserError("solve: the right side is " + extents_of(in[1]) + ", but the matrix has " +
                        std::to_string(in[0].rows) + " rows");
    return {in[1]};
}

std::vector<Shape> inverse_shapes(const Operation&, Shapes in) {
    require_square("inverse", in[0]);
    return {in[0]};
}

std::vector<Shape> upload_shapes(const Operation& operation, Shapes) {
    if (operation.shape.rows < 0 || operation.shape.cols < 0)
        throw UserError("upload: a matrix of " + extents_of(operation.shape));
    return {operation.shape};
}

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
            return copy(a.block(o.row, o.col, to.rows, to.cols), to);
        case OperationKind::replace: {
            auto b = view_of<T>(*inputs[1]);
            copy(a, to);
            return copy(b, to.block(o.row, o.col, b.rows, b.cols));
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
            case OperationKind::inverse:
                return inverse();
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
        return results(std::move(l), std::move(u), column(row_order(factors.swaps, a.rows)));
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

    Stream& stream_;
    const Operation& operation_;
    Inputs inputs_;
    SolverRun& run_;
};

template <int kFactor>
double cubic_work(const Operation&, Shapes in) {
    return kFactor * cube(in[0]) / 3;
}

double element_work(const Operation&, Shapes in) {
    return static_cast<double>(in[0].elements());
}
double matmul_work(const Operation&, Shapes in) {
    return 2.0 * in[0].rows * in[0].cols * in[1].cols;
}
double solve_work(const Operation&, Shapes in) {
    return 2 * cube(in[0]) / 3 + 2.0 * in[0].rows * in[0].cols * in[1].cols;
}
double upload_work(const Operation& operation, Shapes) {
    return static_cast<double>(operation.shape.bytes());
}
std::vector<Shape> no_shapes(const Operation&, Shapes) {
    return {};
}
std::vector<Shape> transpose_shapes(const Operation&, Shapes in) {
    return {{in[0].cols, in[0].rows, in[0].precision}};
}
std::vector<Shape> sequence_results(const Operation& operation, Shapes in) {
    return operation.sequence->shapes(in);
}
double sequence_work(const Operation& operation, Shapes) {
    return operation.sequence->work();
}

}  // namespace

const std::vector<OperationRow>& operation_rows() {
    using enum OperationKind;
    constexpr auto kCompute = LaneKind::compute;
    static const std::vector<OperationRow> table{
        {element, "element", "element by element: sums, products, roots", -1, 1, kCompute,
         element_shapes, element_work},
        {matmul, "matmul", "A B", 2, 1, kCompute, matmul_shapes, matmul_work},
        {transpose, "transpose", "A^T", 1, 1, kCompute, transpose_shapes, bytes_of_first},
        {block, "block", "a block of A", 1, 1, kCompute, block_shapes, bytes_of_first},
        {replace, "replace", "A with a block replaced by B", 2, 1, kCompute, replace_shapes,
         bytes_of_first},
        {lu, "lu", "L, U, and the column p of rows with A[p] = L U", 1, 3, kCompute, lu_shapes,
         cubic_work<2>},
        {rref, "rref", "the reduced row echelon form, and the columns of its pivots, -1 at the end",
         1, 2, kCompute, rref_shapes, cubic_work<6>},
        {svd, "svd", "U, the column of singular values, and V with A = U S V^T", 1, 3, kCompute,
         svd_shapes, cubic_work<40>},
        {singular_values, "singular-values", "the column of singular values", 1, 1, kCompute,
         singular_value_shapes, cubic_work<8>},
        {eig, "eig",
         "eigenvalues, and eigenvectors in pairs of columns; real and imaginary parts in turn", 1,
         2, kCompute, eig_shapes, cubic_work<75>},
        {eigenvalues, "eigenvalues", "eigenvalues, real and imaginary parts in two columns", 1, 1,
         kCompute, eigenvalue_shapes, cubic_work<30>},
        {solve, "solve", "A^-1 B", 2, 1, kCompute, solve_shapes, solve_work},
        {inverse, "inverse", "A^-1", 1, 1, kCompute, inverse_shapes, cubic_work<6>},
        {upload, "upload", "a matrix of the host", 0, 1, LaneKind::upload, upload_shapes,
         upload_work},
        {read, "read", "copies a matrix to the host", 1, 0, LaneKind::read, no_shapes,
         bytes_of_first},
        {sequence, "sequence", "a recorded sequence of operations", -1, -1, kCompute,
         sequence_results, sequence_work},
    };
    return table;
}

const OperationRow& row_of(OperationKind kind) {
    return operation_rows()[static_cast<std::size_t>(kind)];
}

const char* name_of(const Operation& operation) {
    return operation.kind == OperationKind::element ? name_of(operation.element.code)
                                                    : row_of(operation.kind).id;
}

std::size_t n_results(const Operation& operation) {
    int n = row_of(operation.kind).n_results;
    return n >= 0 ? static_cast<std::size_t>(n) : operation.sequence->n_results();
}

std::vector<Shape> result_shapes(const Operation& operation, Shapes inputs) {
    auto& row = row_of(operation.kind);
    std::string name = name_of(operation);
    if (row.n_inputs >= 0 && inputs.size() != static_cast<std::size_t>(row.n_inputs))
        throw UserError(name + ": wrong number of matrices");
    for (auto& shape : inputs)
        if (shape.precision != inputs[0].precision)
            throw UserError(name + ": the matrices are of different precisions");
    return row.shapes(operation, inputs);
}

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
