// Surfaces with holes (alpha cutouts): rays continue where a texture's alpha is below the cutoff.
// Trees ignore alpha; a ray that hits a hole is traced again from behind it.
#pragma once

#include "accel/bvh/traversal/traversal.h"
#include "renderer/shading/ray_purpose.h"
#include "renderer/shading/surface.h"

TL_DEVICE_BEGIN

/// Most holes that a ray passes; the next surface is treated as solid.
inline constexpr int kMostHoles = 256;

TL_HD TL_OUT_OF_LINE bool is_hole(const SceneView& scene, const Ray& ray, const Hit& hit) {
    if (!hit.found()) return false;
    const MaterialData& m = material_at(scene, hit);
    if (m.alpha_texture < 0) return false;
    vec2 uv;
    PrimitiveKind kind = kind_of(scene, hit);
    if (kind == PrimitiveKind::patch) {
        uv = patch_uv(scene, hit).at;
    } else if (kind == PrimitiveKind::splat) {
        return false;  // it has no texture coordinates
    } else if (kind == PrimitiveKind::sphere) {
        uv = sphere_surface(scene, ray, hit).uv;
    } else {
        glm::uvec3 t = scene.triangles[triangle_of(scene, hit)];
        uv = fused_mean(1 - hit.u - hit.v, scene.uvs[t.x], hit.u, scene.uvs[t.y], hit.v,
                        scene.uvs[t.z]);
    }
    return sample_alpha(scene, m.alpha_texture, uv) < m.alpha_cutoff;
}

/// The first hit of `trace` that is not in a hole; the ray then starts behind the last hole. The
/// cost in scenes without holes is one test of a flag.
template <class Tracer, class Trace>
TL_D Hit behind_holes(const Tracer& tracer, const SceneView& scene, Ray& ray, Trace&& trace) {
    // Offset beyond the hole's own surface, despite the hit's rounding.
    constexpr float kBeyond = 1 + 0x1p-21f;
    for (int n_holes = 0;; ++n_holes) {
        Hit hit = trace();
        if (!scene.has_cutouts || n_holes == kMostHoles || !is_hole(scene, ray, hit)) return hit;
        ray.t_min = hit.t * kBeyond;
        announce(tracer, RayPurpose::behind_hole);
    }
}

/// The closest hit that is not in a hole.
template <class Tracer, class Stats = NoStats>
TL_D Hit closest_solid(const Tracer& tracer, const SceneView& scene, Ray& ray, Stats&& stats = {}) {
    return behind_holes(tracer, scene, ray, [&] { return tracer.closest(ray, stats); });
}

/// The closest hit that is not in a hole. With `any`, any hit, where only found() is valid; `any`
/// must not be used in scenes with holes.
template <class Tracer>
TL_D Hit closest_or_any_solid(const Tracer& tracer, const SceneView& scene, Ray& ray, bool any) {
    return behind_holes(tracer, scene, ray, [&] { return closest_or_any(tracer, ray, any); });
}

TL_DEVICE_END
