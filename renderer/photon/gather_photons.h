// The light of photons at the places where paths from the camera gather.
#pragma once

#include <optional>

#include "renderer/paths/path_wavefront.h"
#include "renderer/photon/near_photons.h"
#include "renderer/photon/picture_part.h"
#include "renderer/photon/pixel_figures.h"

TL_DEVICE_BEGIN

/// What correcting the light near edges takes (photon_edges.h).
struct EdgeCorrection {
    Scratch* scratch;
    std::uint32_t pass;  ///< a number of its own for each pass and seed
};

class PhotonGather final : public PathGather {
  public:
    /// `figures`: where each pixel's figures are added as well, or empty.
    PhotonGather(const SceneView& scene, const NearPhotons& near, const PicturePart& part,
                 View<PlaceFigures> figures, std::optional<EdgeCorrection> edges)
        : scene_(scene), near_(near), part_(part), figures_(figures), edges_(edges) {
        near_.with_caustics = part.with_caustics();
        near_.with_indirect = part.with_indirect();
    }

    void add(Stream& stream, const GatherQueue& queue, const WaveCounts* counts,
             View<vec4> sums) const override;
    void end_bounce(Stream& stream, std::uint32_t bounce, View<vec4> sums) const override {
        part_.choose(stream, bounce, sums);
    }

  private:
    SceneView scene_;
    NearPhotons near_;
    PicturePart part_;
    View<PlaceFigures> figures_;
    std::optional<EdgeCorrection> edges_;
};

TL_DEVICE_END
