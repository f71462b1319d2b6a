#include "accel/parallel/readback.h"

#if defined(TL_HAS_CUDA)
#include <cuda_runtime.h>

#include "accel/parallel/cuda_check.h"
#endif

namespace tl {

// Pinned memory on CUDA, so that copies are asynchronous; plain memory on the CPU.
#if defined(TL_HAS_CUDA)

PinnedMemory::PinnedMemory(Device& device, std::size_t bytes) : device_(&device), data_(nullptr) {
    if (device.kind() == DeviceKind::cuda)
        TL_CUDA_CHECK(cudaMallocHost(&data_, bytes));
    else
        data_ = ::operator new(bytes);
}

PinnedMemory::~PinnedMemory() {
    if (!data_) return;
    if (device_->kind() == DeviceKind::cuda)
        TL_CUDA_CHECK_PRINT(cudaFreeHost(data_));
    else
        ::operator delete(data_);
}

void PinnedMemory::download_later(Stream& stream, const void* from, std::size_t bytes) {
    if (device_->kind() == DeviceKind::cuda)
        TL_CUDA_CHECK(cudaMemcpyAsync(data_, from, bytes, cudaMemcpyDeviceToHost,
                                      static_cast<cudaStream_t>(stream.native())));
    else
        std::memcpy(data_, from, bytes);
}

#else

PinnedMemory::PinnedMemory(Device& device, std::size_t bytes)
    : device_(&device), data_(::operator new(bytes)) {}

PinnedMemory::~PinnedMemory() {
    ::operator delete(data_);
}

void PinnedMemory::download_later(Stream&, const void* from, std::size_t bytes) {
    std::memcpy(data_, from, bytes);
}

#endif

}  // namespace tl
