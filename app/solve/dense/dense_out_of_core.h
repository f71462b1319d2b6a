// `treelight solve lu --out-of-core`: factors of matrices that a device does not hold.
#pragma once

#include "app/solve/dense/dense_problem.h"

namespace tl {

/// Factorises the task's matrix in host memory. The report is that of run_dense(), whose accuracy
/// is the error of the solution of A x = A 1 with the factors: against 1, and as a backward error,
/// both over n eps. `out`: prefix of the files with the factors and the order of rows, which are
/// written before the report; "": none. `device_memory`: bytes to use; 0: most of what is free.
template <class T>
[[nodiscard]] nlohmann::ordered_json run_out_of_core(Stream& stream, const DenseTask& task,
                                                     std::uint64_t device_memory, SolverRun& run,
                                                     const std::string& out);

}  // namespace tl
