// One sample of the path tracer for every pixel, by one kernel.
#pragma once

#include "renderer/paths/path_job.h"

TL_DEVICE_BEGIN

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
