// Parameters of the kernel of a generated solver, which nvcc compiles on first use.
#pragma once

#include <cstddef>

namespace tl::minimal {

/// Instances of a system in device memory, and the destination of their solutions.
struct InstanceTask {
    const double* instances;  ///< `count` times the solver's kParameters
    std::size_t count;
    double* solutions;  ///< `count` times kSolutions x kUnknowns; in the end filled up with NaN
    int* counts;        ///< number of solutions of each instance
    double* memory;     ///< scratch memory of warps; null: shared memory
};
static_assert(sizeof(InstanceTask) == 40, "the host and the compiled kernel share it");

/// Scratch memory of an instance, in bytes, up to which a thread solves it in local memory: faster
/// than a warp for 6 to 35 kB, but CUDA reserves it for all threads that may be resident, 13 GB of
/// an H200 for this much.
inline constexpr std::size_t kMostThreadBytes = 49152;

/// Newton steps that improve a solution, at most.
inline constexpr int kMostNewtonSteps = 10;

/// Threads of a block of the kernel that has a thread for each instance, and of the other, whose
/// blocks are warps.
inline constexpr int kInstanceThreads = 64, kInstanceWarp = 32;

}  // namespace tl::minimal
