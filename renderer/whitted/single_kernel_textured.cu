#include "renderer/whitted/single_kernel.h"

TL_DEVICE_BEGIN

void render_single_kernel_textured(Stream& stream, const WavefrontJob& job,
                                   const TileLaunch& launch) {
    visit_default_tracer(job.frame.scene.tree, SingleKernelPass<true>{stream, job, launch});
}

TL_DEVICE_END
