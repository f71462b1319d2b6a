// Work beside the frames of a renderer, which shall go on as if there were none.
#pragma once

#include <functional>
#include <memory>

#include "accel/parallel/device.h"

namespace tl {

/// A stream whose work gives way: on CUDA the other streams of create_stream() have a higher
/// priority, so their blocks come first wherever both wait. On the CPU, one like any other.
[[nodiscard]] std::unique_ptr<Stream> create_background_stream(Device& device);

/// From now on the calling thread gets less time than others where there is not enough for all:
/// about a third of one (nice 5).
void yield_to_other_threads();

/// Runs `work` in the calling thread, and what it hands to the CPU device too, instead of
/// on all cores.
void run_on_one_thread(const std::function<void()>& work);

}  // namespace tl
