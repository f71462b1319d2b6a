// Reflectance of surfaces.
#pragma once

#include "renderer/shading/surface.h"

TL_DEVICE_BEGIN

/// Sum of the reflectances and transmittances of all lobes of the surface at a hit, textures and
/// vertex colours included. It is an upper bound of the albedo, and may exceed 1.
TL_HD inline vec3 reflectance_of_lobes(const SceneView& scene, const Surface& surface,
                                       const Hit& hit, float footprint) {
    const MaterialData& m = *surface.material;
    bool layered = scene.ggx && m.layers >= 0;
    vec3 sum(0);
    if (layered || !sends_rays_on(m)) sum += albedo_of(scene, surface, hit, footprint);
    if (layered) {
        constexpr float kOfCoat = 0.04f;
        const LayersData& layers = scene.layers[m.layers];
        return sum + layers.reflectance + vec3(kOfCoat * layers.coat);
    }
    if (m.kind != MaterialKind::diffuse) sum += m.specular;
    if (m.kind == MaterialKind::dielectric) sum += m.transmission;
    return sum;
}

TL_DEVICE_END
