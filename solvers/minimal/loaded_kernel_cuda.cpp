// The driver's functions for modules are obtained through the runtime, so that the driver's library
// is not linked.
#include <cuda.h>
#include <cudaTypedefs.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/device/cuda_check.h"
#include "solvers/minimal/loaded_kernel.h"
#include "solvers/minimal/solver_writer.h"

namespace tl::minimal {
namespace {

template <class Function>
void find_in_driver(const char* name, [[maybe_unused]] unsigned version, Function& function) {
    void* address = nullptr;
    cudaDriverEntryPointQueryResult result{};
#if CUDART_VERSION >= 12050
    TL_CUDA_CHECK(
        cudaGetDriverEntryPointByVersion(name, &address, version, cudaEnableDefault, &result));
#else
    TL_CUDA_CHECK(cudaGetDriverEntryPoint(name, &address, cudaEnableDefault, &result));
#endif
    if (result != cudaDriverEntryPointSuccess || !address)
        throw UserError(std::string("the CUDA driver has no function ") + name +
                        "; install a newer driver, or use --mode hybrid");
    function = reinterpret_cast<Function>(address);
}

struct ModuleFunctions {
    PFN_cuModuleLoad_v2000 load = nullptr;
    PFN_cuModuleUnload_v2000 unload = nullptr;
    PFN_cuModuleGetFunction_v2000 get_function = nullptr;
    PFN_cuFuncGetAttribute_v2020 get_attribute = nullptr;
    PFN_cuFuncSetAttribute_v9000 set_attribute = nullptr;
    PFN_cuLaunchKernel_v4000 launch = nullptr;
    PFN_cuGetErrorString_v6000 error_string = nullptr;

    ModuleFunctions() {
        find_in_driver("cuModuleLoad", 2000, load);
        find_in_driver("cuModuleUnload", 2000, unload);
        find_in_driver("cuModuleGetFunction", 2000, get_function);
        find_in_driver("cuFuncGetAttribute", 2020, get_attribute);
        find_in_driver("cuFuncSetAttribute", 9000, set_attribute);
        find_in_driver("cuLaunchKernel", 4000, launch);
        find_in_driver("cuGetErrorString", 6000, error_string);
    }
    [[nodiscard]] std::string text(CUresult error) const {
        const char* words = nullptr;
        if (error_string(error, &words) != CUDA_SUCCESS || !words) words = "unknown error";
        return words;
    }
};

const ModuleFunctions& driver() {
    static const ModuleFunctions functions;
    return functions;
}

std::uint64_t attribute_of(const Device& gpu, cudaDeviceAttr attribute) {
    int value = 0;
    TL_CUDA_CHECK(cudaDeviceGetAttribute(&value, attribute, gpu.index()));
    return static_cast<std::uint64_t>(value);
}

}  // namespace

struct LoadedKernel::Handles {
    CUmodule module = nullptr;
    CUfunction function = nullptr;

    ~Handles() {
        if (module) (void)driver().unload(module);
    }
};

LoadedKernel::LoadedKernel(const std::string& path, const KernelShape& shape, const Device& gpu)
    : path_(path), shape_(shape), handles_(std::make_unique<Handles>()) {
    auto check = [&](CUresult result) {
        if (result != CUDA_SUCCESS)
            throw UserError(path_ + ": cannot be loaded: " + driver().text(result) +
                            "; remove it, so that it is compiled again, or use --mode hybrid");
    };
    gpu.make_current();
    TL_CUDA_CHECK(cudaFree(nullptr));  // creates the GPU's context
    check(driver().load(&handles_->module, path.c_str()));
    check(driver().get_function(&handles_->function, handles_->module, kKernelName));
    int bytes = 0;
    check(driver().get_attribute(&bytes, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, handles_->function));
    local_bytes_ = static_cast<std::uint64_t>(bytes) *
                   attribute_of(gpu, cudaDevAttrMultiProcessorCount) *
                   attribute_of(gpu, cudaDevAttrMaxThreadsPerMultiProcessor);
    if (!shape_.by_warps) return;
    if (shape_.instance_bytes <= attribute_of(gpu, cudaDevAttrMaxSharedMemoryPerBlockOptin)) {
        check(driver().set_attribute(handles_->function,
                                     CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                     static_cast<int>(shape_.instance_bytes)));
        return;
    }
    constexpr std::size_t kWarpsOfMultiprocessor = 8;
    most_blocks_ = kWarpsOfMultiprocessor * attribute_of(gpu, cudaDevAttrMultiProcessorCount);
}

LoadedKernel::~LoadedKernel() = default;

void LoadedKernel::launch(Stream& stream, const InstanceTask& task) const {
    auto own = task;
    void* parameters[] = {&own};
    std::size_t n_blocks = (task.count + kInstanceThreads - 1) / kInstanceThreads;
    if (shape_.by_warps)
        n_blocks = most_blocks_ > 0 ? std::min(most_blocks_, task.count) : task.count;
    bool is_shared = shape_.by_warps && most_blocks_ == 0;
    auto result = driver().launch(handles_->function, static_cast<unsigned>(n_blocks), 1, 1,
                                  shape_.by_warps ? kInstanceWarp : kInstanceThreads, 1, 1,
                                  is_shared ? static_cast<unsigned>(shape_.instance_bytes) : 0,
                                  static_cast<CUstream>(stream.native()), parameters, nullptr);
    if (result != CUDA_SUCCESS)
        throw UserError(path_ + ": the kernel cannot be launched: " + driver().text(result) +
                        "; use --mode hybrid");
}

}  // namespace tl::minimal
