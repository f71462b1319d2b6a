// Singular value decompositions A = U diag(values) V^H of dense matrices of real or complex
// numbers, and the table of modes: Treelight's own, and those of libraries for comparison.
#pragma once

#include <functional>
#include <memory>

#include "solvers/dense/blas.h"
#include "solvers/solver.h"

namespace tl {

/// Singular vectors: none, as many as there are values, or full square matrices.
enum class SvdVectors { none, thin, full };

/// The request for a decomposition.
struct SvdRequest {
    SvdVectors vectors = SvdVectors::thin;
    int rank = 0;  ///< only the largest `rank` triplets; 0 for all. Not together with full vectors.
    std::uint64_t seed = 0;  ///< seed of the randomised mode
};

/// A decomposition of a matrix of T, a real or Complex type. Columns of u and v are singular
/// vectors; both are empty if none were requested. Values are in descending order.
template <class T>
struct SvdResult {
    Matrix<T> u, v;
    std::vector<double> values;
    std::vector<StageTime> stages;  ///< milliseconds; the last row is the total
    std::string mode;               ///< the mode that solved it: never "auto"
};

class SvdSolver : public Solver {
  public:
    /// Decomposes `a`, which is not modified, on the stream's device. Throws UserError if an
    /// element is not finite, memory is insufficient or the request is invalid; and
    /// Cancelled.
    [[nodiscard]] virtual SvdResult<float> solve(Stream& stream, MatrixView<const float> a,
                                                 const SvdRequest& request, SolverRun& run) = 0;
    [[nodiscard]] virtual SvdResult<double> solve(Stream& stream, MatrixView<const double> a,
                                                  const SvdRequest& request, SolverRun& run) = 0;
    [[nodiscard]] virtual SvdResult<Complex<float>> solve(Stream& stream,
                                                          MatrixView<const Complex<float>> a,
                                                          const SvdRequest& request,
                                                          SolverRun& run) = 0;
    [[nodiscard]] virtual SvdResult<Complex<double>> solve(Stream& stream,
                                                           MatrixView<const Complex<double>> a,
                                                           const SvdRequest& request,
                                                           SolverRun& run) = 0;
    /// Bytes of device memory that a solve needs in addition to A.
    [[nodiscard]] virtual std::uint64_t memory_bytes(int rows, int cols, const SvdRequest& request,
                                                     std::size_t element_size) const = 0;
};

/// Advice in the error message if a decomposition does not fit into memory.
inline constexpr const char* kSvdMemoryAdvice =
    "ask for a smaller matrix, for float instead of double, or for fewer vectors";

/// A row of the table of modes; a function is null if the mode does not run on that device.
struct SvdRow {
    std::string id;     ///< for flags and files: "divide-conquer"
    std::string title;  ///< displayed name
    std::string help;   ///< one sentence with the source
    bool peer;          ///< a library's mode, for comparison
    std::unique_ptr<SvdSolver> (*make_cpu)();
    std::unique_ptr<SvdSolver> (*make_cuda)();
};

[[nodiscard]] const std::vector<SvdRow>& svd_solvers();
/// The mode `id` for a device. Throws UsageError listing the known ids, or UserError if the mode
/// does not run on the device.
[[nodiscard]] std::unique_ptr<SvdSolver> make_svd_solver(const std::string& id,
                                                         const Device& device);

/// Errors of a decomposition, in Frobenius norms.
struct SvdAccuracy {
    double residual = 0;         ///< ||A - U S V^H|| / ||A||
    double orthogonality_u = 0;  ///< ||U^H U - I|| / sqrt(columns)
    double orthogonality_v = 0;
};
/// Measures a result with vectors; needs memory for two copies of A.
template <class T>
[[nodiscard]] SvdAccuracy measure_svd(Blas& blas, MatrixView<const T> a,
                                      const SvdResult<T>& result);

}  // namespace tl
