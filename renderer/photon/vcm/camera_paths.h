// Camera sub-paths: all those of a picture advance together, bounce by bounce. At each surface with
// a BSDF they are connected to and merged with the light sub-paths.
#pragma once

#include "renderer/photon/vcm/splats.h"
#include "renderer/photon/vcm/vcm_pass.h"

TL_DEVICE_BEGIN

/// Adds a sample of each pixel to the film, including the splats of the light sub-paths. `grid`:
/// over the photons of `list`, where the pass merges. Never waits.
void trace_camera_paths(Scratch& scratch, const VcmPass& pass, const PathJob& job,
                        const LightVertices& list, const PhotonGridView& grid,
                        const Splats& splats);

TL_DEVICE_END
