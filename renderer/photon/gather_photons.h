// The light of photons at the places where paths from the camera gather.
#pragma once

#include "renderer/paths/path_wavefront.h"
#include "renderer/photon/near_photons.h"

TL_DEVICE_BEGIN

class PhotonGather final : public PathGather {
  public:
    PhotonGather(const SceneView& scene, const NearPhotons& near) : scene_(scene), near_(near) {}

    void add(Stream& stream, const GatherQueue& queue, const WaveCounts* counts,
             View<vec4> sums) const override;

  private:
    SceneView scene_;
    NearPhotons near_;
};

TL_DEVICE_END
