// Background work that runs concurrently with a renderer's frames without slowing them down.
#pragma once

#include <functional>
#include <memory>

#include "core/base/settings.h"
#include "core/device/device.h"

namespace tl {

struct BackgroundConfig {
    float gpu_share = 0.25f;  ///< fraction of a GPU's multiprocessors to use; 1: all
    [[nodiscard]] static const SettingsOf<BackgroundConfig>& declared_settings();
    [[nodiscard]] Settings settings() { return declared_settings().of(*this); }
};

/// Creates a low-priority stream. On CUDA the streams of create_stream() have a higher priority, so
/// their blocks are scheduled first when both wait. Running blocks are never preempted. So where
/// the driver has green contexts (CUDA 12.5), its kernels also run on a part of the multiprocessors
/// only; the others stay free. On the CPU it is an ordinary stream.
[[nodiscard]] std::unique_ptr<Stream> create_background_stream(Device& device,
                                                               const BackgroundConfig& config = {});

/// Number of multiprocessors nearest to the fraction `share` of `total`, for a GPU split in
/// multiples of `step`, at least `least` on either side. Returns `total` if it cannot be split or
/// the fraction is 1.
[[nodiscard]] int multiprocessors_of_share(float share, int total, int least, int step);

/// Lowers the calling thread's priority permanently (nice value 10 above the program's). Where the
/// cores are oversubscribed, it gets about a tenth of another thread's time.
void yield_to_other_threads();

/// Lowers the priority of the calling thread, and of the threads that help it with work on the CPU
/// device, as yield_to_other_threads() does.
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
/// Runs `work` in the same way on the calling thread alone.
void run_on_one_thread(const std::function<void()>& work);

}  // namespace tl
