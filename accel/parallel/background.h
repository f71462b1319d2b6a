// Work beside the frames of a renderer, which go on as if there were none.
#pragma once

#include <functional>
#include <memory>

#include "accel/parallel/device.h"
#include "accel/parallel/settings.h"

namespace tl {

struct BackgroundConfig {
    float gpu_share = 0.25f;  ///< of a GPU's multiprocessors; 1: all of them
    [[nodiscard]] Settings settings();
};

/// A stream whose work gives way. On CUDA the other streams of create_stream() have a higher
/// priority, so their blocks come first wherever both wait; and since a block that runs is never
/// taken off again, its kernels keep to a share of the multiprocessors where the driver has green
/// contexts (CUDA 12.5), so that the others are free at once. On the CPU, a stream like any other.
[[nodiscard]] std::unique_ptr<Stream> create_background_stream(Device& device,
                                                               const BackgroundConfig& config = {});

/// Multiprocessors that come nearest to a share of `total` for a GPU that parts them by multiples
/// of `step`, `least` at least on either side; `total` where it cannot be parted or the share is 1.
[[nodiscard]] int multiprocessors_of_share(float share, int total, int least, int step);

/// From now on the calling thread gets less time than others where there is not enough for all:
/// about a third of one (nice 5).
void yield_to_other_threads();

/// Runs `work` in the calling thread, and what it hands to the CPU device too, instead of
/// on all cores.
void run_on_one_thread(const std::function<void()>& work);

}  // namespace tl
