// The photons of a frame, traced when what they depend on has changed, and sorted into a grid.
#pragma once

#include <optional>

#include "accel/parallel/readback.h"
#include "renderer/frame_context.h"
#include "renderer/photon/photon_config.h"
#include "renderer/photon/photon_grid.h"

TL_DEVICE_BEGIN

/// What a pass of photons depends on. Those of a still scene serve all views.
struct PassKey {
    std::uint32_t scene = 0, lights = 0, settings = 0, pass = 0;
    std::uint64_t seed = 0;
    float radius = 0;

    bool operator==(const PassKey&) const = default;
};

/// bounds[0] = a box around the tree's boxes, with some air; a point where there are none.
void find_bounds(Stream& stream, const Tree& tree, View<Box> bounds);

class PhotonMaps {
  public:
    /// Traces the photons of the frame's sample and sorts them into a grid for `radius`, unless
    /// those that are there are the same. Where the frame is cancelled, there are none.
    void update(const FrameContext& context, const SceneView& scene, const PhotonConfig& config,
                float radius);
    [[nodiscard]] PhotonGridView grid() const { return grid_.view(); }
    /// The photons stored in the newest pass; waits for the stream.
    [[nodiscard]] std::uint64_t n_stored(Stream& stream) const {
        return count_.empty() ? 0 : count_.download(stream)[0];
    }

  private:
    [[nodiscard]] std::uint32_t most_stored(const Device& device, const PhotonConfig& config);
    [[nodiscard]] std::uint32_t about_stored(Stream& stream);

    PhotonGrid grid_;
    DeviceArray<std::uint32_t> count_;      ///< one: photons stored
    DeviceArray<Box> bounds_;               ///< one
    PassKey key_;                           ///< of the photons in the grid
    std::size_t most_so_far_ = 0;           ///< photons that there was room for
    std::uint32_t settings_ = 0;            ///< version for which photons were traced last
    std::optional<std::uint32_t> n_known_;  ///< stored with these settings some passes ago
    std::optional<Readback<std::uint32_t>> readback_;
};

TL_DEVICE_END
