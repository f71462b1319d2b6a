// Renders one frame by queues of rays, in any pipeline except the single kernel.
#pragma once

#include "core/device/stage_timer.h"
#include "renderer/whitted/wavefront_kernels.h"
#include "renderer/whitted/whitted_job.h"

TL_DEVICE_BEGIN

void render_wavefront(const WhittedJob& job, WavefrontPlan& plan, Scratch& scratch,
                      StageTimer& timer);

TL_DEVICE_END
