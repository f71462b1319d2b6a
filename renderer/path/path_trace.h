// One sample of the path tracer for every pixel.
#pragma once

#include "renderer/film/film.h"
#include "renderer/path/follow_path.h"

TL_DEVICE_BEGIN

/// A frame's work.
struct PathJob {
    PathTracerFrame frame;
    CameraRays camera;
    FilmView film;
};

void trace_paths(Stream& stream, const PathJob& job);

TL_DEVICE_END
