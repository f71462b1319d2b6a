// One sample of the path tracer for every pixel, on the CPU: a thread follows a path from end to
// end.
#pragma once

#include "renderer/paths/path_job.h"

TL_DEVICE_BEGIN

void trace_paths(Stream& stream, const PathJob& job);
/// The same by the tracer of a tree as it is chosen automatically; false, and nothing done, for
/// others.
[[nodiscard]] bool trace_paths_by_default_tracer(Stream& stream, const PathJob& job);

TL_DEVICE_END
