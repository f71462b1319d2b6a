// Irradiance estimates from photons, for many query points at once.
#pragma once

#include "renderer/photon/photon_config.h"
#include "renderer/photon/thesis/photon_tree.h"
#include "renderer/photon_share.h"

TL_DEVICE_BEGIN

struct PhotonEstimate {
    PhotonSearch search;
    int k;                   ///< photons per estimate, 2 to 128
    float reach;             ///< largest search radius, m
    std::uint32_t most_met;  ///< surfaces that a photon has hit, at most
};

/// Scene around the query points, for edge correction.
struct PhotonSurroundings {
    /// Null: surfaces are assumed to extend beyond the search radius.
    const SceneView* scene = nullptr;
    std::uint32_t pass = 0;  ///< unique for each pass and seed
};

/// Estimates the irradiance at places[i], i < count[0], for the position and side of that photon.
/// Its power becomes the irradiance, W/m^2. Its direction becomes the bits of the squared search
/// radius of the estimate. `count` is on the device. With a `share`, which may be null, each of its
/// devices estimates at a part of them, if they have the same ones; only then it waits.
///
/// Where a surface ends or is partly occluded within the search radius, as near the edges of a
/// wall, the estimate covers its open part (photon_edges.h).
void estimate_irradiance(Scratch& scratch, const PhotonTreeView& photons,
                         const PhotonEstimate& estimate, const PhotonSurroundings& around,
                         View<Photon> places, const std::uint32_t* count,
                         PhotonShare* share = nullptr);

TL_DEVICE_END
