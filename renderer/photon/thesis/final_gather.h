// The irradiance at seeds by final gather: rays in all directions of the hemisphere, each of which
// brings the light that the surface it meets reflects (Jensen 1996, "Global illumination using
// photon maps"; Zeidan 2011, section 6.2.4). What arrives there is looked up at the nearest photon
// that knows the irradiance (Christensen 1999, "Faster photon map global illumination").
#pragma once

#include "renderer/photon/photon_config.h"
#include "renderer/photon/thesis/photon_tree.h"
#include "renderer/photon/thesis/shading_points.h"

namespace tl {

/// A place where irradiance has been gathered.
struct alignas(16) IrradianceSeed {
    vec3 position;
    std::uint32_t normal;  ///< for shading, pack_direction<16>
    vec3 irradiance;       ///< W/m^2, of light that has met surfaces that scatter broadly
    float distance;        ///< harmonic mean of those to the surfaces around, m
};
static_assert(sizeof(IrradianceSeed) == 32);

}  // namespace tl

TL_DEVICE_BEGIN

/// All that a kernel needs. The index of a point of the tree is that of its seed.
struct IrradianceSeedsView {
    PointTreeView tree;
    View<const IrradianceSeed> seeds;
};

/// The places of which a final gather is made.
struct GatherPlaces {
    View<const ShadingPoint> points;
    View<const std::uint32_t> seeds;  ///< indices of points; all ~0 where there are no points
};

/// How far away the photon may be that tells the irradiance at a place.
struct RadianceReach {
    float most;                                ///< m
    int k = 1;                                 ///< photons by which its irradiance was estimated
    const std::uint32_t* n_telling = nullptr;  ///< photons of estimates, on the device; null: few
    const std::uint32_t* n_knowing = nullptr;  ///< those that know the irradiance, on the device

    /// Of the square of the reach of its estimate, the square of the distance may be so much.
    /// Farther away there is no light, or a photon would have been found: where seven are expected
    /// within a distance, one place in a thousand has none.
    [[nodiscard]] TL_D float farther() const {
        constexpr float kLeast = 4, kExpected = 7;
        if (!n_telling || *n_knowing == 0) return kLeast;
        float share = static_cast<float>(*n_knowing) / static_cast<float>(*n_telling);
        return maximum(kExpected / (share * static_cast<float>(k)), kLeast);
    }
};

/// The memory of a frame's irradiance, which is used again.
class IrradianceSeeds {
  public:
    /// `rays`: for each seed. Never waits.
    void gather(Scratch& scratch, const PathTracerFrame& frame, const PhotonTreeView& radiance,
                const RadianceReach& reach, const GatherPlaces& places, std::uint32_t rays);
    /// The tree of the seeds, for interpolation. Never waits.
    void build_tree(Scratch& scratch);
    [[nodiscard]] IrradianceSeedsView view() const { return {tree_.view(), seeds_.view()}; }
    /// Seeds in the newest frame; waits for the stream.
    [[nodiscard]] std::uint64_t n_seeds(Stream& stream) const {
        return count_.empty() ? 0 : count_.download(stream)[0];
    }

  private:
    PointTree tree_;
    DeviceArray<IrradianceSeed> seeds_;
    DeviceArray<std::uint32_t> count_;  ///< one
};

TL_DEVICE_END
