// Path traces one sample of every pixel on the CPU, each path from end to end in one thread.
#pragma once

#include "renderer/paths/path_job.h"

TL_DEVICE_BEGIN

void trace_paths(Stream& stream, const PathJob& job);
/// Runs trace_paths with the tracer of the automatically chosen kind of tree, compiled on its own.
/// Returns false, having done nothing, for trees of any other kind.
[[nodiscard]] bool trace_paths_by_default_tracer(Stream& stream, const PathJob& job);

TL_DEVICE_END
