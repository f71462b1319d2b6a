// A compiled kernel of a generated solver, loaded into the context of a CUDA device.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/device/device.h"
#include "solvers/minimal/instance_task.h"
#include "solvers/minimal/solver_kernel.h"

namespace tl::minimal {

class LoadedKernel {
  public:
    /// Loads a cubin of that shape onto a GPU. Throws UserError if the driver refuses it.
    LoadedKernel(const std::string& path, const KernelShape& shape, const Device& gpu);
    ~LoadedKernel();
    LoadedKernel(const LoadedKernel&) = delete;
    LoadedKernel& operator=(const LoadedKernel&) = delete;

    /// Bytes of device memory for the local memory of all threads that may be resident.
    [[nodiscard]] std::uint64_t local_bytes() const { return local_bytes_; }
    /// Numbers of the scratch memory that a launch needs in InstanceTask::memory; 0 where warps
    /// have theirs in shared memory.
    [[nodiscard]] std::size_t scratch_numbers() const {
        return most_blocks_ * shape_.instance_bytes / sizeof(double);
    }
    /// Starts the kernel for at least one instance. Throws UserError.
    void launch(Stream& stream, const InstanceTask& task) const;

  private:
    struct Handles;
    std::string path_;
    KernelShape shape_;
    std::unique_ptr<Handles> handles_;
    std::uint64_t local_bytes_ = 0;
    std::size_t most_blocks_ = 0;  ///< of warps whose scratch memory is global; else 0
};

}  // namespace tl::minimal
