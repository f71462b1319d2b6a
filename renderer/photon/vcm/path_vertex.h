// Vertex of a sub-path on a surface with a BSDF. It is self-contained, so that it can be joined to
// others later. Light and radiance are scattered by the same functions, whichever end the path
// started from. Normals are turned towards the viewer as in the path tracer, so that all techniques
// agree.
#pragma once

#include "core/device/vectorized_copy.h"
#include "renderer/path/surface_interaction.h"
#include "renderer/photon/vcm/mis_weights.h"

TL_DEVICE_BEGIN

/// Path vertex, 128 bytes.
struct alignas(16) PathVertex {
    vec3 position;
    std::uint32_t sub_path;  ///< pixel, or index of the light sub-path
    vec3 shading;            ///< unit normal, on the side of the geometric one
    float eta;               ///< index of refraction on the side of arrival, divided by that beyond
    vec3 geometric;          ///< unit normal, on the side of arrival
    std::int32_t material;
    vec3 to_previous;               ///< unit direction to the previous vertex
    std::uint32_t depth_and_media;  ///< as in the PathRay that arrived
    vec3 albedo;                    ///< as in Bsdf
    float metallic;                 ///< metalness of layers, textured
    /// Camera sub-paths: throughput; light sub-paths: W, a fraction of all power that the pass
    /// emits.
    vec3 throughput;
    float roughness;  ///< roughness of layers, textured
    SubPathSums sums;
    std::uint32_t beyond;    ///< media on the other side
    std::uint32_t previous;  ///< light sub-paths: vertex stored before it, or kNone
    PatchPosition on_patch;  ///< position, if on a patch
    std::uint32_t path_id;   ///< as in PathRay

    static constexpr std::uint32_t kNone = 0xffffffffu;

    [[nodiscard]] TL_HD std::uint32_t depth() const { return depth_and_media >> Media::kBits; }
    /// Media on the side to which a direction points.
    [[nodiscard]] TL_HD Media media_towards(vec3 direction) const {
        return {fused_dot(geometric, direction) > 0 ? depth_and_media & Media::kMask : beyond};
    }
    /// Origin of a ray in that direction.
    [[nodiscard]] TL_HD vec3 origin_towards(vec3 direction) const {
        return start_of_rays(on_patch, position,
                             fused_dot(geometric, direction) > 0 ? geometric : -geometric);
    }
};
static_assert(sizeof(PathVertex) == 128);

/// Vertex where a ray arrives, without its sums.
TL_D inline PathVertex vertex_at(const SceneView& scene, const PathRay& ray, const Hit& hit,
                                 const PathHit& h, const SurfaceInteraction& at) {
    const Surface& s = h.surface;
    vec3 outward = scene.textures ? mapped_normal(scene, hit, s, h.footprint) : s.normal;
    PathVertex v;
    v.position = s.position;
    v.sub_path = ray.pixel;
    v.shading = h.from_inside ? -outward : outward;
    v.eta = at.face.eta;
    v.geometric = h.geometric_normal;
    v.material = static_cast<std::int32_t>(s.material - scene.materials);
    v.to_previous = -ray.direction;
    v.depth_and_media = ray.depth_and_media;
    v.albedo = at.bsdf.albedo;
    v.metallic = at.bsdf.layers.metallic;
    v.throughput = ray.throughput * h.transmittance;
    v.roughness = at.bsdf.layers.roughness;
    v.beyond = at.face.beyond.bits;
    v.previous = PathVertex::kNone;
    v.on_patch = s.on_patch;
    v.path_id = ray.path_id;
    return v;
}

