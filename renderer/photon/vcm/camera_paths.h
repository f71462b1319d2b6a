// Camera sub-paths: all of a picture advance together, bounce by bounce, and are joined to the
// light sub-paths wherever they meet a surface with a BSDF.
#pragma once

#include "renderer/photon/vcm/splats.h"
#include "renderer/photon/vcm/vcm_pass.h"

TL_DEVICE_BEGIN

/// Adds a sample of each pixel to the film, with what the light sub-paths have splatted. `grid`:
/// over the photons of `list`, where the pass merges. Never waits.
void trace_camera_paths(Scratch& scratch, const VcmPass& pass, const PathJob& job,
                        const LightVertices& list, const PhotonGridView& grid,
                        const Splats& splats);

TL_DEVICE_END
