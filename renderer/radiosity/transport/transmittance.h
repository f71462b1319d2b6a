// Transmittance of the dielectrics between points of surfaces: absorption along the segment
// (Beer-Lambert law) and the tint of each smooth glass surface that it crosses without bending.
#pragma once

#include "renderer/radiosity/points/passed_surfaces.h"
#include "renderer/shading/media.h"

TL_DEVICE_BEGIN

/// Transmittance and occlusion of a segment.
struct Crossing {
    vec3 transmittance;
    bool is_occluded;  ///< by an opaque surface or rough glass
};

/// Traces the segment from `from`, which `media` contain, to `to`. Behind an occluder the medium in
/// front of it is assumed to continue to the end.
template <class Tracer>
TL_D TL_NO_INLINE Crossing cross(const Tracer& tracer, const SceneView& scene, vec3 from,
                                 Media media, vec3 to) {
    Ray ray{};
    ray.origin = from;
    float length = glm::length(to - from), before = 0;
    Crossing crossing{vec3(1), false};
    if (!(length > 0)) return crossing;
    ray.direction = (to - from) / length;
    ray.t_max = length;
    for (int n_passed = 0; n_passed <= kMostPassed; ++n_passed) {
        Hit hit = closest_or_any_solid(tracer, scene, ray, false);
        if (!hit.found()) break;
        crossing.is_occluded = !is_passed(scene, hit, Passed::all) || n_passed == kMostPassed;
        if (crossing.is_occluded) break;
        ray.t_min = kBehind * hit.t;
        const MaterialData& m = material_at(scene, hit);
        if (m.kind != MaterialKind::dielectric) continue;
        Surface s = surface_at(scene, ray, hit);
        bool from_inside = glm::dot(s.geometric_normal, ray.direction) > 0;
        std::uint32_t here = media.current(scene);
        // `here` is 0 inside a dielectric that was not found at the start, or was dropped.
        const MaterialData& medium = here == 0 || here == m.medium ? m : scene.medium(here);
        if (here || from_inside)
            crossing.transmittance *= absorbed(medium.absorption, hit.t - before);
        Interface face = interface_at(scene, media, here, m, from_inside);
        if (face.is_real) crossing.transmittance *= m.transmission;
        media = face.beyond;
        before = hit.t;
    }
    crossing.transmittance *= absorbed(scene, media, length - before);
    return crossing;
}

TL_DEVICE_END
