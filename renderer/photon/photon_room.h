// How much room a pass of photons needs: what a pass asks before it is traced.
#pragma once

#include <optional>

#include "accel/parallel/array.h"
#include "accel/parallel/readback.h"
#include "accel/tree.h"
#include "renderer/photon/photon_config.h"

TL_DEVICE_BEGIN

/// A box around the tree's boxes, with some air; a point where there are none. Never waits.
void find_photon_bounds(Stream& stream, const Tree& tree, View<Box> bounds);

/// Checks that the photons of a pass fit.
class PhotonRoom {
  public:
    /// How many photons a pass can store: each at all surfaces that it meets, but for the first
    /// unless `with_direct`, or `with_beams`, where some split. Throws UserError where more than in
    /// any pass before do not fit, at `bytes_each`.
    [[nodiscard]] std::uint32_t most(const Device& device, const PhotonConfig& config,
                                     std::size_t bytes_each, bool with_direct = false,
                                     bool with_beams = false);

  private:
    std::size_t most_so_far_ = 0;
};

/// An upper bound of a number that only the device knows.
class CountBound {
  public:
    /// On the CPU the number itself; on a GPU twice that of the pass before the last, which it
    /// waits for, or the largest number where that had other settings: trees and grids depend on
    /// how much room they have, so that newer numbers would make other bits if they happened to
    /// have arrived.
    [[nodiscard]] std::uint32_t most(Stream& stream, const std::uint32_t* count,
                                     std::uint32_t settings);

  private:
    std::uint32_t settings_ = 0;            ///< their version when it was asked last
    std::optional<std::uint32_t> n_known_;  ///< of the pass before the last
    std::optional<Readback<std::uint32_t>> readback_;
};

TL_DEVICE_END
