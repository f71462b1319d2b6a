// The photon maps of a pass: all photons, those that mirrors and glass alone have turned, and
// photons that know the irradiance where they lie.
#pragma once

#include "renderer/photon/photon_emitter.h"
#include "renderer/photon/photon_room.h"
#include "renderer/photon/thesis/final_gather.h"
#include "renderer/photon/thesis/photon_tree.h"

TL_DEVICE_BEGIN

class ThesisMaps {
  public:
    /// Traces the photons of the frame's sample and builds their maps, unless those that are there
    /// are the same. Where the frame is cancelled, there are none. Never waits on a GPU.
    void update(const FrameContext& context, const SceneView& scene, const PhotonConfig& config);

    /// Photons that mirrors and glass alone have turned, at least once.
    [[nodiscard]] PhotonTreeView caustic() const { return caustic_.view(); }
    /// Photons whose power is the irradiance where they lie, W/m^2, as all photons tell it, and
    /// whose direction has the bits of the square of the reach with which it was estimated.
    [[nodiscard]] PhotonTreeView radiance() const { return radiance_.view(); }
    /// Within which photons count, m.
    [[nodiscard]] float most_reach() const { return key_.radius; }
    /// Within which the nearest photon of radiance() lies where there is light.
    [[nodiscard]] const RadianceReach& radiance_reach() const { return radiance_reach_; }

    /// Numbers of photons in the newest maps; wait for the stream.
    [[nodiscard]] std::uint64_t n_global(Stream& stream) const { return n_of(stream, 0); }
    [[nodiscard]] std::uint64_t n_caustic(Stream& stream) const { return n_of(stream, 1); }

  private:
    [[nodiscard]] std::uint64_t n_of(Stream& stream, std::size_t map) const {
        return counts_.empty() ? 0 : counts_.download(stream)[map];
    }

    /// Sends photons out for the places alone at which irradiance is estimated, and returns the
    /// places, of which counts_[3] exist. Photons of the map that it is estimated by are not as
    /// close to each other as to any place, where they are spread evenly, nor is one of them
    /// nearer to what looks it up than the nearest.
    [[nodiscard]] View<Photon> trace_places(const FrameContext& context, const SceneView& scene,
                                            PhotonConfig config);

    PhotonEmitter emitter_, place_emitter_;
    PhotonTree global_, caustic_, radiance_;
    DeviceArray<std::uint32_t> counts_;  ///< four: global, caustic, of those for places, radiance
    PassKey key_;                        ///< of the photons in the maps
    RadianceReach radiance_reach_{};
    PhotonRoom room_;
    CountBound about_global_, about_caustic_;
};

TL_DEVICE_END
