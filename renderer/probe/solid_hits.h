// Where rays meet what can be seen of a scene: holes in surfaces do not stop them.
#pragma once

#include "accel/bvh/traversal/trace_rays.h"
#include "renderer/scene/live/scene_view.h"

// clang-format off
TL_FOR_DEVICES(
    /// Finds the closest hit of each ray that is in no hole of a surface. The distances are counted
    /// from the rays' origins. Never waits.
    void find_solid_hits(Stream& stream, const SceneView& scene, View<const Ray> rays,
                         View<ProbeHit> hits);
)
// clang-format on
