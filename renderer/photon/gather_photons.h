// The light of photons at the places where paths from the camera gather.
#pragma once

#include <optional>

#include "renderer/paths/path_wavefront.h"
#include "renderer/photon/near_photons.h"

TL_DEVICE_BEGIN

/// What correcting the light near edges takes (photon_edges.h).
struct EdgeCorrection {
    Scratch* scratch;
    std::uint32_t pass;  ///< a number of its own for each pass and seed
};

class PhotonGather final : public PathGather {
  public:
    PhotonGather(const SceneView& scene, const NearPhotons& near,
                 std::optional<EdgeCorrection> edges = {})
        : scene_(scene), near_(near), edges_(edges) {}

    void add(Stream& stream, const GatherQueue& queue, const WaveCounts* counts,
             View<vec4> sums) const override;

  private:
    SceneView scene_;
    NearPhotons near_;
    std::optional<EdgeCorrection> edges_;
};

TL_DEVICE_END
