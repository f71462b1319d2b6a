#include "renderer/whitted/single_kernel.h"

TL_DEVICE_BEGIN

void render_single_kernel_compared(Stream& stream, const WhittedJob& job,
                                   const TileLaunch& launch) {
    if (!visit_compared_tracer(job.frame.scene.tree, SingleKernelPass<false>{stream, job, launch}))
        render_single_kernel_any(stream, job, launch);
}

TL_DEVICE_END
