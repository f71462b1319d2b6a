// Singular value decompositions A = U diag(values) V^T of dense matrices, and the table of ways to
// have them: our own, and the libraries' to compare with.
#pragma once

#include <functional>
#include <memory>

#include "solvers/dense/blas.h"
#include "solvers/solver.h"

namespace tl {

/// Singular vectors: none, as many as there are values, or full square matrices.
enum class SvdVectors { none, thin, full };

/// What is asked of a decomposition.
struct SvdRequest {
    SvdVectors vectors = SvdVectors::thin;
    int rank = 0;  ///< only the largest `rank` triplets; 0 for all. Not together with full vectors.
    std::uint64_t seed = 0;  ///< of the randomised mode
};

/// A decomposition. Columns of u and v are singular vectors; both are empty where none were asked
/// for. Values are sorted downwards.
template <class T>
struct SvdResult {
    Matrix<T> u, v;
    std::vector<double> values;
    std::vector<StageTime> stages;  ///< milliseconds; the last row is the whole
    std::string mode;               ///< what solved it: never "auto"
};

class SvdSolver : public Solver {
  public:
    /// Decomposes `a`, which stays as it is, on the stream's device. Throws UserError where an
    /// element is not finite, memory does not suffice or the request makes no sense, and
    /// SolverCancelled.
    [[nodiscard]] virtual SvdResult<float> solve(Stream& stream, MatrixView<const float> a,
                                                 const SvdRequest& request, SolverRun& run) = 0;
    [[nodiscard]] virtual SvdResult<double> solve(Stream& stream, MatrixView<const double> a,
                                                  const SvdRequest& request, SolverRun& run) = 0;
    /// Bytes of device memory that a solve takes besides A.
    [[nodiscard]] virtual std::uint64_t memory_bytes(int rows, int cols, const SvdRequest& request,
                                                     std::size_t element_size) const = 0;
};

/// What to do where a decomposition does not fit into memory.
inline constexpr const char* kSvdMemoryAdvice =
    "ask for a smaller matrix, for float instead of double, or for fewer vectors";

/// A row of the table of modes; the functions are null where the mode does not run.
struct SvdRow {
    std::string id;     ///< for flags and files: "divide-conquer"
    std::string title;  ///< for people
    std::string help;   ///< one sentence with the source
    bool peer;          ///< a library's, for comparison
    std::unique_ptr<SvdSolver> (*make_cpu)();
    std::unique_ptr<SvdSolver> (*make_cuda)();
};

[[nodiscard]] const std::vector<SvdRow>& svd_solvers();
/// The mode `id` for a device. Throws UsageError listing the known ids, or UserError where the mode
/// does not run on the device.
[[nodiscard]] std::unique_ptr<SvdSolver> make_svd_solver(const std::string& id,
                                                         const Device& device);

/// How good a decomposition is, in Frobenius norms.
struct SvdAccuracy {
    double residual = 0;         ///< ||A - U S V^T|| / ||A||
    double orthogonality_u = 0;  ///< ||U^T U - I|| / sqrt(columns)
    double orthogonality_v = 0;
};
/// Of a result with vectors; takes memory for two copies of A.
template <class T>
[[nodiscard]] SvdAccuracy measure_svd(Blas& blas, MatrixView<const T> a,
                                      const SvdResult<T>& result);

}  // namespace tl
