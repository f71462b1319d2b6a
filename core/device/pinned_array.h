// Arrays in pinned host memory, which copies to and from a device do not wait for.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

#include "core/device/device.h"

namespace tl {

/// Owns `size()` elements in host memory that is pinned on CUDA. Moves, never copies; elements
/// start uninitialised. The device must outlive it.
template <class T>
class PinnedArray {
    static_assert(std::is_trivially_copyable_v<T>);

  public:
    PinnedArray() = default;
    PinnedArray(Device& device, std::size_t size)
        : device_(&device),
          data_(static_cast<T*>(device.allocate_pinned(size * sizeof(T)))),
          size_(size) {}
    ~PinnedArray() {
        if (data_) device_->free_pinned(data_);
    }
    PinnedArray(PinnedArray&& o) noexcept { *this = std::move(o); }
    PinnedArray& operator=(PinnedArray&& o) noexcept {
        std::swap(device_, o.device_);
        std::swap(data_, o.data_);
        std::swap(size_, o.size_);
        return *this;
    }

    [[nodiscard]] T* data() { return data_; }
    [[nodiscard]] std::size_t size() const { return size_; }

  private:
    Device* device_ = nullptr;
    T* data_ = nullptr;
    std::size_t size_ = 0;
};

}  // namespace tl
