// Culls photons that no gather point of the picture searches. Before photons are sorted into their
// grid, camera paths are traced up to their gather points. The grid cells that these will search
// are marked. Follows Kern, Brüll & Grosch 2023, who mark the cells that contain gather points.
// Whole slots of the table are culled, so that sums over the kept photons have the same bits as
// sums over all.
#pragma once

#include <optional>

#include "renderer/frame_context.h"
#include "renderer/path/path_job.h"
#include "renderer/photon/gather/near_photons.h"
#include "renderer/photon/trace/photon_capacity.h"

TL_DEVICE_BEGIN

/// Gather points of a picture, described by the job that finds them.
struct PictureGatherPoints {
    PathJob job;
    View<const float> radii{};  ///< search radius of each pixel, m; empty: all have the grid's
    std::uint32_t version = 0;  ///< differs between pictures, but not between passes of one view

    /// Gather points of a frame; none if photons are not culled. The first pass is never culled: it
    /// serves other views of a still scene as well.
    [[nodiscard]] static std::optional<PictureGatherPoints> of(const FrameContext& context,
                                                               bool cull, const PathJob& job,
                                                               View<const float> radii = {});
};

/// Marks of the slots in use, and the count of kept photons.
class PhotonCulling {
  public:
    /// Marks the slots that the gather points of the picture search. `near`: search over the grid
    /// as planned. Never waits.
    void mark(Scratch& scratch, const PictureGatherPoints& places, const NearPhotons& near);

    /// One bit for each slot of NearPhotons::for_each_slot.
    [[nodiscard]] View<const std::uint32_t> marks() const { return marks_.view(); }
    /// One entry: receives the number of kept photons.
    [[nodiscard]] View<std::uint32_t> n_kept() { return n_kept_.view(); }
    /// Upper bound of the number of kept photons, once they have been counted.
    [[nodiscard]] std::uint32_t most_kept(Stream& stream) {
        return bound_.next(stream, n_kept_.data(), version_);
    }
    /// Number of kept photons. Waits for the stream.
    [[nodiscard]] std::uint64_t read_kept(Stream& stream) const {
        return n_kept_.download(stream)[0];
    }

    [[nodiscard]] TL_D static bool has(View<const std::uint32_t> bits, std::uint32_t i) {
        return bits[i / 32] >> (i % 32) & 1;
    }
    TL_D static void add(View<std::uint32_t> bits, std::uint32_t i);

  private:
    DeviceArray<std::uint32_t> marks_, n_kept_;
    CapacityEstimate bound_;
    std::uint32_t version_ = 0;
};

TL_D inline void PhotonCulling::add(View<std::uint32_t> bits, std::uint32_t i) {
    if (!has(bits, i)) atomic_or(&bits[i / 32], 1u << (i % 32));
}

TL_DEVICE_END
