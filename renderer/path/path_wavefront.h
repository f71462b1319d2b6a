// Wavefront path tracing: all paths of a picture advance together, bounce by bounce (Laine, Karras
// & Aila 2013, "Megakernels considered harmful: wavefront path tracing on GPUs"). Rays are traced
// from a queue (accel/bvh/traversal/trace_rays.h), a kernel without traversal shades the hits, and
// surviving paths are compacted into the next queue. Only the device knows the number of rays of a
// bounce; the host never waits. Pictures do not depend on the order of appends to the queues.
#pragma once

#include "core/device/side_stream.h"
#include "renderer/path/path_queues.h"

TL_DEVICE_BEGIN

class RayRecording;

/// Estimates indirect lighting at the gather points of paths (follow_path.h).
class PathGather {
  public:
    virtual ~PathGather() = default;
    /// Adds the contribution of each gather point to sums[pixel]: indirect lighting scattered there
    /// by wide lobes, times the path's throughput. Where paths split (follow_path.h), `pixel` is
    /// the index of a path slot. `counts`: the queue's lengths, on the device.
    virtual void add(Stream& stream, const GatherQueue& queue, WaveCounts* counts,
                     View<vec4> sums) const = 0;
    /// Called after all light of a bounce has been added to `sums`. May change `sums`.
    virtual void end_bounce(Stream& /*stream*/, std::uint32_t /*bounce*/,
                            View<vec4> /*sums*/) const {}
};

/// Path traces one sample of every pixel and adds it to the film. Takes about 325 bytes of scratch
/// memory per path of a chunk, 120 more with `gather`, and 16 per path slot of each pixel.
/// `gather`: null for full path tracing. `recording`: if not null, gets the rays of all bounces,
/// and the film stays unchanged. `side`: a stream that traces every second part of a large picture,
/// unless paths gather, rays are recorded or the scene has Gaussians.
void trace_paths_in_waves(Scratch& scratch, const PathJob& job, const PathGather* gather = nullptr,
                          RayRecording* recording = nullptr, SideStream* side = nullptr);

/// Traces the paths only to find their gather points, and calls gather.add for the same points as
/// trace_paths_in_waves; `sums` are meaningless there. Traces no shadow rays and leaves the film
/// unchanged.
void find_gather_points(Scratch& scratch, PathJob job, const PathGather& gather);

TL_DEVICE_END
