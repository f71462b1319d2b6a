// The light of photons at the places where paths from the camera gather.
#pragma once

#include "renderer/paths/path_wavefront.h"
#include "renderer/photon/near_photons.h"
#include "renderer/photon/picture_part.h"
#include "renderer/photon/pixel_figures.h"

TL_DEVICE_BEGIN

class PhotonGather final : public PathGather {
  public:
    /// `figures`: where each pixel's figures are added as well, or empty.
    PhotonGather(const SceneView& scene, const NearPhotons& near, const PicturePart& part,
                 View<PlaceFigures> figures)
        : scene_(scene), near_(near), part_(part), figures_(figures) {
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
};

TL_DEVICE_END
