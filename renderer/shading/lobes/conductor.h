// A rough conductor: GGX microfacets with Schlick's approximation, and a diffuse lobe for multiple
// scattering between them (ggx_tables.h). Directions are unit, point away from the surface and are
// in its frame, whose normal is z.
#pragma once

#include "renderer/optics/fresnel.h"
#include "renderer/optics/ggx.h"
#include "renderer/optics/ggx_tables.h"
#include "renderer/shading/lobes/lobe_value.h"

namespace tl {

struct ConductorLobe {
    vec3 specular;  ///< reflectance at normal incidence
    GgxNormals normals;
    const AlbedoTable<32, 32>* table;

    /// The BRDF, 1/sr, and the density of `sample` for `i`; `o`: to the viewer, `i`: to the light.
    [[nodiscard]] TL_HD LobeValue value(vec3 o, vec3 i) const {
        return value(o, i, kept(specular));
    }
    /// The BRDF and density of a mix of conductors, whose mean reflectance at normal incidence is
    /// `specular`. `kept`: fraction of multiply scattered light that is not absorbed.
    [[nodiscard]] TL_HD LobeValue value(vec3 o, vec3 i, vec3 kept) const {
        if (!(o.z > 0 && i.z > 0)) return {};
        vec3 m = glm::normalize(o + i);
        float density = normals.density(m), once = table->at(roughness(), o.z);
        float facets = density * normals.visible_both(o, i) / (4 * o.z * i.z);
        return {schlick(glm::dot(o, m)) * facets + kept * several(once, i),
                once * (normals.visible(o) * density / (4 * o.z)) + (1 - once) * i.z / kPi};
    }
    /// Fraction of light that is not absorbed by multiple scattering between microfacets of
    /// reflectance `specular` at normal incidence.
    [[nodiscard]] TL_HD vec3 kept(vec3 specular) const {
        return kept_by_several(specular, table->mean(roughness()));
    }
    /// The BRDF alone; pdf(): the density alone.
    [[nodiscard]] TL_HD vec3 eval(vec3 o, vec3 i) const { return value(o, i).bsdf; }
    [[nodiscard]] TL_HD float pdf(vec3 o, vec3 i) const { return value(o, i).pdf; }
    /// Albedo for a direction of that cosine: radiance under uniform unit illumination.
    [[nodiscard]] TL_HD vec3 albedo(const GgxTables& tables, float cosine) const {
        float rough = roughness();
        return {tables.reflected(specular.x, rough, cosine),
                tables.reflected(specular.y, rough, cosine),
                tables.reflected(specular.z, rough, cosine)};
    }
    /// Samples a direction, which may lie below the surface; `choice` in [0, 1).
    [[nodiscard]] TL_HD vec3 sample(vec3 o, float choice, vec2 r) const {
        if (choice >= table->at(roughness(), o.z)) return cosine_direction(vec3(0, 0, 1), r);
        return -reflect_direction(o, normals.sample_visible(o, r));
    }

  private:
    [[nodiscard]] TL_HD float roughness() const { return sqrtf(normals.alpha); }
    [[nodiscard]] TL_HD vec3 schlick(float cosine) const {
        float c = 1 - minimum(cosine, 1.0f);
        return specular + (c * c) * (c * c) * c * (vec3(1) - specular);
    }
    /// BRDF of multiple scattering between microfacets that absorb nothing. `once`: fraction of
    /// light towards the viewer that is scattered only once.
    [[nodiscard]] TL_HD float several(float once, vec3 i) const {
        float lost = 1 - table->mean(roughness());
        if (!(lost > 0)) return 0;
        float lost_i = 1 - table->at(roughness(), i.z);
        return (1 - once) * lost_i / (kPi * lost);
    }
};

}  // namespace tl
