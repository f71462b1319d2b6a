// Path vertices: surface interaction, BSDF, random numbers and specular bounces. Shared by paths
// from the camera and from lights.
#pragma once

#include "renderer/path/path_ray.h"
#if !defined(__CUDACC__)
#include "renderer/shading/sample_pairs8.h"
#endif

TL_DEVICE_BEGIN

/// Random numbers in [0, 1) of a path vertex: the first four pairs of a Sampler. A GPU computes
/// each on demand, the CPU all four together.
class PathNumbers {
  public:
    PathNumbers() = default;  ///< no numbers yet; on the CPU
    /// Takes the arguments of Sampler's constructor.
    TL_D PathNumbers(SamplePattern pattern, std::uint64_t seed, std::uint32_t item,
                     std::uint32_t sample, std::uint32_t path);

    /// Selects the BSDF lobe, or a specular ray.
    [[nodiscard]] TL_D float choice() const { return pair(0).x; }
    /// Russian roulette.
    [[nodiscard]] TL_D float roulette() const { return pair(0).y; }
    /// Samples the direction within the lobe.
    [[nodiscard]] TL_D vec2 direction() const { return pair(1); }
    /// Selects the light of next-event estimation.
    [[nodiscard]] TL_D float light() const { return pair(2).x; }
    /// Samples the point on that light.
    [[nodiscard]] TL_D vec2 point_of_light() const { return pair(3); }

  private:
    [[nodiscard]] TL_D vec2 pair(std::uint32_t index) const;

#if defined(__CUDACC__)
    Sampler sampler_;
#else
    static constexpr int kPairs = 4;
    alignas(32) float pairs_[2 * kPairs];  // x and y of each, as one AVX2 register stores them
#endif
};

#if defined(__CUDACC__)
TL_D inline PathNumbers::PathNumbers(SamplePattern pattern, std::uint64_t seed, std::uint32_t item,
                                     std::uint32_t sample, std::uint32_t path)
    : sampler_(pattern, seed, item, sample, path) {}

TL_D inline vec2 PathNumbers::pair(std::uint32_t index) const {
    return sampler_.pair(index).point(sampler_.sample());
}
#else
inline PathNumbers::PathNumbers(SamplePattern pattern, std::uint64_t seed, std::uint32_t item,
                                std::uint32_t sample, std::uint32_t path) {
    if (pattern == SamplePattern::sobol) {
        seed ^= static_cast<std::uint64_t>(path) << 32;  // as a Sampler does
        _mm256_store_ps(pairs_, first_four_points(seed, item, sample).v);
        return;
    }
    Sampler sampler(pattern, seed, item, sample, path);
    for (int index = 0; index < kPairs; ++index) {
        vec2 point = sampler.next();
        pairs_[2 * index] = point.x;
        pairs_[2 * index + 1] = point.y;
    }
}

inline vec2 PathNumbers::pair(std::uint32_t index) const {
    return {pairs_[2 * index], pairs_[2 * index + 1]};
}
#endif

/// Path vertex on a surface with a BSDF: shading point and BSDF.
struct SurfaceInteraction {
    ShadingContext lit;
    Bsdf bsdf;
    Interface face;  ///< of a rough dielectric; opaque surfaces: eta 1
};

TL_D inline SurfaceInteraction surface_interaction(const SceneView& scene, const PathRay& ray,
                                                   const Hit& hit, const PathHit& h,
                                                   bool smooth_terminator) {
    SurfaceInteraction at{shading_context(scene, ray, hit, h, smooth_terminator), {}, {}};
    const MaterialData& m = *h.surface.material;
    at.face = {true, 1, ray.media()};
    if (scene.ggx && m.kind == MaterialKind::dielectric && m.layers < 0)
        at.face = interface_at(scene, ray.media(), m, h.from_inside);
    at.bsdf = {at.lit.material, at.lit.albedo, at.lit.normal,
               at.face.eta,     scene.ggx,     layers_at(scene, h.surface, h.footprint)};
    if (at.bsdf.layers.data)
        at.bsdf.albedo = base_color(scene, at.bsdf.layers.data->base, h.surface, hit, h.footprint);
    return at;
}

/// Whether the surface is a mirror or smooth glass (delta BSDF).
TL_D inline bool is_smooth_specular(const SceneView& scene, const MaterialData& m) {
    return sends_rays_on(m) && (!scene.ggx || (m.layers < 0 && !(m.alpha > 0)));
}

/// Whether a direction is valid for scattering: shading and geometric normals agree on its side.
TL_D inline bool is_open(const PathHit& h, const SurfaceInteraction& at, vec3 direction) {
    return fused_dot(at.lit.normal, direction) > 0 ? fused_dot(at.lit.horizon_normal, direction) > 0
                                                   : fused_dot(h.geometric_normal, direction) < 0;
}

/// Origin of a ray from the vertex in `direction`, offset to the side to which it leaves.
TL_D inline vec3 origin_towards(const PathHit& h, const SurfaceInteraction& at, vec3 direction) {
    return fused_dot(at.lit.normal, direction) > 0
               ? at.lit.origin
               : start_of_rays(h.surface, h.surface.position, -h.geometric_normal);
}

/// Reflected and refracted rays at a mirror or smooth glass. A weight of 0 marks a missing ray;
/// a single ray is always `first`.
struct Bounces {
    BouncedRay first{}, second{};
    float first_weight = 0, second_weight = 0;  ///< largest channel of each ray's weight

    TL_D Bounces(const SceneView& scene, const PathRay& from, const PathHit& h) {
        for_each_bounce(
            scene, FresnelModel::exact, from, h, [](vec3 w) { return largest(w) > 0; },
            [&](const BouncedRay& ray, bool) {
                if (first_weight > 0) {
                    second = ray;
                    second_weight = largest(ray.weight);
                } else {
                    first = ray;
                    first_weight = largest(ray.weight);
                }
            });
    }
    /// Draws one ray with probability proportional to weight, by `r` in [0, 1), and divides its
    /// weight by the probability. That is also stored in *probability unless null.
    [[nodiscard]] TL_D BouncedRay drawn(float r, float* probability = nullptr) const {
        float share = first_weight / (first_weight + second_weight);
        bool is_first = r < share;
        BouncedRay chosen = is_first ? first : second;
        if (!is_first) share = 1 - share;
        chosen.weight /= share;
        if (probability) *probability = share;
        return chosen;
    }
};

/// Sets `chosen` to Bounces::drawn. Returns false where no ray continues.
TL_D inline bool choose_bounce(const SceneView& scene, const PathRay& from, const PathHit& h,
                               float r, BouncedRay& chosen) {
    const Bounces bounces(scene, from, h);
    if (!(bounces.first_weight > 0)) return false;
    chosen = bounces.drawn(r);
    return true;
}

TL_DEVICE_END
