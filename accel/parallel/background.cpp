#include "accel/parallel/background.h"

#include <sys/resource.h>
#include <tbb/task_arena.h>
#include <unistd.h>

#if defined(TL_HAS_CUDA)
#include "accel/parallel/device_cuda.h"
#endif

namespace tl {

std::unique_ptr<Stream> create_background_stream(Device& device) {
#if defined(TL_HAS_CUDA)
    if (device.kind() == DeviceKind::cuda) return create_background_cuda_stream(device);
#endif
    return device.create_stream();
}

void yield_to_other_threads() {
    // On Linux a thread has a niceness of its own. Where it may not be changed, all goes on as
    // before.
    constexpr int kNice = 5;
    (void)setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kNice);
}

void run_on_one_thread(const std::function<void()>& work) {
    tbb::task_arena arena(1);
    arena.execute(work);
}

}  // namespace tl
