// Arrays that are used by kernels on a device and by messages, which need host memory.
#pragma once

#include "core/device/array.h"

namespace tl {

/// An array on a device with a copy in host memory. On the CPU both are the same memory, and
/// nothing is copied.
template <class T>
class Staged {
  public:
    /// Sets the size, losing the contents.
    void resize_discard(Stream& stream, std::size_t size) {
        device_.resize_discard(stream, size);
        is_host_ = stream.device().kind() == DeviceKind::cpu;
        if (!is_host_) host_.resize(size);
    }
    [[nodiscard]] T* device() { return device_.data(); }
    [[nodiscard]] T* host() { return is_host_ ? device_.data() : host_.data(); }
    [[nodiscard]] std::size_t bytes() const { return device_.size() * sizeof(T); }

    /// Copies to the host; waits for it.
    void to_host(Stream& stream) {
        if (!is_host_ && bytes() > 0)
            stream.device().download(stream, host_.data(), device_.data(), bytes());
    }
    void to_device(Stream& stream) {
        if (!is_host_ && bytes() > 0)
            stream.device().upload(stream, device_.data(), host_.data(), bytes());
    }

  private:
    DeviceArray<T> device_;
    std::vector<T> host_;
    bool is_host_ = true;
};

}  // namespace tl
