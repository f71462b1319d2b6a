// Photon maps of a pass: all photons, caustic photons, and photons with a precomputed irradiance.
#pragma once

#include "renderer/photon/thesis/final_gather.h"
#include "renderer/photon/thesis/photon_tree.h"
#include "renderer/photon/trace/photon_capacity.h"
#include "renderer/photon/trace/photon_emitter.h"

TL_DEVICE_BEGIN

class ThesisMaps {
  public:
    /// Traces the photons of the frame's sample and builds their maps. Keeps the present maps where
    /// they would be the same. A cancelled frame leaves no photons. Never waits on a GPU.
    void update(const FrameContext& context, const SceneView& scene, const PhotonConfig& config);

    /// Caustic photons: scattered by specular surfaces alone, at least once.
    [[nodiscard]] PhotonTreeView caustic() const { return caustic_.view(); }
    /// Photons whose power is the irradiance at their position, W/m^2, estimated from all photons.
    /// Their direction holds the bits of the squared radius of that estimate.
    [[nodiscard]] PhotonTreeView radiance() const { return radiance_.view(); }
    /// Largest radius in which photons are gathered, m.
    [[nodiscard]] float largest_radius() const { return key_.radius; }
    /// Radius in which lookups search radiance() for their nearest photon.
    [[nodiscard]] const RadianceRadius& radiance_radius() const { return radiance_radius_; }

    /// Grows with each update that traces photons.
    [[nodiscard]] std::uint64_t version() const { return version_; }
    /// Number of photons in the newest global map; waits for the stream.
    [[nodiscard]] std::uint64_t n_global(Stream& stream) const { return n_of(stream, 0); }
    /// Number of photons in the newest caustic map; waits for the stream.
    [[nodiscard]] std::uint64_t n_caustic(Stream& stream) const { return n_of(stream, 1); }

  private:
    [[nodiscard]] std::uint64_t n_of(Stream& stream, std::size_t map) const {
        return counts_.empty() ? 0 : counts_.download(stream)[map];
    }

    /// Traces further photons, whose positions are those of the irradiance estimates. Returns these
    /// positions, of which counts_[3] exist. Photons of the global map would be biased positions.
    /// Where photons are evenly spread, they are farther from each other than from an arbitrary
    /// point. Also, the photon nearest to a lookup would have no other photon nearer to that
    /// lookup.
    [[nodiscard]] View<Photon> trace_estimate_positions(const FrameContext& context,
                                                        const SceneView& scene,
                                                        PhotonConfig config);

    PhotonEmitter emitter_, estimate_emitter_;
    PhotonTree global_, caustic_, radiance_;
    DeviceArray<std::uint32_t> counts_;  ///< four: global, caustic, traced for estimates, radiance
    PassKey key_;                        ///< pass of the photons in the maps
    std::uint64_t version_ = 0;
    RadianceRadius radiance_radius_{};
    PhotonCapacity capacity_;
    CapacityEstimate global_estimate_, caustic_estimate_;
};

TL_DEVICE_END
