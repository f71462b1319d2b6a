// All paths of a picture advance together, bounce by bounce: their rays are traced from a queue
// (accel/bvh/traversal/trace_rays.h), a kernel that traces nothing shades the hits, and the paths
// that go on are compacted (Laine, Karras & Aila 2013, "Megakernels considered harmful: wavefront
// path tracing on GPUs"). Only the device knows the number of rays of a bounce; the host never
// waits. Pictures do not depend on the order in which threads append to the queues.
#pragma once

#include "accel/parallel/side_stream.h"
#include "renderer/paths/path_queues.h"
#include "renderer/recorded_rays.h"

TL_DEVICE_BEGIN

class RayRecording;

/// Looks light up at the places where paths gather.
class PathGather {
  public:
    virtual ~PathGather() = default;
    /// Adds to sums[pixel], for each of the queue's rays, the radiance in the pixel of light that
    /// has been scattered before it arrives where the ray does, and that is scattered broadly
    /// there; where paths have lanes (follow_path.h), `pixel` is that of a lane. `counts`, on the
    /// device, has the queue's lengths.
    virtual void add(Stream& stream, const GatherQueue& queue, const WaveCounts* counts,
                     View<vec4> sums) const = 0;
    /// Called after all light of a bounce has been added to `sums`, which it may change.
    virtual void end_bounce(Stream& /*stream*/, std::uint32_t /*bounce*/,
                            View<vec4> /*sums*/) const {}
};

/// Takes about 325 bytes of scratch memory for each path of a chunk, and 16 a lane of each pixel;
/// 120 more with `gather`, without which paths follow all light. With a recording the rays of all
/// bounces are added to it, and the film stays as it is. With `side` every second part of a large
/// picture is traced there, unless light is gathered, rays are recorded or the scene has Gaussians.
void trace_paths_in_waves(Scratch& scratch, const PathJob& job, const PathGather* gather = nullptr,
                          RayRecording* recording = nullptr, SideStream* side = nullptr);

/// Follows the paths as far as they gather and calls gather.add for the same places as
/// trace_paths_in_waves, whose sums are of no use; looks for no light, and leaves the film as it
/// is.
void follow_to_places(Scratch& scratch, PathJob job, const PathGather& gather);

/// Implements RayRecorder::record_rays; leaves the job's film unchanged.
[[nodiscard]] RecordedRays record_paths(Scratch& scratch, const PathJob& job,
                                        std::uint64_t most_bytes);

TL_DEVICE_END
