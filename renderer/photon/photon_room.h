// Capacity planning of a photon pass: bounds, list capacity and memory check before it is traced.
#pragma once

#include <optional>

#include "accel/parallel/array.h"
#include "accel/parallel/readback.h"
#include "accel/tree.h"
#include "renderer/photon/photon_config.h"

TL_DEVICE_BEGIN

/// Bounding box of the tree's boxes, slightly enlarged; a point where there are none. Never waits.
void find_photon_bounds(Stream& stream, const Tree& tree, View<Box> bounds);

/// Checks that the photons of a pass fit into memory.
class PhotonRoom {
  public:
    /// Largest number of photons that a pass can store: one for each surface that a photon hits.
    /// The first surface counts only `with_direct`, or `with_beams`, where photons may split.
    /// Throws UserError if they do not fit, at `bytes_each` bytes per photon. Checks only
    /// capacities larger than in all passes before.
    [[nodiscard]] std::uint32_t most(const Device& device, const PhotonConfig& config,
                                     std::size_t bytes_each, bool with_direct = false,
                                     bool with_beams = false);

  private:
    std::size_t most_so_far_ = 0;
};

/// Upper bound of a number that only the device knows.
class CountBound {
  public:
    /// On the CPU, the number itself. On a GPU, about twice that of the pass before the last, for
    /// which it waits. Where that pass had other settings, the largest integer. Newer counts are
    /// never used: trees and grids depend on capacity, so counts that happen to arrive early would
    /// change their bits.
    [[nodiscard]] std::uint32_t most(Stream& stream, const std::uint32_t* count,
                                     std::uint32_t settings);

  private:
    std::uint32_t settings_ = 0;            ///< version of the settings at the last call
    std::optional<std::uint32_t> n_known_;  ///< count of the pass before the last
    std::optional<Readback<std::uint32_t>> readback_;
};

TL_DEVICE_END
