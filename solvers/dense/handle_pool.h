// A pool of handles of NVIDIA's libraries, whose creation takes milliseconds.
#pragma once

#include <mutex>
#include <vector>

namespace tl {

/// Handles that are currently unused. They are never destroyed, since the libraries may be unloaded
/// before static objects are destroyed.
template <class Handle>
class HandlePool {
  public:
    /// A handle of the pool, or a new one.
    template <class Make>
    [[nodiscard]] Handle take(Make make) {
        {
            std::scoped_lock lock(mutex_);
            if (!handles_.empty()) {
                Handle handle = handles_.back();
                handles_.pop_back();
                return handle;
            }
        }
        return make();
    }
    /// Call only after the handle's work has completed, since the next user may have another
    /// stream.
    void give_back(Handle handle) noexcept {
        std::scoped_lock lock(mutex_);
        handles_.push_back(handle);
    }

  private:
    std::mutex mutex_;
    std::vector<Handle> handles_;
};

}  // namespace tl
