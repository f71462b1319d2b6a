// The densities with which sources are met by rays of light, and by next-event estimation.
#pragma once

#include "renderer/shading/emission.h"
#include "renderer/shading/light_choice.h"

TL_DEVICE_BEGIN

/// Whether paths may meet the source by chance.
TL_D inline bool can_be_met(const SceneView& scene, std::uint32_t source) {
    if (source + 1 == scene.photon_sources.n) return true;
    const LightData& light = scene.lights[source];
    return is_emissive_surface(scene, light) || is_wide(light);
}

/// One over the density with which emit_light draws a ray of the source that travels in unit
/// `direction`, times the cosine at its surface: of power and radiance, m^2 sr; of a point sr, of a
/// direction m^2. Infinite where it draws none.
TL_D inline float source_spread(const SceneView& scene, const Box& around, std::uint32_t source,
                                vec3 direction) {
    const PhotonSources& sources = scene.photon_sources;
    if (sources.n == 0) return kInfinity;
    float one = source + 1 == sources.n ? 4 * kPi * projected_area(around, direction)
                                        : emission_spread(scene.lights[source], around, direction);
    return one / sources.table[source].probability;
}

/// light_density as weights take it: that of a patch as if it were even over its area and met head
/// on. Any function of a path does for its weight, as long as all techniques use the same.
TL_D inline float weighed_density(const LightData& light, vec3 p, vec3 direction, float distance) {
    if (light.kind == LightKind::patch) return distance * distance / light.area;
    return light_density(light, p, direction, distance);
}

/// The density with which next-event estimation at `p` of a surface with unit `normal` draws the
/// source at `distance` in unit `direction`: 1/sr, of a point 1/m^2 times the square of the
/// distance, of a direction 1. Times the spread it is the quotient of both densities, but for the
/// cosine at `p`.
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

/// The number of the source that rays meet which leave the scene.
TL_D inline std::uint32_t surrounding_source(const SceneView& scene) {
    if (scene.environment)
        for (std::uint32_t i = 0; i < scene.search.n_far; ++i) {
            std::uint32_t light = scene.search.far_lights[i];
            if (scene.lights[light].kind == LightKind::environment) return light;
        }
    return scene.photon_sources.n - 1;
}

TL_DEVICE_END
