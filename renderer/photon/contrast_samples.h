// More samples of a pass for the pixels that show outlines or the edges of shadows, so that these
// are as smooth as the light of its photons (Whitted 1980 samples pixels again whose corners
// differ). The neighbours of a pixel tell whether it is such a one, and never its own samples: the
// mean of them is right whatever their number.
#pragma once

#include <functional>

#include "renderer/paths/path_job.h"

TL_DEVICE_BEGIN

/// Renders a sample of `job` to its film: the mean of one of each pixel and up to `n_more` others.
/// `trace(job, is_first)` adds a sample of the pixels that are not done to the film of a job. Takes
/// 40 bytes of scratch memory for each pixel; never waits.
void render_with_contrast(Scratch& scratch, const PathJob& job, std::uint32_t n_more,
                          const std::function<void(const PathJob&, bool is_first)>& trace);

TL_DEVICE_END
