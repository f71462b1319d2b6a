// The photons of a frame, traced when what they depend on has changed, and sorted into a grid.
#pragma once

#include <algorithm>

#include "renderer/frame_context.h"
#include "renderer/photon/photon_config.h"
#include "renderer/photon/photon_grid.h"
#include "renderer/photon/photon_room.h"
#include "renderer/renderer.h"

TL_DEVICE_BEGIN

/// What a pass of photons depends on. Those of a still scene serve all views.
struct PassKey {
    std::uint32_t scene = 0, lights = 0, settings = 0, pass = 0;
    std::uint64_t seed = 0;
    float radius = 0;

    bool operator==(const PassKey&) const = default;
};

class PhotonMaps {
  public:
    /// Traces the photons of the frame's sample and sorts them into a grid for `radius`, unless
    /// those that are there are the same. Where the frame is cancelled, there are none.
    void update(const FrameContext& context, const SceneView& scene, const PhotonConfig& config,
                float radius);
    [[nodiscard]] PhotonGridView grid() const { return grid_.view(); }
    /// Renderer::counts, of the newest pass.
    [[nodiscard]] std::vector<FrameCount> counts(Stream& stream, const PhotonConfig& config) const;
    /// The photons stored in the newest pass; waits for the stream.
    [[nodiscard]] std::uint64_t n_stored(Stream& stream) const {
        return count_.empty() ? 0 : count_.download(stream)[0];
    }
    /// Those of them that are in the grid: the first of its photons. Waits for the stream.
    [[nodiscard]] std::uint64_t n_in_grid(Stream& stream) const {
        return key_ == PassKey{} ? 0 : std::min<std::uint64_t>(n_stored(stream), grid_.capacity());
    }
    /// Grows with each pass.
    [[nodiscard]] std::uint64_t version() const { return version_; }

  private:
    PhotonGrid grid_;
    DeviceArray<std::uint32_t> count_;  ///< one: photons stored
    DeviceArray<Box> bounds_;           ///< one
    PassKey key_;                       ///< of the photons in the grid
    std::uint64_t version_ = 0;         ///< of the photons in the grid
    PhotonRoom room_;
    CountBound n_about_;
};

TL_DEVICE_END
