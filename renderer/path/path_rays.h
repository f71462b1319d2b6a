// Traces the rays of the paths' queues by accel/bvh/traversal/trace_rays.h. Scenes with cutouts,
// whose holes let rays through, have kernels of their own, as has the recording of rays.
#pragma once

#include "accel/bvh/traversal/trace_rays.h"
#include "renderer/path/path_job.h"
#include "renderer/path/path_queues.h"
#include "renderer/recorded_rays.h"
#include "renderer/shading/ray_purpose.h"

TL_DEVICE_BEGIN

class RayRecording;

/// Fastest launch of incoherent rays in a scene.
[[nodiscard]] RayLaunch launch_of_scattered_rays(const SceneView& scene);

/// Finds the closest hits of a queue's rays, in `hits`. Holes of cutouts let rays through.
void trace_path_rays(Scratch& scratch, const char* name, const SceneView& scene,
                     Records<const PathRay> rays, const std::uint32_t* count, View<Hit> hits,
                     RayLaunch launch = RayLaunch::queue);
/// Sets ShadowQueue::occluded of a queue's shadow rays. Holes of cutouts do not occlude.
void trace_shadow_rays(Scratch& scratch, const SceneView& scene, const ShadowQueue& queue,
                       const std::uint32_t* count, RayLaunch launch = RayLaunch::queue);
/// Adds to `sums` the light of a queue's unoccluded shadow rays. Holes of cutouts do not occlude;
/// Gaussians attenuate by their transmittance.
void add_direct_light(Scratch& scratch, const SceneView& scene, const ShadowQueue& queue,
                      const std::uint32_t* count, View<vec4> sums,
                      RayLaunch launch = RayLaunch::queue);

/// Runs trace_path_rays for one bounce and add_direct_light for the bounce before. On a GPU both
/// share one launch, unless the scene has cutouts or Gaussians.
void trace_paths_and_light(Scratch& scratch, const SceneView& scene,
                           const Records<const PathRay>& rays, const std::uint32_t* n_rays,
                           View<Hit> hits, const ShadowQueue& shadows,
                           const std::uint32_t* n_shadows, View<vec4> sums, RayLaunch launch);

/// Adds a queue's path rays to a recording.
void record_path_rays(RayRecording& recording, const SceneView& scene,
                      const Records<const PathRay>& rays, const std::uint32_t* count,
                      RayPurpose purpose);
/// Adds a queue's shadow rays to a recording.
void record_shadow_rays(RayRecording& recording, const SceneView& scene, const ShadowQueue& queue,
                        const std::uint32_t* count);

/// Implements RayRecorder::record_rays for paths; leaves the job's film unchanged.
[[nodiscard]] RecordedRays record_paths(Scratch& scratch, const PathJob& job,
                                        std::uint64_t most_bytes);

TL_DEVICE_END
