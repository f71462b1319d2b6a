// Irradiance at seeds by final gather: rays over the hemisphere return the radiance that the
// surfaces they hit reflect (Jensen 1996, "Global illumination using photon maps"; Zeidan 2011,
// section 6.2.4). The irradiance at a hit is taken from the nearest photon with a precomputed
// irradiance (Christensen 1999, "Faster photon map global illumination").
#pragma once

#include "renderer/photon/photon_config.h"
#include "renderer/photon/thesis/photon_tree.h"
#include "renderer/photon/thesis/shading_points.h"
#include "renderer/photon_share.h"

namespace tl {

/// Seed: a shading point with gathered irradiance.
struct alignas(16) IrradianceSeed {
    vec3 position;
    std::uint32_t normal;  ///< shading normal, pack_direction<16>
    vec3 irradiance;       ///< W/m^2, of light that diffuse or rough surfaces have scattered
    float distance;        ///< harmonic mean distance to the surfaces around, m
};
static_assert(sizeof(IrradianceSeed) == 32);

}  // namespace tl

TL_DEVICE_BEGIN

/// Seeds as kernels see them. A point of the tree has the index of its seed.
struct IrradianceSeedsView {
    PointTreeView tree;
    View<const IrradianceSeed> seeds;
};

/// Shading points, and the selection of those at which a final gather is made.
struct GatherPlaces {
    View<const ShadingPoint> points;
    View<const std::uint32_t> seeds;  ///< indices of points; all ~0 where there are no points
};

/// Radius in which a lookup searches for the photon that supplies its irradiance.
struct RadianceRadius {
    float radius;  ///< m
    int k = 1;     ///< photons per irradiance estimate
    /// Number of photons in the global map, on the device; null: few.
    const std::uint32_t* n_global = nullptr;
    /// Number of photons with a precomputed irradiance, on the device.
    const std::uint32_t* n_radiance = nullptr;

    /// Largest ratio of the squared distance to the squared radius of the photon's own estimate.
    /// Beyond it the irradiance is 0: had there been light, a photon would be nearer. Where seven
    /// are expected within a distance, one lookup in a thousand finds none.
    [[nodiscard]] TL_D float largest_ratio() const {
        constexpr float kLeast = 4, kExpected = 7;
        if (!n_global || *n_radiance == 0) return kLeast;
        float share = static_cast<float>(*n_radiance) / static_cast<float>(*n_global);
        return maximum(kExpected / (share * static_cast<float>(k)), kLeast);
    }
};

/// Irradiance cache of a frame, and its memory, which is reused.
class IrradianceSeeds {
  public:
    /// Gathers irradiance at the seeds. `rays`: per seed. With a `share`, which may be null, each
    /// of its devices gathers at a part of the seeds, if they have the same ones; only then it
    /// waits.
    void gather(Scratch& scratch, const PathTracerFrame& frame, const PhotonTreeView& radiance,
                const RadianceRadius& radius, const GatherPlaces& places, std::uint32_t rays,
                PhotonShare* share);
    /// Builds the tree over the seeds, for interpolation. Never waits.
    void build_tree(Scratch& scratch);
    [[nodiscard]] IrradianceSeedsView view() const { return {tree_.view(), seeds_.view()}; }
    /// Number of seeds in the newest frame; waits for the stream.
    [[nodiscard]] std::uint64_t n_seeds(Stream& stream) const {
        return count_.empty() ? 0 : count_.download(stream)[0];
    }

  private:
    PointTree tree_;
    DeviceArray<IrradianceSeed> seeds_;
    DeviceArray<std::uint32_t> count_;  ///< one entry
};

TL_DEVICE_END
