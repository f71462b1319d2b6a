// The table of the queue's operations: the shapes of their results, and what they take.
#include <algorithm>
#include <string>

#include "solvers/dense/linear/solve_each.h"
#include "solvers/dense/linear/tridiagonal_matrices.h"
#include "solvers/eigen/eigen.h"
#include "solvers/queue/operations.h"
#include "solvers/queue/sequence.h"

namespace tl {
namespace {

using Shapes = std::span<const Shape>;

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

/// Throws UserError if a block of this shape is not within the matrix.
void require_block(const char* what, const Operation& o, const Shape& block, const Shape& whole) {
    auto& at = o.origin;
    if (at.row_step == 0 || at.col_step == 0)
        throw UserError(std::string(what) + ": a step from one row or column to the next is 0");
    if (block.rows >= 0 && block.cols >= 0 &&
        at.fits(block.rows, block.cols, whole.rows, whole.cols))
        return;
    std::string steps = at.is_dense() ? ""
                                      : " by steps of " + std::to_string(at.row_step) + " and " +
                                            std::to_string(at.col_step);
    throw UserError(std::string(what) + ": " + extents_of(block) +
                    (o.kind == OperationKind::block ? " from row " : " at row ") +
                    std::to_string(at.row) + " and column " + std::to_string(at.col) + steps +
                    " is not within " + extents_of(whole));
}

std::vector<Shape> block_shapes(const Operation& o, Shapes in) {
    require_block("block", o, o.shape, in[0]);
    return {{o.shape.rows, o.shape.cols, in[0].precision}};
}

std::vector<Shape> replace_shapes(const Operation& o, Shapes in) {
    require_block("replace", o, in[1], in[0]);
    return {in[0]};
}

std::vector<Shape> lu_shapes(const Operation&, Shapes in) {
    int k = std::min(in[0].rows, in[0].cols);
    auto precision = in[0].precision;
    return {{in[0].rows, k, precision}, {k, in[0].cols, precision}, {in[0].rows, 1, precision}};
}

std::vector<Shape> lu_factors_shapes(const Operation&, Shapes in) {
    return {in[0], {in[0].rows, 1, in[0].precision}};
}

std::vector<Shape> lu_solve_shapes(const Operation&, Shapes in) {
    require_square("lu-solve", in[0]);
    if (in[1].rows != in[0].rows || in[1].cols != 1)
        throw UserError("lu-solve: the order of rows is " + extents_of(in[1]) +
                        ", but the factors have " + std::to_string(in[0].rows) + " rows");
    if (in[2].rows != in[0].rows)
        throw UserError("lu-solve: the right side is " + extents_of(in[2]) +
                        ", but the factors have " + std::to_string(in[0].rows) + " rows");
    return {in[2]};
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

std::vector<Shape> tridiagonal_shapes(const Operation&, Shapes in) {
    int count = count_tridiagonals(in[0].rows, in[0].cols, in[1].rows, in[1].cols);
    return {{in[0].rows, in[0].rows * count, in[0].precision}};
}

std::vector<Shape> solve_each_shapes(const Operation&, Shapes in) {
    (void)count_systems(in[0].rows, in[0].cols, in[1].rows, in[1].cols);
    return {in[1]};
}

std::vector<Shape> inverse_shapes(const Operation&, Shapes in) {
    require_square("inverse", in[0]);
    return {in[0]};
}

std::vector<Shape> least_squares_shapes(const Operation&, Shapes in) {
    if (in[1].rows != in[0].rows)
        throw UserError("lstsq: the right side is " + extents_of(in[1]) + ", but the matrix has " +
                        std::to_string(in[0].rows) + " rows");
    return {{in[0].cols, in[1].cols, in[0].precision}, {1, 1, in[0].precision}};
}

std::vector<Shape> pseudo_inverse_shapes(const Operation&, Shapes in) {
    return {{in[0].cols, in[0].rows, in[0].precision}, {1, 1, in[0].precision}};
}

std::vector<Shape> rank_shapes(const Operation&, Shapes in) {
    return {{1, 1, in[0].precision}};
}

std::vector<Shape> low_rank_shapes(const Operation& operation, Shapes in) {
    int most = std::min(in[0].rows, in[0].cols);
    if (operation.rank < 0 || operation.rank > most)
        throw UserError("low-rank: the rank is " + std::to_string(operation.rank) +
                        ", but has to be from 0 to " + std::to_string(most));
    return {in[0], {1, 1, in[0].precision}};
}

std::vector<Shape> upload_shapes(const Operation& operation, Shapes) {
    if (operation.shape.rows < 0 || operation.shape.cols < 0)
        throw UserError("upload: a matrix of " + extents_of(operation.shape));
    return {operation.shape};
}

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
double solve_each_work(const Operation&, Shapes in) {
    double n = in[0].rows;
    return 2 * n * n * in[0].cols / 3 + 2 * n * n * in[1].cols;
}
double tridiagonal_work(const Operation&, Shapes in) {
    return static_cast<double>(in[0].bytes()) * in[0].rows;
}
double lu_solve_work(const Operation&, Shapes in) {
    return 2.0 * in[0].rows * in[0].cols * in[2].cols;
}
double least_squares_work(const Operation&, Shapes in) {
    return 2 * cube(in[0]) + 4.0 * in[0].rows * in[0].cols * in[1].cols;
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
        {lu_factors, "lu-factors", "L and U in one matrix, and the column p of rows", 1, 2,
         kCompute, lu_factors_shapes, cubic_work<2>},
        {lu_solve, "lu-solve", "A^-1 B, or A^-T B, by the factors and the order p of A", 3, 1,
         kCompute, lu_solve_shapes, lu_solve_work},
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
        {tridiagonals, "tridiagonals",
         "symmetric tridiagonal matrices side by side, as dense ones, by the columns of their "
         "diagonals and of the elements beside them",
         2, 1, kCompute, tridiagonal_shapes, tridiagonal_work},
        {solve_each, "solve-each", "A_k^-1 B_k of small matrices side by side, A = [A_1 A_2 ...]",
         2, 1, kCompute, solve_each_shapes, solve_each_work},
        {inverse, "inverse", "A^-1", 1, 1, kCompute, inverse_shapes, cubic_work<6>},
        {least_squares, "lstsq", "X of least norm with least ||A X - B||, and the rank of A", 2, 2,
         kCompute, least_squares_shapes, least_squares_work},
        {pseudo_inverse, "pinv", "the pseudo-inverse of A, and its rank", 1, 2, kCompute,
         pseudo_inverse_shapes, cubic_work<46>},
        {numerical_rank, "rank", "how many singular values count as not zero", 1, 1, kCompute,
         rank_shapes, cubic_work<8>},
        {low_rank, "low-rank", "the nearest matrix of a rank, and its relative distance", 1, 2,
         kCompute, low_rank_shapes, cubic_work<42>},
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

}  // namespace tl
