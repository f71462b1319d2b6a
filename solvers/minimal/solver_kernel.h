// The kernel of a generated solver, which takes instances from their parameters to their solutions
// on a GPU: its source, and its compilation by nvcc into the cache.
#pragma once

#include <string>
#include <vector>

#include "solvers/minimal/elimination_template.h"
#include "solvers/minimal/shared_object.h"

namespace tl::minimal {

/// The headers that the source of a kernel begins with, in one text.
extern const char* const kKernelHeaders;

/// The command of nvcc: the words of $NVCC; else nvcc from PATH, or from the folder bin of
/// $CUDA_HOME, $CUDA_PATH or /usr/local/cuda. Empty where there is none.
[[nodiscard]] std::vector<std::string> cuda_compiler();

/// Division of an instance's work among threads, by the size of its template.
struct KernelShape {
    bool by_warps = false;           ///< each instance has a warp, else a thread
    std::size_t instance_bytes = 0;  ///< scratch memory of an instance
};
[[nodiscard]] KernelShape kernel_shape(const SolverFunctions& functions);

/// Source of the kernel kKernelName, whose parameter is an InstanceTask.
[[nodiscard]] std::string kernel_source(const PolynomialSystem& system,
                                        const EliminationTemplate& found, const KernelShape& shape);

/// Compute capability of a GPU, such as 9 and 0.
struct Capability {
    int major = 0, minor = 0;
};

/// Path of the kernel's machine code (cubin) for such GPUs in the cache, whether it has been
/// compiled or not.
[[nodiscard]] std::string kernel_path(const PolynomialSystem& system, Capability gpu);

/// Compiles the kernel to kernel_path(), unless it is there. Throws UserError where there is no
/// nvcc or it fails, and what find_template() and `poll` throw.
void compile_kernel(const PolynomialSystem& system, const KernelShape& shape, Capability gpu,
                    const ProgressPoll& poll = {});

}  // namespace tl::minimal
