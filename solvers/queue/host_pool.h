// Pool of host memory for copies to and from a device, pinned on CUDA. Pinned allocation is slow,
// so released blocks are kept for the next request of their size.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "core/device/device.h"

namespace tl {

class HostPool : public std::enable_shared_from_this<HostPool> {
  public:
    explicit HostPool(Device& device) : device_(device) {}
    ~HostPool();
    HostPool(const HostPool&) = delete;
    HostPool& operator=(const HostPool&) = delete;

    /// Allocates at least `bytes`. The block returns to the pool, which it keeps alive, with its
    /// last owner.
    [[nodiscard]] std::shared_ptr<void> take(std::size_t bytes);

  private:
    void give_back(void* block, std::size_t size) noexcept;

    /// Unused blocks beyond this total are freed.
    static constexpr std::size_t kMostKept = std::size_t{1} << 30;
    Device& device_;
    std::mutex mutex_;
    std::map<std::size_t, std::vector<void*>> unused_;  ///< unused blocks, by size
    std::size_t kept_ = 0;                              ///< bytes of all unused blocks
};

}  // namespace tl
