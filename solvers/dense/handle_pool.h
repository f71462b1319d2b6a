// Handles of NVIDIA's libraries, which take milliseconds to make, kept for the next user.
#pragma once

#include <mutex>
#include <vector>

namespace tl {

/// Handles that nobody uses at the moment. They are never destroyed: the libraries may be gone
/// before static objects are.
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
    /// To be given back once the work that it was used for has run, since the next user may have
    /// another stream.
    void give_back(Handle handle) noexcept {
        std::scoped_lock lock(mutex_);
        handles_.push_back(handle);
    }

  private:
    std::mutex mutex_;
    std::vector<Handle> handles_;
};

}  // namespace tl
