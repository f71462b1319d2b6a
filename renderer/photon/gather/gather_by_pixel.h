// Photon density estimation with a search radius per pixel, for the mode `sppm`, which shrinks the
// radii (sppm_photons.cu).
#pragma once

#include "renderer/photon/gather/near_photons.h"
#include "renderer/photon/gather/picture_part.h"
#include "renderer/photon/gather/pixel_figures.h"

TL_DEVICE_BEGIN

/// Per-pixel inputs and outputs of a gather.
struct GatheringPixels {
    View<const float> radii;      ///< search radius of each pixel, m
    View<std::uint32_t> n_found;  ///< per pixel, photons found so far; incremented
    View<GatherFigures> figures;  ///< figures to add to, as for PhotonGather; may be empty
};

class GatherByPixel final : public PartGather {
  public:
    /// `near`: photons that belong to the part.
    GatherByPixel(const PathTracerFrame& frame, const NearPhotons& near, const PicturePart& part,
                  const GatheringPixels& pixels)
        : PartGather(part),
          scene_(frame.scene),
          n_path_slots_(static_cast<std::uint32_t>(frame.splitting.n_path_slots)),
          near_(near),
          pixels_(pixels) {}

  private:
    void look_up(Stream& stream, const GatherQueue& queue, WaveCounts* counts,
                 View<vec4> sums) const override;

    SceneView scene_;
    std::uint32_t n_path_slots_;  ///< of a pixel
    NearPhotons near_;
    GatheringPixels pixels_;
};

TL_DEVICE_END
