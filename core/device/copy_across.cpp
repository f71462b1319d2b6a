#include "core/device/copy_across.h"

#if defined(TL_HAS_CUDA)
#include "core/device/device_cuda.h"
#endif

namespace tl {
namespace {

void copy_between_gpus(Stream& source, const void* from, Stream& target, void* to,
                       std::size_t bytes) {
    auto written = source.device().create_event();
    written->record(source);
    written->hold(target);
    target.device().copy_from_peer(target, to, source.device(), from, bytes);
    auto copied = target.device().create_event();
    copied->record(target);
    copied->hold(source);
}

}  // namespace

void link_devices([[maybe_unused]] const std::vector<Device*>& devices) {
#if defined(TL_HAS_CUDA)
    std::vector<Device*> gpus;
    for (Device* device : devices)
        if (device->kind() == DeviceKind::cuda) gpus.push_back(device);
    link_gpus(gpus);
#endif
}

void copy_across(Stream& source, const void* from, Stream& target, void* to, std::size_t bytes) {
    if (bytes == 0) return;
    bool from_gpu = source.device().kind() == DeviceKind::cuda;
    bool to_gpu = target.device().kind() == DeviceKind::cuda;
    if (from_gpu && to_gpu) return copy_between_gpus(source, from, target, to, bytes);
    // The CPU's streams work in the calling thread, so its side is complete.
    if (from_gpu) return source.device().download(source, to, from, bytes);
    target.device().upload(target, to, from, bytes);
}

}  // namespace tl
