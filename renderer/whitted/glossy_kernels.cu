// Kernels for frames with glossy surfaces: the single kernel, and the wavefront's leaves, at which
// rays from such surfaces are followed to their end.
#include "renderer/whitted/single_kernel.h"
#include "renderer/whitted/wavefront_shade.h"

TL_DEVICE_BEGIN

void render_single_kernel_glossy(Stream& stream, const WhittedJob& job, const TileLaunch& launch) {
    visit_any_tracer(job.frame.scene.tree, SingleKernelPass<true, true>{stream, job, launch});
}

void shade_glossy_leaves(const ShadePass<true>& pass) {
    visit_any_tracer(pass.frame.scene.tree, pass);
}

TL_DEVICE_END
