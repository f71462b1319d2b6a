// The light of caustics and of all other indirect light at the places where paths from the camera
// gather.
#pragma once

#include "renderer/paths/path_wavefront.h"
#include "renderer/photon/photon_config.h"
#include "renderer/photon/picture_part.h"
#include "renderer/photon/thesis/final_gather.h"

TL_DEVICE_BEGIN

struct ThesisLight {
    PhotonTreeView caustic;
    float caustic_reach;  ///< m
    int k;                ///< photons that are sought
    std::uint32_t max_met;
    IrradianceSeedsView seeds;
    bool with_caustics, with_indirect;  ///< what is added
};

class ThesisGather final : public PathGather {
  public:
    ThesisGather(const PathTracerFrame& frame, const ThesisLight& light, PhotonSearch search,
                 const PicturePart& part)
        : frame_(frame), light_(light), search_(search), part_(part) {}

    void add(Stream& stream, const GatherQueue& queue, const WaveCounts* counts,
             View<vec4> sums) const override;
    void end_bounce(Stream& stream, std::uint32_t bounce, View<vec4> sums) const override {
        part_.choose(stream, bounce, sums);
    }

  private:
    PathTracerFrame frame_;
    ThesisLight light_;
    PhotonSearch search_;
    PicturePart part_;
};

TL_DEVICE_END
