// Densities of emitted rays and of next-event estimation, for all emitters.
#pragma once

#include "renderer/shading/emission.h"
#include "renderer/shading/light_choice.h"

TL_DEVICE_BEGIN

/// Whether paths may hit the emitter by chance.
TL_D inline bool can_be_met(const SceneView& scene, std::uint32_t source) {
    if (source + 1 == scene.photon_sources.n) return true;
    const LightData& light = scene.lights[source];
    return is_emissive_surface(scene, light) || is_wide(light);
}

/// One over the density with which emit_light draws a ray of the emitter that travels in unit
/// `direction`, times the cosine at its surface. This is the quotient of power and radiance, m^2
/// sr; for a point light sr, for a directional one m^2. Infinite where no such ray is drawn.
TL_D inline float inverse_emission_density(const SceneView& scene, const Box& around,
                                           std::uint32_t source, vec3 direction) {
    const PhotonSources& sources = scene.photon_sources;
    if (sources.n == 0) return kInfinity;
    float one = source + 1 == sources.n ? 4 * kPi * projected_area(around, direction)
                                        : emission_spread(scene.lights[source], around, direction);
    return one / sources.table[source].probability;
}

/// light_density as MIS weights use it: for a patch as if it were uniform over its area and hit
/// head on. Any function of a path yields valid weights, as long as all techniques use the same
/// one.
TL_D inline float weighed_density(const LightData& light, vec3 p, vec3 direction, float distance) {
    if (light.kind == LightKind::patch) return distance * distance / light.area;
    return light_density(light, p, direction, distance);
}

/// Density of next-event estimation at `p` on a surface with unit `normal`, for the emitter at
/// `distance` in unit `direction`. 1/sr; for a point light 1/m^2 times the squared distance, for a
/// directional one 1. Times inverse_emission_density it is the quotient of both densities, but for
/// the cosine at `p`.
TL_D inline float direct_density(const SceneView& scene, std::uint32_t source, vec3 p, vec3 normal,
                                 bool two_sided, vec3 direction, float distance) {
    if (source + 1 == scene.photon_sources.n || scene.search.n_choices() == 0) return 0;
    const LightData& light = scene.lights[source];
    float chosen = probability_of_any_light(scene, source, p, normal, two_sided);
    switch (light.kind) {
        case LightKind::point:
        case LightKind::spot:
            return chosen * distance * distance;
        case LightKind::directional:
            return chosen;
        default:
            return chosen * weighed_density(light, p, direction, distance);
    }
}

/// Index of the emitter that rays leaving the scene hit.
TL_D inline std::uint32_t surrounding_source(const SceneView& scene) {
    if (scene.environment)
        for (std::uint32_t i = 0; i < scene.search.n_far; ++i) {
            std::uint32_t light = scene.search.far_lights[i];
            if (scene.lights[light].kind == LightKind::environment) return light;
        }
    return scene.photon_sources.n - 1;
}

TL_DEVICE_END
