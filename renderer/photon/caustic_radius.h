// The radius within which caustics are gathered: they are bright where many photons lie close
// together, and have detail as fine as that.
#pragma once

#include "accel/parallel/array.h"
#include "renderer/photon/photon.h"

TL_DEVICE_BEGIN

class CausticRadius {
  public:
    /// Chooses the radius by the photons of a pass, such that where half of the caustics' photons
    /// lie, about 150 are within. `n_most`: no more than these are in the list; `radius`: of
    /// others, m. Never waits.
    void find(Scratch& scratch, const PhotonList& list, std::uint32_t n_most, float radius);
    /// Takes a share of the radius of others. Never waits.
    void set(Stream& stream, float share);
    /// On the device: what was found or set newest.
    [[nodiscard]] const float* share() const { return share_.data(); }

  private:
    DeviceArray<float> share_;  // one
};

TL_DEVICE_END
