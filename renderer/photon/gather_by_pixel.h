// Gathers photons within a radius of each pixel's own.
#pragma once

#include "renderer/paths/path_wavefront.h"
#include "renderer/photon/near_photons.h"
#include "renderer/photon/picture_part.h"
#include "renderer/photon/pixel_figures.h"

TL_DEVICE_BEGIN

class GatherByPixel final : public PathGather {
  public:
    /// `radii`: of each pixel, m. Adds the photons that each pixel finds to `n_found`. `figures`:
    /// as for PhotonGather.
    GatherByPixel(const SceneView& scene, const NearPhotons& near, const PicturePart& part,
                  View<const float> radii, View<std::uint32_t> n_found, View<PlaceFigures> figures)
        : scene_(scene),
          near_(near),
          part_(part),
          radii_(radii),
          n_found_(n_found),
          figures_(figures) {
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
    View<const float> radii_;
    View<std::uint32_t> n_found_;
    View<PlaceFigures> figures_;
};

TL_DEVICE_END
