// One sample of the path tracer for every pixel.
#pragma once

#include "renderer/film/film_view.h"
#include "renderer/path/follow_path.h"

TL_DEVICE_BEGIN

/// A frame's work.
struct PathJob {
    PathTracerFrame frame;
    CameraRays camera;
    FilmView film;
};

/// One thread follows a pixel's path from end to end. For patches no such kernel is compiled for a
/// GPU.
void trace_paths(Stream& stream, const PathJob& job);
[[nodiscard]] inline bool can_trace_paths(const SceneView& scene) {
#if defined(__CUDACC__)
    return scene.tree.patches.empty();
#else
    (void)scene;
    return true;
#endif
}

TL_DEVICE_END
