// One sample of the path tracer for every pixel.
#pragma once

#include "renderer/film/film.h"
#include "renderer/path/follow_path.h"
#include "renderer/recorded_rays.h"

TL_DEVICE_BEGIN

/// A frame's work.
struct PathJob {
    PathTracerFrame frame;
    CameraRays camera;
    FilmView film;
};

void trace_paths(Stream& stream, const PathJob& job);

/// Implements RayRecorder::record_rays; leaves the job's film unchanged.
[[nodiscard]] RecordedRays record_paths(Scratch& scratch, const PathJob& job,
                                        std::uint64_t most_bytes);

TL_DEVICE_END
