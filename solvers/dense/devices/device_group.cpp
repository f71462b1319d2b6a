#include "solvers/dense/devices/device_group.h"

#include <string>

#include "core/base/error.h"
#include "core/device/copy_across.h"

namespace tl {

DeviceGroup::DeviceGroup(const std::vector<Device*>& devices) {
    for (Device* device : devices)
        if (device->kind() != devices[0]->kind())
            throw UsageError("--device: " + devices[0]->id() + " and " + device->id() +
                             " cannot share a matrix: list GPUs alone, or cpu alone");
    link_devices(devices);
    for (Device* device : devices) {
        auto stream = device->create_stream();
        auto blas = make_blas(*stream);
        members_.push_back({std::move(stream), std::move(blas)});
    }
}

void DeviceGroup::synchronize() {
    for (auto& member : members_) member.stream->synchronize();
}

}  // namespace tl
