// One problem of dense algebra for the commands and the panel: the matrix, the mode with its
// settings, and the results, in float or double.
#pragma once

#include <map>

#include "app/solve/matrix_input.h"
#include "solvers/solver.h"

namespace tl {

enum class DenseProblem : int { lu, rref, solve, inverse, matmul, lstsq, pinv };

/// "lu", "rref", "solve", "inverse", "matmul", "lstsq" or "pinv".
[[nodiscard]] const char* id_of(DenseProblem problem);
/// The modes of a problem on a device; those of libraries come last.
[[nodiscard]] std::vector<std::string> dense_modes(DenseProblem problem, DeviceKind device);
/// All modes of a problem, for help texts.
[[nodiscard]] std::string dense_mode_ids(DenseProblem problem);
/// Whether a mode of lu or rref exchanges columns too, whose order is then a result.
[[nodiscard]] bool moves_columns(const std::string& mode);

struct DenseTask {
    DenseProblem problem = DenseProblem::lu;
    MatrixInput input{"", {"uniform", 1024, 1024, 1e3, 0}};
    std::string right_file;  ///< right sides (solve, lstsq) or B (matmul); "": uniform random
    int n_right = 1;         ///< random right sides
    /// Columns of a random B (matmul), 0: as many as A; the last columns that have no pivots (rref
    /// by complete pivoting).
    int right_cols = 0;
    bool known_solution = false;  ///< right sides whose solution is 1: the sums of A's rows
    std::string factors;          ///< prefix of the files of stored factors (solve)
    bool transposed = false;      ///< stored factors solve A^T X = B
    bool packed = false;          ///< L and U in one matrix (lu)
    double rcond = -1;            ///< of lstsq and pinv: see LeastSquares; below 0: by the size
    std::string mode;             ///< "": the first one
    double tolerance = -1;        ///< of the rank (rref); below 0: by the size of the matrix
    /// "blocked.leaf" -> "64": settings of the modes of the PLU factorisation.
    std::map<std::string, std::string> settings;
};

/// Whether a task has a complex matrix or complex right sides: lu and solve take them. Throws
/// UserError if a file cannot be read, and UsageError for flags that complex matrices do not have.
[[nodiscard]] bool is_complex(const DenseTask& task);

/// Matrices that a problem has as its result, by the endings of their files: {"_L", ...}.
template <class T>
struct DenseFiles {
    std::vector<std::pair<std::string, HostMatrix<T>>> matrices;
    std::vector<std::pair<std::string, HostMatrix<Complex<T>>>> complex_matrices;
    std::vector<std::pair<std::string, std::vector<int>>> orders;  ///< of rows and columns
};

/// Solves the problem on the stream's device. The report has rows, cols, mode, seconds (of the
/// solve alone), accuracy, results and stages. `files` receives the results, if given.
template <class T>
[[nodiscard]] nlohmann::ordered_json run_dense(Stream& stream, const DenseTask& task,
                                               SolverRun& run, DenseFiles<T>* files);
template <>
nlohmann::ordered_json run_dense(Stream& stream, const DenseTask& task, SolverRun& run,
                                 DenseFiles<float>* files);
template <>
nlohmann::ordered_json run_dense(Stream& stream, const DenseTask& task, SolverRun& run,
                                 DenseFiles<double>* files);

/// Adds --known-solution, whose help fits the problem.
void add_known_solution(CLI::App& command, bool& known_solution, DenseProblem problem);
/// Adds a flag for every declared setting of the PLU factorisation's modes (--blocked-leaf).
void add_dense_setting_flags(CLI::App& command, std::map<std::string, std::string>& given);

}  // namespace tl
