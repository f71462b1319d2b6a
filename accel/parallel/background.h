// Background work that runs beside a renderer's frames without slowing them down.
#pragma once

#include <functional>
#include <memory>

#include "accel/parallel/device.h"
#include "accel/parallel/settings.h"

namespace tl {

struct BackgroundConfig {
    float gpu_share = 0.25f;  ///< share of a GPU's multiprocessors to use; 1: all
    [[nodiscard]] static const SettingsOf<BackgroundConfig>& declared_settings();
    [[nodiscard]] Settings settings() { return declared_settings().of(*this); }
};

/// Creates a low-priority stream. On CUDA the streams of create_stream() have a higher priority, so
/// their blocks are scheduled first wherever both wait. Since running blocks are never preempted,
/// its kernels also keep to a share of the multiprocessors where the driver has green contexts
/// (CUDA 12.5); the others are then free at once. On the CPU it is an ordinary stream.
[[nodiscard]] std::unique_ptr<Stream> create_background_stream(Device& device,
                                                               const BackgroundConfig& config = {});

/// The number of multiprocessors nearest to a share of `total`, for a GPU split in multiples of
/// `step`, at least `least` on either side; `total` if it cannot be split or the share is 1.
[[nodiscard]] int multiprocessors_of_share(float share, int total, int least, int step);

/// Lowers the calling thread's priority from now on: where the cores are oversubscribed, it gets
/// about a tenth of the time of another thread (10 more than the program's nice).
void yield_to_other_threads();

/// Lowers the priority of the calling thread, and of those that help it with work on the CPU
/// device, in the same way.
class YieldingTeam {
  public:
    YieldingTeam();
    ~YieldingTeam();
    YieldingTeam(const YieldingTeam&) = delete;
    YieldingTeam& operator=(const YieldingTeam&) = delete;

  private:
    struct Observer;
    std::unique_ptr<Observer> observer_;
};

/// Runs `work` in the calling thread; work that it gives to the CPU device runs on `n` threads,
/// that one included, instead of on all cores.
void run_on_threads(int n, const std::function<void()>& work);
/// The same on the calling thread alone.
void run_on_one_thread(const std::function<void()>& work);

}  // namespace tl
