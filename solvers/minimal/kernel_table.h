// Instances of a polynomial system by a kernel of a GPU (Cvrcek 2016, chapter 3).
#pragma once

#include "solvers/minimal/table_route.h"

namespace tl::minimal {

/// Whether the kernel for a GPU has been compiled before, into the cache.
[[nodiscard]] bool has_compiled_kernel(const PolynomialSystem& system, const Device& gpu);

/// All of an instance's solution is on the GPU, by a thread or, for large templates, by a warp.
/// Chunks of the table are copied through pinned memory, on two streams. Throws UserError if the
/// kernel cannot be compiled or loaded, and what `poll` throws.
[[nodiscard]] std::unique_ptr<TableRoute> make_kernel_table(const PolynomialSystem& system,
                                                            const SolverFunctions& functions,
                                                            Device& device,
                                                            const ProgressPoll& poll);

}  // namespace tl::minimal
