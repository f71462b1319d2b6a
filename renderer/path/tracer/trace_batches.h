// Path traces one sample of every pixel on the CPU, each path from end to end in one thread.
#pragma once

#include "renderer/path/path_job.h"

TL_DEVICE_BEGIN

void trace_path_batches(Stream& stream, const PathJob& job);
/// Runs trace_path_batches with the tracer of the automatically chosen kind of tree, compiled on
/// its own. Returns false, having done nothing, for trees of any other kind.
[[nodiscard]] bool trace_batches_by_default_tracer(Stream& stream, const PathJob& job);

TL_DEVICE_END
