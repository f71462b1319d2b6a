// Caustics and all other indirect lighting at the gather points of camera paths: caustics by
// density estimation, the rest by interpolation between seeds.
#pragma once

#include "renderer/photon/gather/picture_part.h"
#include "renderer/photon/photon_config.h"
#include "renderer/photon/thesis/caustic_neighbors.h"
#include "renderer/photon/thesis/final_gather.h"

TL_DEVICE_BEGIN

/// Photon map and seeds that supply the indirect lighting.
struct ThesisLight {
    PhotonTreeView caustic;
    float caustic_reach;  ///< largest search radius for caustic photons, m
    int k;                ///< number of caustic photons per estimate
    std::uint32_t max_met;
    IrradianceSeedsView seeds;
    bool with_caustics, with_indirect;  ///< components that are added
};

class ThesisGather final : public PartGather {
  public:
    /// `neighbors`: finds the caustic photons where the search is that of a structure; their time
    /// is a stage of its own.
    ThesisGather(const PathTracerFrame& frame, const ThesisLight& light, PhotonSearch search,
                 CausticNeighbors& neighbors, StageTimer& timer, const PicturePart& part)
        : PartGather(part),
          frame_(frame),
          light_(light),
          search_(search),
          neighbors_(neighbors),
          timer_(timer) {}

  private:
    void look_up(Stream& stream, const GatherQueue& queue, WaveCounts* counts,
                 View<vec4> sums) const override;
    /// look_up, with lists of photons for batches of gather points. Waits for the queue's lengths.
    void look_up_in_batches(Stream& stream, const GatherQueue& queue, WaveCounts* counts,
                            View<vec4> sums) const;
    [[nodiscard]] ListedSearch listed(Stream& stream, std::uint32_t n) const;

    PathTracerFrame frame_;
    ThesisLight light_;
    PhotonSearch search_;
    CausticNeighbors& neighbors_;
    StageTimer& timer_;
};

TL_DEVICE_END
