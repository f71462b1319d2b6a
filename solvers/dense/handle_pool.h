// Pool of handles of NVIDIA's libraries, whose creation takes milliseconds.
#pragma once

#include <map>
#include <mutex>
#include <vector>

#include "core/device/cuda_check.h"
#include "core/device/device.h"

namespace tl {

/// A handle that is borrowed for the work of one stream, on whose GPU it was made. Unused handles
/// are never destroyed, since the libraries may be unloaded before static objects are destroyed.
template <class Handle>
class PooledHandle {
  public:
    /// Takes an unused handle, or the new one that make() returns. The stream's GPU becomes
    /// current.
    template <class Make>
    PooledHandle(Stream& stream, Make make)
        : stream_(stream), handle_(take(stream.device(), make)) {}
    /// Waits for the stream, since the next borrower may have another one.
    ~PooledHandle() {
        TL_CUDA_CHECK_PRINT(cudaStreamSynchronize(static_cast<cudaStream_t>(stream_.native())));
        std::scoped_lock lock(mutex_);
        unused_[stream_.device().index()].push_back(handle_);
    }
    PooledHandle(const PooledHandle&) = delete;
    PooledHandle& operator=(const PooledHandle&) = delete;

    [[nodiscard]] Handle& get() { return handle_; }

  private:
    template <class Make>
    static Handle take(const Device& gpu, Make make) {
        gpu.make_current();
        std::unique_lock lock(mutex_);
        auto& unused = unused_[gpu.index()];
        if (unused.empty()) {
            lock.unlock();
            return make();
        }
        Handle handle = unused.back();
        unused.pop_back();
        return handle;
    }

    static inline std::mutex mutex_;
    static inline std::map<int, std::vector<Handle>> unused_;  ///< by the GPU's index
    Stream& stream_;
    Handle handle_;
};

}  // namespace tl
