// The photons of the newest frame as points for display.
#pragma once

#include "renderer/photon/photon_maps.h"
#include "renderer/point_source.h"

TL_DEVICE_BEGIN

class PhotonPoints final : public PointSource {
  public:
    /// Shows these photons from now on. `maps` must outlive the calls below.
    void show(const PhotonMaps& maps) { maps_ = &maps; }

    [[nodiscard]] std::uint64_t points_version() const override {
        return maps_ ? maps_->version() : 0;
    }
    [[nodiscard]] PointList collect_points(Scratch& scratch, const TreeView& tree, vec3 eye,
                                           std::uint32_t most) override;

  private:
    const PhotonMaps* maps_ = nullptr;
};

TL_DEVICE_END
