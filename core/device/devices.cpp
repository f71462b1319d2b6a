#include "core/base/error.h"
#include "core/base/host_memory.h"
#include "core/device/device_cpu.h"
#if defined(TL_HAS_CUDA)
#include "core/device/device_cuda.h"
#endif

namespace tl {
namespace {

struct DeviceList {
    std::vector<Device*> list{&cpu_device()};
    std::string cuda_absence = "this program was built without CUDA";
    DeviceList() {
#if defined(TL_HAS_CUDA)
        if (Device* gpu = cuda_device(cuda_absence)) list.push_back(gpu);
#endif
    }
};

const DeviceList& device_list() {
    static const DeviceList list;
    return list;
}

}  // namespace

const std::vector<Device*>& devices() {
    return device_list().list;
}

const std::string& cuda_absence() {
    return device_list().cuda_absence;
}

Device& find_device(const std::string& id) {
    auto& list = devices();
    if (id == "auto") return *list.back();
    for (Device* device : list)
        if (id == device_id(device->kind())) return *device;
    if (id == "cuda") throw UserError("device cuda is not there: " + cuda_absence());
    throw UsageError("unknown device '" + id + "'; known: auto, cpu, cuda");
}

const char* device_id(DeviceKind kind) {
    return kind == DeviceKind::cuda ? "cuda" : "cpu";
}

void require_memory(const Device& device, std::uint64_t bytes, const std::string& what,
                    const std::string& advice) {
    auto free_bytes = device.memory_stats().bytes_free;
    if (bytes > free_bytes) throw refused_memory(device.kind(), bytes, free_bytes, what, advice);
}

OutOfMemory refused_memory(DeviceKind kind, std::uint64_t bytes, std::uint64_t free_bytes,
                           const std::string& what, const std::string& advice) {
    std::string limit = kind == DeviceKind::cpu ? host_memory().limit : "";
    return refused_memory(device_id(kind), bytes, free_bytes, limit, what, advice);
}

}  // namespace tl
