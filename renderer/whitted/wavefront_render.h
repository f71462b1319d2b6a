// One frame by queues of rays, in whichever pipeline but the single kernel.
#pragma once

#include "accel/parallel/stage_timer.h"
#include "renderer/pixel_tree.h"
#include "renderer/whitted/wavefront_kernels.h"

TL_DEVICE_BEGIN

struct WavefrontJob {
    WhittedFrame frame;
    CameraRays camera;
    PixelOrder order;
    FilmView film;
    PixelTree* copy = nullptr;  ///< gets the tree of the first pixel, if the pipeline is by_level
};

void render_wavefront(const WavefrontJob& job, WavefrontPlan& plan, Scratch& scratch,
                      StageTimer& timer);

TL_DEVICE_END
