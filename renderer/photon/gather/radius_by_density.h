// Search radius chosen by photon density. Where photons are dense, the light has details of that
// scale, and fewer photons are enough.
#pragma once

#include "core/device/array.h"
#include "renderer/photon/photon.h"

TL_DEVICE_BEGIN

/// Ratio of a search radius to a given one, computed on the device.
class RadiusByDensity {
  public:
    /// Chooses the ratio by the density of a pass's photons: caustics without a kernel of their own
    /// where `caustics`, all others otherwise. About 150 photons are within the radius, in the
    /// geometric mean over those photons. The ratio is at most `most`, also where photons are too
    /// few to estimate the density. `n_most`: upper bound of the list's length; `radius`: the
    /// radius for ratio 1, m. Never waits.
    void find(Scratch& scratch, const PhotonList& list, std::uint32_t n_most, bool caustics,
              float radius, float most);
    /// Sets the ratio. Never waits.
    void set(Stream& stream, float ratio);
    /// On the device: the ratio found or set last.
    [[nodiscard]] const float* ratio() const { return ratio_.data(); }

  private:
    DeviceArray<float> ratio_;  // one entry
};

TL_DEVICE_END
