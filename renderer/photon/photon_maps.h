// Photon map of a frame: traced again only when its inputs change, and sorted into a grid.
#pragma once

#include <algorithm>

#include "renderer/photon/gather/near_photons.h"
#include "renderer/photon/gather/picture_part.h"
#include "renderer/photon/gather/radius_by_density.h"
#include "renderer/photon/trace/photon_capacity.h"
#include "renderer/photon/trace/photon_culling.h"
#include "renderer/photon/trace/photon_emitter.h"
#include "renderer/renderer.h"

TL_DEVICE_BEGIN

class PhotonMaps {
  public:
    /// Traces the photons of the frame's sample and sorts them into a grid for `radius`. Keeps the
    /// present ones where they would be the same. A cancelled frame leaves no photons. With a
    /// `spread`, caustics have kernels of their own (BeamKernel). With `places`, the grid may lack
    /// photons that none of these gather points can use, and serves no other view.
    void update(const FrameContext& context, const SceneView& scene, const PhotonConfig& config,
                float radius, float spread = 0, const PictureGatherPoints* places = nullptr);
    /// The grid.
    [[nodiscard]] PhotonGridView photons() const { return grid_.view(); }
    /// Search over the photons of paths with at most `max_met` surfaces.
    [[nodiscard]] NearPhotons near(std::uint32_t max_met, bool with_caustics,
                                   bool with_indirect) const {
        return {grid_.view(), grid_.caustic_view(), max_met, with_caustics, with_indirect};
    }
    /// Search over the photons that belong to a part of the picture.
    [[nodiscard]] NearPhotons near(const PhotonConfig& config, const PicturePart& part) const {
        return near(static_cast<std::uint32_t>(config.max_depth), part.with_caustics(),
                    part.with_indirect());
    }
    /// Renderer::counts, for the newest pass.
    [[nodiscard]] std::vector<FrameCount> counts(Stream& stream, const PhotonConfig& config) const;
    /// Number of photons stored in the newest pass; waits for the stream.
    [[nodiscard]] std::uint64_t n_stored(Stream& stream) const {
        return count_.empty() ? 0 : count_.download(stream)[0];
    }
    /// Number of photons in the grid: they are its first entries. Waits for the stream.
    [[nodiscard]] std::uint64_t n_in_grid(Stream& stream) const {
        if (key_ == PassKey{}) return 0;
        return std::min<std::uint64_t>(is_culled_ ? culling_.read_kept(stream) : n_stored(stream),
                                       grid_.capacity());
    }
    /// Grows with each pass.
    [[nodiscard]] std::uint64_t version() const { return version_; }

  private:
    PhotonEmitter emitter_;
    RadiusByDensity indirect_radius_, caustic_radius_;
    PhotonGrid grid_;
    PhotonCulling culling_;
    bool is_culled_ = false;            ///< whether the grid is culled
    DeviceArray<std::uint32_t> count_;  ///< one entry: photons stored
    PassKey key_;                       ///< pass of the photons in the grid
    std::uint64_t version_ = 0;         ///< version of the photons in the grid
    PhotonCapacity capacity_;
    CapacityEstimate estimate_;
};

TL_DEVICE_END
