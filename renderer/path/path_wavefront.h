// All paths of a picture advance together, bounce by bounce: their rays are traced from a queue
// (accel/bvh/traversal/trace_rays.h), a kernel that traces nothing shades the hits, and the paths
// that go on are compacted (Laine, Karras & Aila 2013, "Megakernels considered harmful: wavefront
// path tracing on GPUs"). Only the device knows the number of rays of a bounce; the host never
// waits. Pictures do not depend on the order in which threads append to the queues.
#pragma once

#include "renderer/path/path_trace.h"
#include "renderer/recorded_rays.h"

TL_DEVICE_BEGIN

class RayRecording;

/// Takes about 310 bytes of scratch memory for each path of a chunk, and 16 a pixel. With a
/// recording the rays of all bounces are added to it, and the film stays as it is.
void trace_paths_in_waves(Scratch& scratch, const PathJob& job, RayRecording* recording = nullptr);

/// Implements RayRecorder::record_rays; leaves the job's film unchanged.
[[nodiscard]] RecordedRays record_paths(Scratch& scratch, const PathJob& job,
                                        std::uint64_t most_bytes);

TL_DEVICE_END
