// The irradiance that photons tell, at many places at once.
#pragma once

#include "renderer/photon/photon_config.h"
#include "renderer/photon/thesis/photon_tree.h"

TL_DEVICE_BEGIN

struct PhotonEstimate {
    PhotonSearch search;
    int k;                   ///< photons that are sought, 2 to 128
    float reach;             ///< within which they are sought, m
    std::uint32_t most_met;  ///< surfaces that those which count have met
};

/// What stands around the places of estimates.
struct PhotonSurroundings {
    const SceneView* scene = nullptr;  ///< null: surfaces are taken to go on beyond the reach
    std::uint32_t pass = 0;            ///< a number of its own for each pass and seed
};

/// places[i], i < count[0]: at the position and on the side of the surface of that photon, whose
/// power becomes the irradiance, W/m^2, and whose direction the bits of the square of the reach of
/// the photons that count. `count` is on the device. Never waits.
///
/// Where a surface ends within the reach or something hides a part of it, as near the edges of a
/// wall, the light is that of its open part (photon_edges.h).
void estimate_irradiance(Scratch& scratch, const PhotonTreeView& photons,
                         const PhotonEstimate& estimate, const PhotonSurroundings& around,
                         View<Photon> places, const std::uint32_t* count);

TL_DEVICE_END
