// The light of photons at the places where paths from the camera gather.
#pragma once

#include "renderer/paths/path_wavefront.h"
#include "renderer/photon/near_photons.h"
#include "renderer/photon/pixel_figures.h"

TL_DEVICE_BEGIN

class PhotonGather final : public PathGather {
  public:
    /// `figures`: where each pixel's figures are added as well, or empty.
    PhotonGather(const SceneView& scene, const NearPhotons& near, View<PlaceFigures> figures)
        : scene_(scene), near_(near), figures_(figures) {}

    void add(Stream& stream, const GatherQueue& queue, const WaveCounts* counts,
             View<vec4> sums) const override;

  private:
    SceneView scene_;
    NearPhotons near_;
    View<PlaceFigures> figures_;
};

TL_DEVICE_END
