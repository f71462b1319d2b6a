// Planning of a photon pass before it is traced: scene bounds, capacity of the photon list, memory
// check.
#pragma once

#include <optional>

#include "accel/tree.h"
#include "core/device/array.h"
#include "core/device/readback.h"
#include "renderer/photon/photon_config.h"

TL_DEVICE_BEGIN

/// Writes the bounds of the scene, the root box of `tree` slightly enlarged, to the one element of
/// `bounds`; a degenerate box if the tree is empty. Never waits.
void find_photon_bounds(Stream& stream, const Tree& tree, View<Box> bounds);

/// Capacity of a pass's photon list, checked against the free memory.
class PhotonCapacity {
  public:
    /// Largest number of photons that a pass can store: one per surface interaction of each emitted
    /// photon. The first hit is counted only `with_direct`, which stores photons there, or
    /// `with_beams`, which may split a photon there into a reflected and a refracted one. Throws
    /// UserError if the list does not fit into memory, at `bytes_each` bytes per photon. Queries
    /// memory only where the capacity exceeds that of all passes before.
    [[nodiscard]] std::uint32_t most(const Device& device, const PhotonConfig& config,
                                     std::size_t bytes_each, bool with_direct = false,
                                     bool with_beams = false);

  private:
    std::size_t most_so_far_ = 0;
};

/// Estimate of the capacity that a count needs which is still on the GPU.
class CapacityEstimate {
  public:
    /// On the CPU, the count itself. On a GPU, about twice the count of two passes earlier, whose
    /// readback it waits for; UINT32_MAX if there is none, or if `settings`, the version of the
    /// settings, has changed since. Newer counts are never used: trees and grids depend on the
    /// capacity, so results would depend on timing.
    [[nodiscard]] std::uint32_t most(Stream& stream, const std::uint32_t* count,
                                     std::uint32_t settings);

  private:
    std::uint32_t settings_ = 0;            ///< version of the settings at the last call
    std::optional<std::uint32_t> n_known_;  ///< count of the pass before the last
    std::optional<Readback<std::uint32_t>> readback_;
};

TL_DEVICE_END
