// Pool of handles of NVIDIA's libraries, whose creation takes milliseconds.
#pragma once

#include <mutex>
#include <vector>

#include "core/device/cuda_check.h"
#include "core/device/device.h"

namespace tl {

/// A handle that is borrowed for the work of one stream. Unused handles are never destroyed, since
/// the libraries may be unloaded before static objects are destroyed.
template <class Handle>
class PooledHandle {
  public:
    /// Takes an unused handle, or the new one that make() returns.
    template <class Make>
    PooledHandle(Stream& stream, Make make) : stream_(stream), handle_(take(make)) {}
    /// Waits for the stream, since the next borrower may have another one.
    ~PooledHandle() {
        TL_CUDA_CHECK_PRINT(cudaStreamSynchronize(static_cast<cudaStream_t>(stream_.native())));
        std::scoped_lock lock(mutex_);
        unused_.push_back(handle_);
    }
    PooledHandle(const PooledHandle&) = delete;
    PooledHandle& operator=(const PooledHandle&) = delete;

    [[nodiscard]] Handle& get() { return handle_; }

  private:
    template <class Make>
    static Handle take(Make make) {
        std::unique_lock lock(mutex_);
        if (unused_.empty()) {
            lock.unlock();
            return make();
        }
        Handle handle = unused_.back();
        unused_.pop_back();
        return handle;
    }

    static inline std::mutex mutex_;
    static inline std::vector<Handle> unused_;
    Stream& stream_;
    Handle handle_;
};

}  // namespace tl
