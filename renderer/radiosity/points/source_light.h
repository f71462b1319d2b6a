// Direct lighting at points of diffuse surfaces, by next-event estimation and MIS as on camera
// paths (renderer/path/follow_path.h). Also traces rays from points to find the surfaces that they
// see. All rays are in memory and traced by the same kernels as those of other renderers.
#pragma once

#include "renderer/path/path_rays.h"

TL_DEVICE_BEGIN

/// Receiver: a surface point that receives light on one side.
struct ReceiverPoint {
    vec3 position;
    vec3 start;     ///< origin of rays, off the surface
    vec3 normal;    ///< unit, on the receiving side
    Media media{};  ///< dielectrics that contain `start`; not set for random walks
};

/// Maximum number of rays traced together; each takes about 200 bytes.
#if defined(__CUDACC__)
inline constexpr std::uint32_t kRaysAtOnce = 1u << 20;
#else
inline constexpr std::uint32_t kRaysAtOnce = 1u << 16;
#endif

/// Receivers that send `n_rays` rays each, kRaysAtOnce in all at most. With n receivers ray r is
/// number r / n of receiver r % n.
struct ReceiverRays {
    View<const ReceiverPoint> places;
    std::uint32_t n_rays = 1;
    /// Random numbers of receiver i: Sampler item stride * i + offset, from sample first_ray on.
    std::uint32_t stride = 1, offset = 0, first_ray = 0;
    std::uint32_t pair = 2;              ///< Sampler pair of directions
    View<const std::uint32_t> wanted{};  ///< 0: receiver sends no rays; empty: all do

    [[nodiscard]] std::uint32_t size() const {
        return static_cast<std::uint32_t>(places.size) * n_rays;
    }
};

class SourceLight {
  public:
    /// Takes scratch memory for `n_rays` rays. `frame` is that of the scene's paths.
    SourceLight(Scratch& scratch, const PathTracerFrame& frame, std::uint32_t n_rays);

    /// Sets light[r] for each ray to one sample of direct irradiance by lights and emissive
    /// surfaces, W/m^2. Never waits.
    ///
    /// If `next` is not empty, also takes one step of a random walk. next[i] becomes the hit of
    /// receiver i's cosine-distributed ray, which passes smooth glass straight on. met[i] becomes 0
    /// without a hit, 2 on either side of a lamp's surface, and 1 on other surfaces.
    void sample(const ReceiverRays& rays, View<vec3> light, View<ReceiverPoint> next = {},
                View<std::uint32_t> met = {});
    /// Adds to n_met[i] the number of receiver i's rays that hit surfaces which may send diffuse
    /// light. Rays are cosine-distributed and pass smooth glass. Never waits.
    void count_diffuse(const ReceiverRays& rays, View<std::uint32_t> n_met);

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
