// The light of photons at the places where paths from the camera gather: the sum over all within a
// radius, weighted by a kernel in the surface's plane.
#pragma once

#include "renderer/paths/path_wavefront.h"
#include "renderer/photon/photon_grid.h"

TL_DEVICE_BEGIN

class PhotonGather final : public PathGather {
  public:
    /// `caustic_radius`: of photons that mirrors and glass alone have turned; at most the grid's.
    PhotonGather(const PathTracerFrame& frame, const PhotonGridView& grid, float caustic_radius)
        : frame_(frame), grid_(grid), caustic_radius_(caustic_radius) {}

    void add(Stream& stream, const GatherQueue& queue, const std::uint32_t* count,
             View<vec4> sums) const override;

  private:
    PathTracerFrame frame_;
    PhotonGridView grid_;
    float caustic_radius_;
};

TL_DEVICE_END
