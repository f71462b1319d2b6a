// Gathers photons within a radius of each pixel's own.
#pragma once

#include "renderer/photon/near_photons.h"
#include "renderer/photon/picture_part.h"
#include "renderer/photon/pixel_figures.h"

TL_DEVICE_BEGIN

/// What is known of the pixels, and where more is added.
struct GatheringPixels {
    View<const float> radii;      ///< of each pixel, m
    View<std::uint32_t> n_found;  ///< photons that each has found
    View<PlaceFigures> figures;   ///< as for PhotonGather
};

class GatherByPixel final : public PartGather {
  public:
    /// `near`: photons of the part.
    GatherByPixel(const PathTracerFrame& frame, const NearPhotons& near, const PicturePart& part,
                  const GatheringPixels& pixels)
        : PartGather(part),
          scene_(frame.scene),
          n_lanes_(static_cast<std::uint32_t>(frame.limits.n_lanes)),
          near_(near),
          pixels_(pixels) {}

  private:
    void look_up(Stream& stream, const GatherQueue& queue, const WaveCounts* counts,
                 View<vec4> sums) const override;

    SceneView scene_;
    std::uint32_t n_lanes_;  ///< of a pixel
    NearPhotons near_;
    GatheringPixels pixels_;
};

TL_DEVICE_END
