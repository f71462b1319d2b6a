// Traces the rays of the paths' queues: by accel/bvh/traversal/trace_rays.h, but for those that go
// on behind holes, and those that are recorded.
#pragma once

#include "accel/bvh/traversal/trace_rays.h"
#include "renderer/paths/path_queues.h"
#include "renderer/shading/ray_purpose.h"

TL_DEVICE_BEGIN

class RayRecording;

/// How rays that are not alike are best given to threads.
[[nodiscard]] RayLaunch launch_of_scattered_rays(const SceneView& scene);

/// The closest hits of a queue's rays, in `hits`; holes let rays through.
void trace_path_rays(Scratch& scratch, const char* name, const SceneView& scene,
                     Records<const PathRay> rays, const std::uint32_t* count, View<Hit> hits,
                     RayLaunch launch = RayLaunch::queue);
/// Whether anything but holes is in the way of a queue's shadow rays.
void trace_shadow_rays(Scratch& scratch, const SceneView& scene, const ShadowQueue& queue,
                       const std::uint32_t* count, RayLaunch launch = RayLaunch::queue);
/// Adds to `sums` the light of a queue's shadow rays in whose way there is nothing but holes; with
/// Gaussians, as much of it as they let through.
void add_direct_light(Scratch& scratch, const SceneView& scene, const ShadowQueue& queue,
                      const std::uint32_t* count, View<vec4> sums,
                      RayLaunch launch = RayLaunch::queue);

/// trace_path_rays of the rays of one bounce and add_direct_light of the bounce before, on a GPU in
/// one launch where nothing but the tree is in their way.
void trace_paths_and_light(Scratch& scratch, const SceneView& scene,
                           const Records<const PathRay>& rays, const std::uint32_t* n_rays,
                           View<Hit> hits, const ShadowQueue& shadows,
                           const std::uint32_t* n_shadows, View<vec4> sums, RayLaunch launch);

void record_path_rays(RayRecording& recording, const SceneView& scene,
                      const Records<const PathRay>& rays, const std::uint32_t* count,
                      RayPurpose purpose);
void record_shadow_rays(RayRecording& recording, const SceneView& scene, const ShadowQueue& queue,
                        const std::uint32_t* count);

TL_DEVICE_END
