#define TL_DEVICE_CPU 1
#include "renderer/path/path_trace.h"

#include "renderer/path/path_pass.h"

TL_DEVICE_BEGIN

void trace_paths(Stream& stream, const PathJob& job) {
    if (!trace_paths_by_default_tracer(stream, job))
        visit_any_tracer(job.frame.scene.tree, PathPass{stream, job});
}

TL_DEVICE_END
