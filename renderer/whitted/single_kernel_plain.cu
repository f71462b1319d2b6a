#include "renderer/whitted/single_kernel.h"

TL_DEVICE_BEGIN

void render_single_kernel_plain(Stream& stream, const WavefrontJob& job,
                                View<const std::uint32_t> tiles) {
    visit_tracer(job.frame.scene.tree, SingleKernelPass<false>{stream, job, tiles});
}

TL_DEVICE_END
