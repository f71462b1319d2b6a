// Photon density estimation at the gather points of camera paths, with the same search radius for
// all of them.
#pragma once

#include <optional>

#include "renderer/photon/gather/near_photons.h"
#include "renderer/photon/gather/picture_part.h"
#include "renderer/photon/gather/pixel_figures.h"

TL_DEVICE_BEGIN

/// Inputs of edge correction (photon_edges.h).
struct EdgeCorrection {
    Scratch* scratch;
    std::uint32_t pass;  ///< unique for each pass and seed
};

/// Adds the photons' light of a picture part at gather points.
class PhotonGather final : public PartGather {
  public:
    /// `near`: photons of the part. `figures`: one entry per path of a pixel, to which the figures
    /// of its gather points are added; empty for none.
    PhotonGather(const SceneView& scene, const NearPhotons& near, const PicturePart& part,
                 View<GatherFigures> figures, std::optional<EdgeCorrection> edges)
        : PartGather(part), scene_(scene), near_(near), figures_(figures), edges_(edges) {}

  private:
    void look_up(Stream& stream, const GatherQueue& queue, WaveCounts* counts,
                 View<vec4> sums) const override;

    SceneView scene_;
    NearPhotons near_;
    View<GatherFigures> figures_;
    std::optional<EdgeCorrection> edges_;
};

TL_DEVICE_END
