#include "core/device/background.h"

#include <sys/resource.h>
#include <tbb/task_arena.h>
#include <tbb/task_scheduler_observer.h>
#include <unistd.h>
#include <algorithm>
#include <cmath>
#include <utility>

namespace tl {

const SettingsOf<BackgroundConfig>& BackgroundConfig::declared_settings() {
    static const SettingsOf<BackgroundConfig> all{
        {"gpu-share", &BackgroundConfig::gpu_share, 0.0625f, 1.0f, "",
         "fraction of a GPU's multiprocessors for background work; 1: all"},
    };
    return all;
}

std::unique_ptr<Stream> create_background_stream(Device& device, const BackgroundConfig& config) {
    return device.create_part_stream(config.gpu_share);
}

int multiprocessors_of_share(float share, int total, int least, int step) {
    if (share >= 1 || least < 1 || step < 1) return total;
    int lowest = (least + step - 1) / step * step;
    int highest = (total - least) / step * step;
    if (highest < lowest) return total;
    auto wanted =
        static_cast<int>(std::lround(share * static_cast<float>(total) / static_cast<float>(step)));
    return std::clamp(wanted * step, lowest, highest);
}

void yield_to_other_threads() {
    // On Linux each thread has its own niceness, and the main thread that of the program. A failure
    // to change it is ignored.
    constexpr int kNice = 10, kLowest = 19;
    static const int program = getpriority(PRIO_PROCESS, static_cast<id_t>(getpid()));
    (void)setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()),
                      std::min(program + kNice, kLowest));
}

// Threads that have helped once keep the priority: only privileged users may raise it again.
struct YieldingTeam::Observer final : tbb::task_scheduler_observer {
    void on_scheduler_entry(bool /*is_worker*/) override {
        thread_local bool yields = false;
        if (!std::exchange(yields, true)) yield_to_other_threads();
    }
};

YieldingTeam::YieldingTeam() : observer_(std::make_unique<Observer>()) {
    yield_to_other_threads();
    observer_->observe(true);
}

YieldingTeam::~YieldingTeam() {
    observer_->observe(false);
}

void run_on_threads(int n, const std::function<void()>& work) {
    tbb::task_arena arena(n);
    arena.execute(work);
}

void run_on_one_thread(const std::function<void()>& work) {
    run_on_threads(1, work);
}

}  // namespace tl
