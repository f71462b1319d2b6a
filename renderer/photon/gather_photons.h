// The light of photons at the places where paths from the camera gather.
#pragma once

#include <optional>

#include "renderer/photon/near_photons.h"
#include "renderer/photon/picture_part.h"
#include "renderer/photon/pixel_figures.h"

TL_DEVICE_BEGIN

/// What correcting the light near edges takes (photon_edges.h).
struct EdgeCorrection {
    Scratch* scratch;
    std::uint32_t pass;  ///< a number of its own for each pass and seed
};

class PhotonGather final : public PartGather {
  public:
    /// `near`: photons of the part. `figures`: where the figures of each lane's places are added as
    /// well, or empty.
    PhotonGather(const SceneView& scene, const NearPhotons& near, const PicturePart& part,
                 View<PlaceFigures> figures, std::optional<EdgeCorrection> edges)
        : PartGather(part), scene_(scene), near_(near), figures_(figures), edges_(edges) {}

  private:
    void look_up(Stream& stream, const GatherQueue& queue, const WaveCounts* counts,
                 View<vec4> sums) const override;

    SceneView scene_;
    NearPhotons near_;
    View<PlaceFigures> figures_;
    std::optional<EdgeCorrection> edges_;
};

TL_DEVICE_END
