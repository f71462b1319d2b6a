// The operations on matrices that the queue offers: their table, the shapes of their results, and
// functions that run them on a stream.
#pragma once

#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "solvers/dense/matrix.h"
#include "solvers/queue/fused.h"
#include "solvers/queue/strided_block.h"
#include "solvers/solver.h"

namespace tl {

enum class Precision : std::uint8_t { float32, float64 };

[[nodiscard]] constexpr std::size_t element_size(Precision precision) {
    return precision == Precision::float32 ? sizeof(float) : sizeof(double);
}

struct Shape {
    int rows = 0, cols = 0;
    Precision precision = Precision::float64;

    [[nodiscard]] std::size_t elements() const {
        return static_cast<std::size_t>(rows) * static_cast<std::size_t>(cols);
    }
    [[nodiscard]] std::size_t bytes() const { return elements() * element_size(precision); }
    bool operator==(const Shape&) const = default;
};

/// A matrix on a device, or none.
using AnyMatrix = std::variant<std::monostate, Matrix<float>, Matrix<double>>;

/// The name of a value: the result of an operation, which may not exist yet. 0 names none.
using ValueId = std::uint64_t;

enum class OperationKind : std::uint8_t {
    element,
    matmul,
    transpose,
    block,
    replace,
    lu,
    lu_factors,
    lu_solve,
    rref,
    svd,
    singular_values,
    eig,
    eigenvalues,
    solve,
    tridiagonals,
    solve_each,
    inverse,
    least_squares,
    pseudo_inverse,
    numerical_rank,
    low_rank,
    upload,
    read,
    sequence,
};

class Sequence;

/// An operation as it is given to the queue.
struct Operation {
    OperationKind kind = OperationKind::element;
    std::vector<ValueId> inputs{};
    ElementOp element{};      ///< for `element`
    BlockOrigin origin{};     ///< for `block` and `replace`
    bool transposed = false;  ///< for `lu_solve`: solves with A^T
    int rank = 0;             ///< for `low_rank`
    /// For `least_squares`, `pseudo_inverse` and `numerical_rank`: the ratio to the largest
    /// singular value up to which one counts as zero; below 0: by the size of the matrix.
    double rcond = -1;
    Shape shape{};  ///< for `upload`; for `block`: the rows and columns
    std::shared_ptr<const void>
        host{};  ///< for `upload`: column by column, unchanged until it is done
    std::shared_ptr<Sequence> sequence{};  ///< for `sequence`
    double timeout = 0;  ///< seconds from now after which it fails; 0: the queue's own limit
};

/// Lane that runs an operation; each lane has a stream and a thread.
enum class LaneKind : std::uint8_t { compute, upload, read };
inline constexpr int kLanes = 3;

/// A row of the table of operations. Numbers that vary are -1.
struct OperationRow {
    OperationKind kind;
    const char* id;    ///< for timelines and error messages: "lu"
    const char* help;  ///< one sentence, with its results in their order
    int n_inputs, n_results;
    LaneKind lane;
    /// Shapes of the results. Throws UserError if the inputs do not fit.
    std::vector<Shape> (*shapes)(const Operation& operation, std::span<const Shape> inputs);
    /// About how many additions and multiplications it takes, or bytes it moves.
    double (*work)(const Operation& operation, std::span<const Shape> inputs);
};
[[nodiscard]] const std::vector<OperationRow>& operation_rows();
[[nodiscard]] const OperationRow& row_of(OperationKind kind);
/// Its name in timelines and messages: the row's, or that of the element's operation ("add").
[[nodiscard]] const char* name_of(const Operation& operation);
[[nodiscard]] std::size_t n_results(const Operation& operation);

/// Shapes of the results, all inputs being of one precision. Throws UserError.
[[nodiscard]] std::vector<Shape> result_shapes(const Operation& operation,
                                               std::span<const Shape> inputs);

/// Whether an operation has one result, which run_into() writes without waiting for the device.
[[nodiscard]] bool runs_into(OperationKind kind);
/// Runs such an operation; `to` has the shape of its result.
void run_into(Stream& stream, const Operation& operation, std::span<const AnyMatrix* const> inputs,
              AnyMatrix& to);

/// Runs any operation of the compute lane other than `sequence`, and returns its results. Throws
/// what solvers throw.
[[nodiscard]] std::vector<AnyMatrix> run_operation(Stream& stream, const Operation& operation,
                                                   std::span<const AnyMatrix* const> inputs,
                                                   SolverRun& run);

/// A matrix without values.
[[nodiscard]] AnyMatrix make_any(Stream& stream, const Shape& shape);
/// Shape of a matrix, which must not be none.
[[nodiscard]] Shape shape_of(const AnyMatrix& matrix);
/// First element of a matrix; null for none.
[[nodiscard]] void* data_of(AnyMatrix& matrix);
[[nodiscard]] const void* data_of(const AnyMatrix& matrix);

}  // namespace tl
