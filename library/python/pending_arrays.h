// Arrays that a GPU may still read after the call that they were arguments of.
#pragma once

#include <pybind11/pybind11.h>

#include <string>
#include <vector>

#include "library/api/gpu_memory.h"

/// Keeps arrays until the work before a mark is done. Used under Python's lock.
class PendingArrays {
  public:
    /// Keeps them until the work that the stream has now is done.
    void add(std::vector<pybind11::object> arrays, const std::string& device, void* stream) {
        tl_gpu_mark* mark = nullptr;
        // After an error the GPU has failed, and reads nothing any more.
        if (tl_gpu_mark_create(device.c_str(), stream, &mark) == TL_OK)
            batches_.push_back({mark, std::move(arrays)});
    }
    /// Releases those whose work is done.
    void release() {
        std::vector<Batch> done;
        for (std::size_t i = batches_.size(); i-- > 0;) {
            if (!tl_gpu_mark_is_reached(batches_[i].mark)) continue;
            done.push_back(std::move(batches_[i]));
            batches_.erase(batches_.begin() + static_cast<std::ptrdiff_t>(i));
        }
        for (auto& batch : done) tl_gpu_mark_destroy(batch.mark);
    }

  private:
    struct Batch {
        tl_gpu_mark* mark;
        std::vector<pybind11::object> arrays;
    };
    std::vector<Batch> batches_;
};

/// The arrays of the module. Never destroyed: Python ends before it would be.
inline PendingArrays& pending_arrays() {
    static auto* arrays = new PendingArrays;
    return *arrays;
}
