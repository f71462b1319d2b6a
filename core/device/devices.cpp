#include <algorithm>

#include "core/base/error.h"
#include "core/base/host_memory.h"
#include "core/base/near_match.h"
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
        cuda_absence.clear();
        for (Device* gpu : cuda_devices(cuda_absence)) list.push_back(gpu);
#endif
    }
};

/// Whether an id has the form "cuda:1".
bool is_gpu_number(const std::string& id) {
    return id.starts_with("cuda:") && id.size() > 5 && id.size() < 10 &&
           id.find_first_not_of("0123456789", 5) == std::string::npos;
}

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

Device* first_gpu() {
    return devices().size() > 1 ? devices()[1] : nullptr;
}

Device& find_device(const std::string& id) {
    auto& list = devices();
    if (id == "auto") return first_gpu() ? *first_gpu() : *list[0];
    for (Device* device : list)
        if (id == device->id()) return *device;
    if (first_gpu() && (id == "cuda" || (id == "cuda:0" && first_gpu()->index() == 0)))
        return *first_gpu();
    if (id == "cuda" || is_gpu_number(id))
        throw UserError("device " + id + " is not there: " +
                        (first_gpu() ? "this machine has " + std::to_string(list.size() - 1) +
                                           " that this program can use"
                                     : cuda_absence()));
    if (id.find(',') != std::string::npos || id == "cuda:all")
        throw UsageError("one device, not '" + id + "'");
    std::vector<std::string> known{"auto", "cpu", "cuda"};
    for (std::size_t i = 2; i < list.size(); ++i) known.push_back(list[i]->id());
    auto unknown = "unknown device '" + id + "'";
    // The nearest name to "gpu" is "cpu".
    throw UsageError(unknown +
                     (id == "gpu" ? "; known: " + joined(known) : known_names(id, known)));
}

std::vector<Device*> find_devices(const std::string& ids) {
    std::vector<Device*> found;
    for (std::size_t begin = 0; begin <= ids.size();) {
        auto end = std::min(ids.find(',', begin), ids.size());
        auto id = ids.substr(begin, end - begin);
        begin = end + 1;
        if (id == "cuda:all") {
            (void)find_device("cuda");
            found.insert(found.end(), devices().begin() + 1, devices().end());
        } else {
            found.push_back(&find_device(id));
        }
    }
    return found;
}

std::string ids_of(const std::vector<Device*>& devices) {
    std::string ids;
    for (Device* device : devices) {
        if (!ids.empty()) ids += ',';
        ids += device->id();
    }
    return ids;
}

std::string names_of(const std::vector<Device*>& devices) {
    std::string names;
    for (std::size_t i = 0, end = 0; i < devices.size(); i = end) {
        auto name = devices[i]->name();
        for (end = i; end < devices.size() && devices[end]->name() == name;) ++end;
        if (!names.empty()) names += " + ";
        if (end - i > 1) names += std::to_string(end - i) + " x ";
        names += name;
    }
    return names;
}

std::string Device::id() const {
    std::string kind_id = device_id(kind());
    return index() == 0 ? kind_id : kind_id + ":" + std::to_string(index());
}

const char* device_id(DeviceKind kind) {
    return kind == DeviceKind::cuda ? "cuda" : "cpu";
}

void require_memory(const Device& device, std::uint64_t bytes, const std::string& what,
                    const std::string& advice) {
    auto free_bytes = device.memory_stats().bytes_free;
    if (bytes > free_bytes) throw refused_memory(device, bytes, free_bytes, what, advice);
}

OutOfMemory refused_memory(const Device& device, std::uint64_t bytes, std::uint64_t free_bytes,
                           const std::string& what, const std::string& advice) {
    std::string limit = device.kind() == DeviceKind::cpu ? host_memory().limit : "";
    return refused_memory(device.id(), bytes, free_bytes, limit, what, advice);
}

}  // namespace tl
