// Shadow rays between path vertices.
#pragma once

#include "renderer/path/path_queues.h"
#include "renderer/path/path_rays.h"
#include "renderer/photon/vcm/path_vertex.h"

TL_DEVICE_BEGIN

/// Shadow ray from a vertex to a point at `distance` in unit `direction`.
TL_D inline Ray ray_to_point(const PathVertex& v, vec3 direction, float distance) {
    return ray_to_light({direction, distance, vec3(0), 1, 1 / distance}, v.position,
                        v.origin_towards(direction), v.on_patch);
}

/// Transmittance of the medium between a vertex and a point.
TL_D inline vec3 transmittance(const SceneView& scene, const PathVertex& v, vec3 direction,
                               float distance) {
    return absorbed(scene, v.media_towards(direction), distance);
}

TL_DEVICE_END
