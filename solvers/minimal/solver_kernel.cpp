#include "solvers/minimal/solver_kernel.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>

#include "core/base/error.h"
#include "solvers/minimal/compiler.h"
#include "solvers/minimal/instance_task.h"
#include "solvers/minimal/lane_solver.h"
#include "solvers/minimal/solver_writer.h"

namespace tl::minimal {
namespace {

std::string capability_text(Capability gpu) {
    return "sm_" + std::to_string(gpu.major) + std::to_string(gpu.minor);
}

/// Flags of nvcc for a kernel's machine code.
std::vector<std::string> kernel_flags(Capability gpu) {
    return {"-std=c++20", "--expt-relaxed-constexpr",     "-O3", "-w",
            "-cubin",     "-arch=" + capability_text(gpu)};
}

/// Folders that may have nvcc, in the order of preference.
std::vector<std::string> compiler_folders() {
    std::vector<std::string> folders;
    const char* path = std::getenv("PATH");
    std::istringstream text(path ? path : "");
    for (std::string folder; std::getline(text, folder, ':');) folders.push_back(folder);
    for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
        if (const char* folder = std::getenv(variable))
            folders.push_back(folder + std::string("/bin"));
    folders.emplace_back("/usr/local/cuda/bin");
    return folders;
}

}  // namespace

std::vector<std::string> cuda_compiler() {
    if (auto words = words_of_variable("NVCC"); !words.empty()) return words;
    for (auto& folder : compiler_folders())
        if (auto file = folder + "/nvcc"; !folder.empty() && access(file.c_str(), X_OK) == 0)
            return {file};
    return {};
}

KernelShape kernel_shape(const SolverFunctions& functions) {
    const cpu::minimal::LoadedSolver solver{&functions, nullptr};
    std::size_t bytes =
        sizeof(double) * static_cast<std::size_t>(LaneSolver::Storage::size(solver));
    return {bytes > kMostThreadBytes, bytes};
}

std::string kernel_source(const PolynomialSystem& system, const EliminationTemplate& found,
                          const KernelShape& shape) {
    return kKernelHeaders + kernel_text(system, found, shape.by_warps);
}

std::string kernel_path(const PolynomialSystem& system, Capability gpu) {
    // The compiler's version is left out: a compiled kernel also serves where nvcc is missing or
    // new, and machine code does not depend on who made it.
    auto form = kKernelHeaders + std::to_string(kKernelVersion);
    for (auto& flag : kernel_flags(gpu)) form += " " + flag;
    return cached_path(system, form, "-" + capability_text(gpu) + ".cubin");
}

void compile_kernel(const PolynomialSystem& system, const KernelShape& shape, Capability gpu,
                    const ProgressPoll& poll) {
    auto path = kernel_path(system, gpu);
    if (std::filesystem::exists(path)) return;
    auto command = cuda_compiler();
    if (command.empty())
        throw UserError(
            "the kernel of the system '" + system.name +
            "' needs NVIDIA's compiler, and there is no nvcc in PATH, in CUDA_HOME or in "
            "/usr/local/cuda; install the CUDA toolkit, name nvcc in NVCC, or use --mode hybrid");
    for (auto& flag : kernel_flags(gpu)) command.push_back(flag);
    compile_file({kernel_source(system, find_template(system, poll), shape), "solver.cu", command,
                  "name nvcc in NVCC, or use --mode hybrid"},
                 path, poll);
}

}  // namespace tl::minimal
