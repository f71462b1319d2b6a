// Light sub-paths: rays of the sources are scattered from surface to surface, all of a pass
// together, bounce by bounce; where a surface has a BSDF, a vertex is stored and connected to the
// camera.
#pragma once

#include "renderer/photon/vcm/splats.h"
#include "renderer/photon/vcm/vcm_pass.h"

TL_DEVICE_BEGIN

/// Bytes of scratch memory that trace_light_paths takes for each of them.
inline constexpr std::size_t kLightPathBytes = 280;

/// Sets the numbers of vertices and photons to 0, traces the pass's light sub-paths, stores their
/// vertices in those of the arrays that are not empty, and adds what the camera sees of them to the
/// splats, if there are any. Never waits.
void trace_light_paths(Scratch& scratch, const VcmPass& pass, Extent extent,
                       const LightVertices& list, const Splats& splats);

TL_DEVICE_END
