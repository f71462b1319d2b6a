// Records the rays of a frame by rendering it once more.
#pragma once

#include "renderer/recorded_rays.h"
#include "renderer/whitted/whitted_job.h"

TL_DEVICE_BEGIN

/// Implements RayRecorder::record_rays; leaves the job's film unchanged.
[[nodiscard]] RecordedRays record_rays(Scratch& scratch, const WhittedJob& job,
                                       std::uint64_t most_bytes);

TL_DEVICE_END
