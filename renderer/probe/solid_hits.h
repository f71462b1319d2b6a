// Closest hits of rays on visible surfaces: rays pass through holes in surfaces (alpha cutouts).
#pragma once

#include "accel/bvh/traversal/trace_rays.h"
#include "renderer/scene/live/scene_view.h"

// clang-format off
TL_FOR_DEVICES(
    /// Returns the closest hit of each ray that is not in a hole of a surface. Distances are
    /// measured from the rays' origins. Never waits.
    void find_solid_hits(Stream& stream, const SceneView& scene, View<const Ray> rays,
                         View<ProbeHit> hits);
)
// clang-format on
