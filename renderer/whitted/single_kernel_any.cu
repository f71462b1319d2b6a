// Variant for all trees that have no kernel of their own.
#include "renderer/whitted/single_kernel.h"

TL_DEVICE_BEGIN

void render_single_kernel_any(Stream& stream, const WhittedJob& job, const TileLaunch& launch) {
    visit_any_tracer(job.frame.scene.tree, SingleKernelPass<true>{stream, job, launch});
}

TL_DEVICE_END
