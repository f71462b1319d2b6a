#include "solvers/queue/host_pool.h"

#include <algorithm>
#include <bit>

namespace tl {

HostPool::~HostPool() {
    for (auto& [size, blocks] : unused_)
        for (void* block : blocks) device_.free_pinned(block);
}

std::shared_ptr<void> HostPool::take(std::size_t bytes) {
    // Up to 4 MiB powers of two, above that multiples of it: little is wasted, much is reused.
    constexpr std::size_t kStep = std::size_t{4} << 20;
    std::size_t size = bytes <= kStep ? std::bit_ceil(std::max<std::size_t>(bytes, 256))
                                      : (bytes + kStep - 1) / kStep * kStep;
    void* block = nullptr;
    {
        std::scoped_lock lock(mutex_);
        auto& blocks = unused_[size];
        if (!blocks.empty()) {
            block = blocks.back();
            blocks.pop_back();
            kept_ -= size;
        }
    }
    if (!block) block = device_.allocate_pinned(size);
    return {block, [pool = shared_from_this(), size](void* b) { pool->give_back(b, size); }};
}

void HostPool::give_back(void* block, std::size_t size) noexcept {
    {
        std::scoped_lock lock(mutex_);
        if (kept_ + size <= kMostKept) {
            unused_[size].push_back(block);
            kept_ += size;
            return;
        }
    }
    device_.free_pinned(block);
}

}  // namespace tl
