// Adaptive sampling within a pass: further samples for pixels at outlines and shadow edges, so that
// these are as smooth as the photons' light. Follows Whitted 1980, who samples pixels again whose
// corners differ. Here the neighbours of a pixel decide, never its own samples: the mean of these
// stays unbiased whatever their number.
#pragma once

#include <functional>

#include "renderer/path/path_job.h"

TL_DEVICE_BEGIN

/// Renders a sample of `job` to its film: the mean of one sample per pixel and up to `n_more`
/// others. `trace(job, is_first)` adds a sample of the pixels that are not done to the film of a
/// job. Takes 40 bytes of scratch memory per pixel; never waits.
void render_with_contrast(Scratch& scratch, const PathJob& job, std::uint32_t n_more,
                          const std::function<void(const PathJob&, bool is_first)>& trace);

TL_DEVICE_END
