// A value that is found once for each GPU, such as what a kernel may use there.
#pragma once

#include <map>
#include <mutex>

#include "core/device/device.h"

namespace tl {

/// Safe to use from several threads. A GPU's value never changes.
template <class Value>
class PerGpu {
  public:
    /// Returns the value of a GPU. The first call for a GPU computes it by find(), with that GPU
    /// current.
    template <class Find>
    Value of(const Device& gpu, Find find) {
        std::scoped_lock lock(mutex_);
        auto known = values_.find(gpu.index());
        if (known != values_.end()) return known->second;
        gpu.make_current();
        return values_[gpu.index()] = find();
    }

  private:
    std::mutex mutex_;
    std::map<int, Value> values_;
};

}  // namespace tl
