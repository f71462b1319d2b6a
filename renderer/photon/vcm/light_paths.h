// Light sub-paths: rays are emitted and scattered from surface to surface, all those of a pass
// together, bounce by bounce. At each surface with a BSDF a vertex is stored and connected to the
// camera.
#pragma once

#include "renderer/photon/vcm/splats.h"
#include "renderer/photon/vcm/vcm_pass.h"

TL_DEVICE_BEGIN

/// Scratch memory of trace_light_paths, bytes per light sub-path.
inline constexpr std::size_t kLightPathBytes = 280;

/// Traces the light sub-paths of the pass. Sets the numbers of vertices and photons to 0 and stores
/// the vertices in those arrays that are not empty. Adds the light that the camera sees to the
/// splats, if there are any. Never waits.
void trace_light_paths(Scratch& scratch, const VcmPass& pass, Extent extent,
                       const LightVertices& list, const Splats& splats);

TL_DEVICE_END
