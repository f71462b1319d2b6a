// Preparation of a photon pass: scene bounds, capacity of the photon list and of structures over
// the photons, memory check.
#pragma once

#include <optional>

#include "accel/tree.h"
#include "core/device/array.h"
#include "core/device/readback.h"
#include "renderer/photon/photon_config.h"

TL_DEVICE_BEGIN

/// Writes the bounds of the scene to the one element of `bounds`: the root box of `tree`, slightly
/// enlarged. An empty tree gives a box of size 0 at the origin. Never waits.
void find_scene_bounds(Stream& stream, const Tree& tree, View<Box> bounds);

/// Capacity of photon lists, checked against the free memory of the device.
class PhotonCapacity {
  public:
    /// Returns the capacity of a pass's photon list: one entry per emitted photon and surface that
    /// it may hit, at most 2^31.
    ///
    /// The first surface counts only if `with_direct` or `with_beams` is set. The former stores
    /// photons there; the latter may split a photon there into a reflected and a refracted one.
    /// Photons that split more often may exceed the capacity; the excess is not stored. With
    /// PhotonConfig::caustics_only, a photon has one entry, or two if `with_beams` is set.
    ///
    /// Throws UserError if the list, at `bytes_each` bytes per photon, and the memory for tracing
    /// do not fit. Queries memory only if the capacity exceeds that of all earlier calls.
    [[nodiscard]] std::uint32_t find(const Device& device, const PhotonConfig& config,
                                     std::size_t bytes_each, bool with_direct = false,
                                     bool with_beams = false);

  private:
    std::size_t most_so_far_ = 0;  ///< largest capacity that was found to fit
};

/// Estimates, pass by pass, the capacity for items whose number is still on the GPU.
class CapacityEstimate {
  public:
    /// Returns a capacity for *count items, `count` being in device memory. Call once a pass. On
    /// the CPU, waits for the stream and returns the count itself.
    ///
    /// On a GPU, returns about twice the count of two passes earlier, for whose readback it waits.
    /// Returns UINT32_MAX if there is none, or if `settings`, the version of the settings, has
    /// changed since. Newer counts are never used: trees and grids depend on the capacity, so
    /// results would depend on timing.
    [[nodiscard]] std::uint32_t next(Stream& stream, const std::uint32_t* count,
                                     std::uint32_t settings);

  private:
    std::uint32_t settings_ = 0;            ///< version of the settings at the last call
    std::optional<std::uint32_t> n_known_;  ///< newest count in use, of two passes earlier
    std::optional<Readback<std::uint32_t>> readback_;
};

TL_DEVICE_END
