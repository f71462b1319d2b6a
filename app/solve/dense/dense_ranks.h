// `treelight solve lu|solve --grid PxQ`: a matrix that is spread over the processes of an MPI job.
#pragma once

#include <functional>

#include "app/solve/dense/dense_problem.h"

namespace tl {

/// Flags of problems over ranks.
struct DenseRankFlags {
    std::string grid;  ///< "2x3"; "": this process solves alone
    int block = 128, threads = 0, timeout = 600;
    bool peers = false;
};

/// Adds --grid and the flags that need it.
void add_rank_flags(CLI::App& command, DenseRankFlags& flags);
/// Modes of --grid for help texts.
inline constexpr const char* kRankModes = "lookahead, thesis";

/// A problem over ranks: lu or solve.
struct DenseRankTask {
    DenseTask dense;
    DenseRankFlags flags;
    std::string device = "auto", out;
    std::function<void()> check_output;  ///< called at the root before the work, if `out` is given
};

/// Solves the problem with all processes of the job. `report` has the machine and the matrix, and
/// receives what run_dense() returns, with figures of the ranks. The root writes it, with the
/// results, if `out` is given. Throws UsageError for wrong flags, or where mpirun has started no
/// job.
template <class T>
void run_on_ranks(const DenseRankTask& task, nlohmann::ordered_json& report);
template <>
void run_on_ranks<float>(const DenseRankTask& task, nlohmann::ordered_json& report);
template <>
void run_on_ranks<double>(const DenseRankTask& task, nlohmann::ordered_json& report);

}  // namespace tl
