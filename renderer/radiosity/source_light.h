// Light straight from sources at points of diffuse surfaces, by the choice of lights and the
// weights of paths from the camera (renderer/paths/follow_path.h), and what rays from points meet.
// All rays lie in memory: they are traced by the kernels that trace any other renderer's.
#pragma once

#include "renderer/paths/path_rays.h"

TL_DEVICE_BEGIN

/// A place that receives light on one side.
struct ReceivingPlace {
    vec3 position;
    vec3 start;     ///< of rays, off the surface
    vec3 normal;    ///< unit, on the side that receives
    Media media{};  ///< dielectrics that contain `start`; not set for walks that search light
};

/// Rays that are traced at once: each takes about 200 bytes.
#if defined(__CUDACC__)
inline constexpr std::uint32_t kRaysAtOnce = 1u << 20;
#else
inline constexpr std::uint32_t kRaysAtOnce = 1u << 16;
#endif

/// Places, each of which sends `n_rays` rays. Ray r is the one of number r / size of place
/// r % size; there are at most kRaysAtOnce.
struct RaysOfPlaces {
    View<const ReceivingPlace> places;
    std::uint32_t n_rays = 1;
    /// Random numbers: those of item stride * i + offset for place i, from sample first_ray on.
    std::uint32_t stride = 1, offset = 0, first_ray = 0;
    std::uint32_t pair = 2;              ///< of a Sampler's, by which directions are drawn
    View<const std::uint32_t> wanted{};  ///< 0: the place sends none; empty: all do

    [[nodiscard]] std::uint32_t size() const {
        return static_cast<std::uint32_t>(places.size) * n_rays;
    }
};

class SourceLight {
  public:
    /// Takes scratch memory for `n_rays` rays at once. `frame` is that of the scene's paths.
    SourceLight(Scratch& scratch, const PathTracerFrame& frame, std::uint32_t n_rays);

    /// light[r] = one sample of the irradiance by lights and glowing surfaces, W/m^2, for each ray.
    /// Where `next` is not empty, next[i] becomes the place that the ray of place i meets, which is
    /// spread as light arrives, and met[i] 1 if there is one, 2 if it is the surface of a lamp,
    /// from whichever side; the ray passes smooth glass straight on then. Never waits.
    void sample(const RaysOfPlaces& rays, View<vec3> light, View<ReceivingPlace> next = {},
                View<std::uint32_t> met = {});
    /// Adds to n_met[i] the number of those rays of place i that meet surfaces which may send
    /// diffuse light; rays are spread as light arrives, and pass smooth glass. Never waits.
    void count_diffuse(const RaysOfPlaces& rays, View<std::uint32_t> n_met);

  private:
    void start();
    void trace();
    void pass_glass();

    Scratch& scratch_;
    PathTracerFrame frame_;
    View<PathRay> rays_;
    View<Hit> hits_;
    ShadowQueue shadows_;
    View<WaveCounts> counts_;
};

TL_DEVICE_END
