// Where a path meets a surface, and how it may go on from there: what paths from the camera and
// from lights share.
#pragma once

#include "renderer/shading/path.h"
#if !defined(__CUDACC__)
#include "renderer/shading/sample_pairs8.h"
#endif

TL_DEVICE_BEGIN

/// The numbers in [0, 1) that are drawn where a path meets a surface: the first four pairs of a
/// Sampler. A GPU works each out when it is asked for, the CPU all four at once.
class PathNumbers {
  public:
    PathNumbers() = default;  ///< without numbers; on the CPU
    /// As for a Sampler.
    TL_D PathNumbers(SamplePattern pattern, std::uint64_t seed, std::uint32_t item,
                     std::uint32_t sample, std::uint32_t path);

    /// Which of the surface's lobes scatters.
    [[nodiscard]] TL_D float choice() const { return pair(0).x; }
    /// Whether the path goes on.
    [[nodiscard]] TL_D float roulette() const { return pair(0).y; }
    /// The direction within the lobe.
    [[nodiscard]] TL_D vec2 direction() const { return pair(1); }
    /// Which light gets the shadow ray.
    [[nodiscard]] TL_D float light() const { return pair(2).x; }
    /// The place on that light.
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

/// A point of a surface with a BSDF.
struct PathPlace {
    LitPlace lit;
    Bsdf bsdf;
    Interface face;  ///< of a rough dielectric
};

TL_D inline PathPlace path_place(const SceneView& scene, const PathRay& ray, const Hit& hit,
                                 const PathHit& h, bool smooth_terminator) {
    PathPlace at{lit_place(scene, ray, hit, h, smooth_terminator), {}, {}};
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

/// Whether the surface sends rays on in single directions.
TL_D inline bool is_smooth_specular(const SceneView& scene, const MaterialData& m) {
    return sends_rays_on(m) && (!scene.ggx || (m.layers < 0 && !(m.alpha > 0)));
}

/// Whether light may leave in that direction: on the side of the surface where the BSDF sees it.
TL_D inline bool is_open(const PathHit& h, const PathPlace& at, vec3 direction) {
    return fused_dot(at.lit.normal, direction) > 0 ? fused_dot(at.lit.horizon, direction) > 0
                                                   : fused_dot(h.side, direction) < 0;
}

/// The origin of a ray that leaves in that direction.
TL_D inline vec3 origin_towards(const PathHit& h, const PathPlace& at, vec3 direction) {
    return fused_dot(at.lit.normal, direction) > 0
               ? at.lit.origin
               : start_of_rays(h.surface, h.surface.position, -h.side);
}

/// The rays that go on from a mirror or smooth glass: weights are 0 where there is none, of the
/// first as well only where there is no second one.
struct Bounces {
    BouncedRay first{}, second{};
    float first_weight = 0, second_weight = 0;  ///< their largest channels

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
    /// One of them, drawn by `r` in [0, 1) in proportion to weight, and weighted accordingly;
    /// `probability`: with which it is drawn, or null.
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

/// Bounces::drawn. False where none goes on.
TL_D inline bool choose_bounce(const SceneView& scene, const PathRay& from, const PathHit& h,
                               float r, BouncedRay& chosen) {
    const Bounces bounces(scene, from, h);
    if (!(bounces.first_weight > 0)) return false;
    chosen = bounces.drawn(r);
    return true;
}

TL_DEVICE_END
