#define TL_DEVICE_CPU 1
#include "renderer/path/tracer/trace_batches.h"

#include "renderer/path/tracer/trace_batches_pass.h"

TL_DEVICE_BEGIN

void trace_path_batches(Stream& stream, const PathJob& job) {
    if (!trace_batches_by_default_tracer(stream, job))
        visit_any_tracer(job.frame.scene.tree, PathPass{stream, job});
}

TL_DEVICE_END
