// Leaves out photons that no place of the picture looks at: before they are sorted into their grid,
// the paths from the camera are followed as far as they gather, and what cells of the grid they
// will look into is marked (after Kern, Brüll & Grosch 2023, who mark the cells in which places
// lie). Photons are left out by whole slots of the table, so that sums over those that are kept
// have the same bits as over all.
#pragma once

#include <optional>

#include "renderer/frame_context.h"
#include "renderer/paths/path_job.h"
#include "renderer/photon/near_photons.h"
#include "renderer/photon/photon_room.h"

TL_DEVICE_BEGIN

/// The places of a picture.
struct PicturePlaces {
    PathJob job;
    View<const float> radii{};  ///< of each pixel, m; empty: all have the grid's
    std::uint32_t version = 0;  ///< differs from picture to picture, but for passes of one view

    /// Those of a frame, if photons are to be left out: none of the first pass, which serves other
    /// views of a still scene as well.
    [[nodiscard]] static std::optional<PicturePlaces> of(const FrameContext& context, bool cull,
                                                         const PathJob& job,
                                                         View<const float> radii = {});
};

class PhotonCulling {
  public:
    /// Marks what the picture's places look into. `near`: of the grid as planned. Never waits.
    void mark(Scratch& scratch, const PicturePlaces& places, const NearPhotons& near);

    /// A bit for each slot of NearPhotons::for_each_slot.
    [[nodiscard]] View<const std::uint32_t> marks() const { return marks_.view(); }
    /// One: where the photons that are kept are counted.
    [[nodiscard]] View<std::uint32_t> n_kept() { return n_kept_.view(); }
    /// Once they are: an upper bound of them.
    [[nodiscard]] std::uint32_t most_kept(Stream& stream) {
        return bound_.most(stream, n_kept_.data(), version_);
    }
    /// Waits for the stream.
    [[nodiscard]] std::uint64_t read_kept(Stream& stream) const {
        return n_kept_.download(stream)[0];
    }

    [[nodiscard]] TL_D static bool has(View<const std::uint32_t> bits, std::uint32_t i) {
        return bits[i / 32] >> (i % 32) & 1;
    }
    TL_D static void add(View<std::uint32_t> bits, std::uint32_t i);

  private:
    DeviceArray<std::uint32_t> marks_, n_kept_;
    CountBound bound_;
    std::uint32_t version_ = 0;
};

TL_D inline void PhotonCulling::add(View<std::uint32_t> bits, std::uint32_t i) {
    if (!has(bits, i)) atomic_or(&bits[i / 32], 1u << (i % 32));
}

TL_DEVICE_END
