// A sparse system for the commands: the matrix, from a file or generated, its right sides, and the
// solver's settings.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "solvers/dense/matrix.h"
#include "solvers/solver.h"
#include "solvers/sparse/sparse_kinds.h"
#include "solvers/sparse/sparse_solver.h"

namespace CLI {
class App;
}

namespace tl {

struct SparseTask {
    std::string file{};  ///< .mtx; "" for the spec
    SparseSpec spec;
    std::string right_file{};     ///< right sides, one a column; "": random
    int n_right = 1;              ///< random right sides
    bool known_solution = false;  ///< right sides whose solution is 1: the sums of A's rows
    /// "sparse.preconditioner" -> "amg": settings of the solver.
    std::map<std::string, std::string> settings{};
};

/// Reads or makes the matrix. Throws UserError, as read_csr() and make_csr() do, and for elements
/// that are beyond the range of T.
template <class T>
[[nodiscard]] HostCsr sparse_input(const SparseTask& task);
template <>
HostCsr sparse_input<float>(const SparseTask& task);
template <>
HostCsr sparse_input<double>(const SparseTask& task);

/// The config with the settings of a task. Throws UserError for wrong ones.
[[nodiscard]] SparseConfig sparse_config(const std::map<std::string, std::string>& settings);

/// {kind, seed}, or {file}.
[[nodiscard]] nlohmann::ordered_json sparse_matrix_json(const SparseTask& task);

/// The results of a task.
template <class T>
struct SparseAnswer {
    HostMatrix<T> x;
    /// rows, cols, entries, method, seconds, accuracy and results.
    nlohmann::ordered_json report;
    std::string fault;  ///< why a right side is not solved; "" where all are
};

/// Solves for all right sides on the stream's device.
template <class T>
[[nodiscard]] SparseAnswer<T> run_sparse(Stream& stream, const SparseTask& task, SolverRun& run);
template <>
SparseAnswer<float> run_sparse(Stream& stream, const SparseTask& task, SolverRun& run);
template <>
SparseAnswer<double> run_sparse(Stream& stream, const SparseTask& task, SolverRun& run);

/// Adds a flag for each setting of the solver (--sparse-preconditioner).
void add_sparse_setting_flags(CLI::App& command, std::map<std::string, std::string>& settings);

}  // namespace tl
