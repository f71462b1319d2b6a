// Streams of green contexts of the driver (CUDA Driver API, section "Green Contexts"). Such a
// stream is bound to its context's multiprocessors, whatever context is current when work is
// submitted. The driver's functions are obtained through the runtime, so that the driver's library
// is not linked and older drivers without these functions still work.
#include "core/device/part_stream_cuda.h"

#if CUDART_VERSION >= 12050
#include <cuda.h>
#include <cudaTypedefs.h>

#include <map>
#include <mutex>

#include "core/device/background.h"
#include "core/device/cuda_check.h"
#endif

namespace tl {

#if CUDART_VERSION >= 12050

namespace {

template <class Function>
bool find(const char* name, unsigned version, Function& function) {
    void* address = nullptr;
    cudaDriverEntryPointQueryResult result{};
    auto status =
        cudaGetDriverEntryPointByVersion(name, &address, version, cudaEnableDefault, &result);
    if (status != cudaSuccess) cudaGetLastError();  // hide it from the next launch
    function = reinterpret_cast<Function>(address);
    return status == cudaSuccess && result == cudaDriverEntryPointSuccess && address;
}

struct Driver {
    PFN_cuDeviceGet_v2000 device_get = nullptr;
    PFN_cuDeviceGetDevResource_v12040 get_resource = nullptr;
    PFN_cuDevSmResourceSplitByCount_v12040 split = nullptr;
    PFN_cuDevResourceGenerateDesc_v12040 describe = nullptr;
    PFN_cuGreenCtxCreate_v12040 create = nullptr;
    PFN_cuGreenCtxStreamCreate_v12050 create_stream = nullptr;
    bool complete = false;

    Driver() {
        complete = find("cuDeviceGet", 2000, device_get) &&
                   find("cuDeviceGetDevResource", 12040, get_resource) &&
                   find("cuDevSmResourceSplitByCount", 12040, split) &&
                   find("cuDevResourceGenerateDesc", 12040, describe) &&
                   find("cuGreenCtxCreate", 12040, create) &&
                   find("cuGreenCtxStreamCreate", 12050, create_stream);
    }
};

struct Part {
    CUgreenCtx context = nullptr;  ///< null where it cannot be created
    int multiprocessors = 0;
};

Part make_part(const Driver& driver, CUdevice device, const CUdevResource& all, int wanted) {
    CUdevResource resource{};
    unsigned n_parts = 1;
    if (driver.split(&resource, &n_parts, &all, nullptr, 0, static_cast<unsigned>(wanted)) !=
            CUDA_SUCCESS ||
        n_parts != 1)
        return {};
    CUdevResourceDesc description = nullptr;
    Part part{nullptr, static_cast<int>(resource.sm.smCount)};
    if (driver.describe(&description, &resource, 1) != CUDA_SUCCESS ||
        driver.create(&part.context, description, device, CU_GREEN_CTX_DEFAULT_STREAM) !=
            CUDA_SUCCESS)
        return {};
    return part;
}

}  // namespace

std::optional<PartStream> create_part_stream(int device, float share, int priority) {
    if (share >= 1) return std::nullopt;
    TL_CUDA_CHECK(cudaSetDevice(device));  // makes the primary context current, where it stays
    static const Driver driver;
    CUdevice handle = 0;
    CUdevResource all{};
    if (!driver.complete || driver.device_get(&handle, device) != CUDA_SUCCESS ||
        driver.get_resource(handle, &all, CU_DEV_RESOURCE_TYPE_SM) != CUDA_SUCCESS)
        return std::nullopt;
    auto total = static_cast<int>(all.sm.smCount);
    int wanted = multiprocessors_of_share(share, total, static_cast<int>(all.sm.minSmPartitionSize),
                                          static_cast<int>(all.sm.smCoscheduledAlignment));
    if (wanted >= total) return std::nullopt;

    // One context per device and size, never destroyed, since the driver may unload before static
    // objects are. Idle contexts take no multiprocessor away from others.
    static std::mutex mutex;
    static std::map<std::pair<int, int>, Part> parts;
    std::scoped_lock lock(mutex);  // the driver allows one thread at a time per context
    auto [row, is_new] = parts.try_emplace({device, wanted});
    if (is_new) row->second = make_part(driver, handle, all, wanted);
    CUstream stream = nullptr;
    if (!row->second.context ||
        driver.create_stream(&stream, row->second.context, CU_STREAM_NON_BLOCKING, priority) !=
            CUDA_SUCCESS)
        return std::nullopt;
    return PartStream{stream, row->second.multiprocessors};
}

#else

std::optional<PartStream> create_part_stream(int, float, int) {
    return std::nullopt;
}

#endif

}  // namespace tl