/// Scattering at a vertex, for a viewer in a given direction.
class VertexSide {
  public:
    TL_D VertexSide(const SceneView& scene, const PathVertex& v, vec3 to_viewer)
        : viewer_(to_viewer) {
        const MaterialData& m = scene.materials[v.material];
        bool beyond = fused_dot(v.geometric, to_viewer) < 0;
        side_ = beyond ? -v.geometric : v.geometric;
        vec3 normal = beyond ? -v.shading : v.shading;
        if (fused_dot(normal, to_viewer) <= 0) normal = side_;
        if (sends_rays_on(m)) normal = reflecting_outward(normal, side_, -to_viewer);
        bsdf_ = {&m, v.albedo, normal, beyond ? 1 / v.eta : v.eta, scene.ggx, {}};
        if (scene.ggx && m.layers >= 0)
            bsdf_.layers = {&scene.layers[m.layers], v.metallic, v.roughness};
    }
    /// BSDF for light from `to_light`, times its cosine, 1/sr.
    [[nodiscard]] TL_D vec3 eval(vec3 to_light) const {
        return is_open(to_light) ? bsdf_.eval(viewer_, to_light) : vec3(0);
    }
    /// Density with which sample() draws a direction, 1/sr.
    [[nodiscard]] TL_D float pdf(vec3 direction) const {
        return is_open(direction) ? bsdf_.pdf(viewer_, direction) : 0.0f;
    }
    [[nodiscard]] TL_D bool sample(float choice, vec2 r, BsdfSample& s) const {
        return bsdf_.sample(viewer_, choice, r, s) && is_open(s.direction);
    }
    [[nodiscard]] TL_D vec3 normal() const { return bsdf_.normal; }

  private:
    /// Whether the direction is on the same side of the shading and the geometric normal.
    [[nodiscard]] TL_D bool is_open(vec3 direction) const {
        return (fused_dot(bsdf_.normal, direction) > 0) == (fused_dot(side_, direction) > 0);
    }

    vec3 viewer_, side_;
    Bsdf bsdf_;
};

/// Whether light from behind the surface counts, when a light is chosen.
TL_D inline bool is_two_sided(const SceneView& scene, const PathVertex& v) {
    if (!scene.ggx) return false;
    const MaterialData& m = scene.materials[v.material];
    return m.layers >= 0 ? scene.layers[m.layers].transmission > 0
                         : m.kind == MaterialKind::dielectric;
}

/// Absolute cosine between a direction and the geometric normal.
TL_D inline float cosine_at(const PathVertex& v, vec3 direction) {
    return maximum(fabsf(fused_dot(v.geometric, direction)), 1e-6f);
}

/// Fraction of a light sub-path's power that a vertex scatters towards the viewer of `seen`, 1/sr.
/// Where the shading normal differs from the geometric one, light has another cosine than radiance
/// (Veach 1996, "Non-symmetric scattering in light transport algorithms").
TL_D inline vec3 sent_towards(const PathVertex& v, const VertexSide& seen, vec3 to_viewer) {
    vec3 value = seen.eval(v.to_previous);
    if (value == vec3(0)) return value;
    float share = cosine_at(v, to_viewer) / cosine_at(v, v.to_previous);
    if (seen.normal() == v.geometric) return value * share;
    // Bounded: at grazing angles few paths would carry much power.
    constexpr float kMost = 8;
    float arrives = fabsf(fused_dot(seen.normal(), v.to_previous));
    float leaves = fabsf(fused_dot(seen.normal(), to_viewer));
    return value * (share * arrives < kMost * leaves ? share : kMost * leaves / arrives);
}

/// choose_bounce with probabilities that are the same for both directions of light. Those of
/// surface_interaction.h also depend on the absorption along the segment. `eta` becomes the index
/// of refraction before the surface divided by that beyond, if the path is transmitted.
TL_D inline bool choose_turn(const SceneView& scene, const PathRay& from, const PathHit& h, float r,
                             BouncedRay& chosen, float& eta) {
    PathHit clear = h;
    clear.transmittance = vec3(1);
    if (!choose_bounce(scene, from, clear, r, chosen)) return false;
    chosen.weight *= h.transmittance;
    eta = 1;
    if (chosen.branch == 1) {
        Interface face = interface_at(scene, from.media(), *h.surface.material, h.from_inside);
        if (face.is_real) eta = face.eta;
    }
    return true;
}

TL_DEVICE_END
