// The radius within which photons are gathered, by how close together they lie: where many do,
// light has detail as fine as that, and fewer are enough.
#pragma once

#include "accel/parallel/array.h"
#include "renderer/photon/photon.h"

TL_DEVICE_BEGIN

/// A share of a radius that the device finds.
class RadiusByDensity {
  public:
    /// Chooses it by the photons of a pass that are caustics and have no kernel of their own, or by
    /// those that are none, such that about 150 are within on the (geometric) mean over those
    /// photons, but no larger than `most`, which is taken where there are too few to tell.
    /// `n_most`: no more than these are in the list; `radius`: that of which it is a share, m.
    /// Never waits.
    void find(Scratch& scratch, const PhotonList& list, std::uint32_t n_most, bool caustics,
              float radius, float most);
    /// Takes a given share. Never waits.
    void set(Stream& stream, float share);
    /// On the device: what was found or set newest.
    [[nodiscard]] const float* share() const { return share_.data(); }

  private:
    DeviceArray<float> share_;  // one
};

TL_DEVICE_END
