// Eigenvalues and eigenvectors of batches of small nonsymmetric matrices, after Cvrcek 2016,
// chapters 4 and 6. Also the table of modes, which distribute a batch over lanes and threads.
#pragma once

#include <memory>

#include "core/device/array.h"
#include "solvers/eigen/eigen_limits.h"
#include "solvers/solver.h"

namespace tl {

/// Outcome for a matrix.
enum class EigenStatus : int {
    solved = 0,
    not_converged = 1,  ///< reached the limit of sweeps; its results are NaN
    not_finite = 2      ///< has a NaN or an infinity; its results are NaN
};

struct EigenRequest {
    EigenPairs pairs = EigenPairs::all;
};

/// `count` matrices of n x n in device memory, one after the other, each row by row.
template <class T>
struct EigenBatch {
    View<const T> a;
    int n = 0;
    std::size_t count = 0;
};

/// Results on the batch's device, matrix by matrix. Eigenvalues are in the order of the Schur
/// form's diagonal; of a pair of complex ones the one with positive imaginary part comes first.
/// Values and vectors that do not exist are NaN.
template <class T>
struct EigenResult {
    int n = 0;
    std::size_t count = 0;
    EigenPairs pairs = EigenPairs::all;
    DeviceArray<T> values;  ///< count x n complex numbers, real part before imaginary part
    /// Vectors of unit 2-norm, in columns, matrices row by row. all: count x n x n complex numbers,
    /// whose largest component of a column is real. real: count x n x n numbers, column t that of
    /// the t-th real eigenvalue. values: empty.
    DeviceArray<T> vectors;
    DeviceArray<int> sweeps;  ///< QR sweeps of each matrix
    DeviceArray<int> status;  ///< an EigenStatus for each matrix
    double seconds = 0;       ///< run time of the kernels
    std::string mode;         ///< the mode that solved it: never "auto"
};

class EigenSolver : public Solver {
  public:
    /// Solves the batch on the stream's device. Throws UserError if n is out of range or memory is
    /// insufficient, and Cancelled.
    [[nodiscard]] virtual EigenResult<float> solve(Stream& stream, EigenBatch<float> batch,
                                                   const EigenRequest& request, SolverRun& run) = 0;
    [[nodiscard]] virtual EigenResult<double> solve(Stream& stream, EigenBatch<double> batch,
                                                    const EigenRequest& request,
                                                    SolverRun& run) = 0;
    /// Largest n that the mode takes.
    [[nodiscard]] virtual int most_rows() const { return kMostRows; }

    static constexpr int kMostRows = 1024;
};

/// Advice in the error message if a batch does not fit into memory.
inline constexpr const char* kEigenMemoryAdvice =
    "ask for a smaller batch, for float instead of double, or for fewer vectors";

/// Bytes of results for each matrix.
[[nodiscard]] std::uint64_t eigen_result_bytes(int n, EigenPairs pairs, std::size_t element_size);

/// Number of matrices that fit, with their results, into a quarter of the free memory of device and
/// host: at least 1, at most `count`.
[[nodiscard]] std::size_t batch_part(const Device& device, int n, EigenPairs pairs,
                                     std::size_t element_size, std::size_t count);

/// A row of the table of modes; a function is null if the mode does not run on that device.
struct EigenRow {
    std::string id;     ///< for flags and files: "lanes"
    std::string title;  ///< displayed name
    std::string help;   ///< one sentence
    bool peer;          ///< a library's mode, for comparison
    std::unique_ptr<EigenSolver> (*make_cpu)();
    std::unique_ptr<EigenSolver> (*make_cuda)();
};

[[nodiscard]] const std::vector<EigenRow>& eigen_solvers();
/// The mode `id` for a device. Throws UsageError listing the known ids, or UserError if the mode
/// does not run on the device.
[[nodiscard]] std::unique_ptr<EigenSolver> make_eigen_solver(const std::string& id,
                                                             const Device& device);

}  // namespace tl
