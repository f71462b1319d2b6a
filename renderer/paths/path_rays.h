// Rays of the paths' queues that accel/bvh/traversal/trace_rays.h cannot trace: those that go on
// behind holes, and those that are recorded.
#pragma once

#include "renderer/paths/path_queues.h"
#include "renderer/shading/ray_purpose.h"

TL_DEVICE_BEGIN

class RayRecording;

/// The closest hits of a queue's rays behind holes, in `hits`.
void trace_path_rays(Stream& stream, const SceneView& scene, View<const PathRay> rays,
                     const std::uint32_t* count, View<Hit> hits);
/// Whether anything but holes is in the way of a queue's shadow rays.
void trace_shadow_rays(Stream& stream, const SceneView& scene, const ShadowQueue& queue,
                       const std::uint32_t* count);

void record_path_rays(RayRecording& recording, const SceneView& scene, View<const PathRay> rays,
                      const std::uint32_t* count, RayPurpose purpose);
void record_shadow_rays(RayRecording& recording, const SceneView& scene, const ShadowQueue& queue,
                        const std::uint32_t* count);

TL_DEVICE_END
