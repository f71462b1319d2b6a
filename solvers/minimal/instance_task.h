// Parameters of the kernel of a generated solver, which nvcc compiles on first use.
#pragma once

#include <cstddef>

namespace tl::minimal {

/// Instances of a system in device memory, and the destination of their solutions.
struct InstanceTask {
    const double* instances;  ///< `count` times the solver's kParameters
    std::size_t count;
    double* solutions;  ///< `count` times kSolutions x kUnknowns; unused ones are NaN
    int* counts;        ///< number of solutions of each instance
    double* memory;     ///< scratch memory of warps; null: shared memory
};
static_assert(sizeof(InstanceTask) == 40, "the host and the compiled kernel share it");

/// Most bytes of scratch memory with which a thread, and not a warp, solves an instance: faster for
/// the 6 to 35 kB that were measured. CUDA reserves them for all resident threads, 13 GB on an
/// H200.
inline constexpr std::size_t kMostThreadBytes = 49152;

/// Newton steps that improve a solution, at most.
inline constexpr int kMostNewtonSteps = 10;

/// Threads of a block: of the kernel with a thread for each instance, and of that with a warp.
inline constexpr int kInstanceThreads = 64, kInstanceWarp = 32;

}  // namespace tl::minimal
