#define TL_DEVICE_CPU 1
#include "renderer/path/tracer/trace_batches.h"
#include "renderer/path/tracer/trace_batches_pass.h"

TL_DEVICE_BEGIN

bool trace_batches_by_default_tracer(Stream& stream, const PathJob& job) {
    return visit_default_tracer(job.frame.scene.tree, PathPass{stream, job});
}

TL_DEVICE_END
