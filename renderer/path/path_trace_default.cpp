#define TL_DEVICE_CPU 1
#include "renderer/path/path_pass.h"
#include "renderer/path/path_trace.h"

TL_DEVICE_BEGIN

bool trace_paths_by_default_tracer(Stream& stream, const PathJob& job) {
    return visit_default_tracer(job.frame.scene.tree, PathPass{stream, job});
}

TL_DEVICE_END
