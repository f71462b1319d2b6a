// The light of caustics and of all other indirect light at the places where paths from the camera
// gather.
#pragma once

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

class ThesisGather final : public PartGather {
  public:
    ThesisGather(const PathTracerFrame& frame, const ThesisLight& light, PhotonSearch search,
                 const PicturePart& part)
        : PartGather(part), frame_(frame), light_(light), search_(search) {}

  private:
    void look_up(Stream& stream, const GatherQueue& queue, const WaveCounts* counts,
                 View<vec4> sums) const override;

    PathTracerFrame frame_;
    ThesisLight light_;
    PhotonSearch search_;
};

TL_DEVICE_END
