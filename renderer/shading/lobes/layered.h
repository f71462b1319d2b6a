// The metallic-roughness surface of glTF 2.0 (appendix B of its specification; extensions
// KHR_materials_ior, _transmission and _clearcoat): a rough dielectric over a diffuse base or a
// thin transparent sheet, mixed with a rough metal, all under a clear coat. Directions are unit,
// point away from the surface and are in its frame, whose normal is z; the viewer is above.
//
// The specification leaves open what lies below a reflecting layer. Here the base gets the light
// that the layer's albedo leaves, both ways, divided by what it leaves on average (Kelemen &
// Szirmay-Kalos 2001, "A microfacet based coupled specular-matte BRDF model with importance
// sampling"), so that a white base loses no energy; what lies below the coat is weakened by the
// coat's albedo once for each direction.
#pragma once

#include "renderer/shading/lobes/conductor.h"
#include "renderer/shading/lobes/lambert.h"

namespace tl {

struct LayeredLobe {
    vec3 base;           ///< colour: albedo of the diffuse base, reflectance of the metal
    float metallic;      ///< share of the metal
    GgxNormals normals;  ///< of metal and dielectric
    vec3 reflectance;    ///< of the dielectric at normal incidence
    float transmission;  ///< share of the sheet in what is not metal; the rest is diffuse
    float coat;          ///< share of the surface that is coated
    GgxNormals coat_normals;
    const GgxTables* tables;

    /// Reflectance of the coat at normal incidence: that of index 1.5.
    static constexpr float kCoatReflectance = 0.04f;

    /// The BSDF, 1/sr; `o`: to the viewer, `i`: to the light, on either side. Without the lobes of
    /// an alpha below `least_alpha`, if that is above 0, and without the sheet.
    [[nodiscard]] TL_HD vec3 eval(vec3 o, vec3 i, float least_alpha = 0) const {
        if (!(o.z > 0) || i.z == 0) return vec3(0);
        float under_coat = below_coat(o.z) * below_coat(fabsf(i.z));
        if (i.z < 0)
            return least_alpha > 0
                       ? vec3(0)
                       : under_coat * (1 - metallic) * transmission * (base * through(o, i));
        vec3 sum = normals.alpha >= least_alpha ? reflection().eval(o, i) : vec3(0);
        float diffuse = (1 - metallic) * (1 - transmission);
        if (diffuse > 0)
            sum +=
                diffuse * base *
                (below_dielectric(o.z) * below_dielectric(i.z) / (kPi * mean_below_dielectric()));
        sum *= under_coat;
        if (coat > 0 && coat_normals.alpha >= least_alpha) sum += coat * coating().eval(o, i);
        return sum;
    }
    /// Whether there are lobes of at least that alpha, the base's included; and whether there are
    /// others.
    [[nodiscard]] TL_HD bool has_broad(float alpha) const {
        return (metallic < 1 && transmission < 1) || normals.alpha >= alpha ||
               (coat > 0 && coat_normals.alpha >= alpha);
    }
    [[nodiscard]] TL_HD bool has_sharp(float alpha) const {
        return normals.alpha < alpha || (coat > 0 && coat_normals.alpha < alpha) ||
               (metallic < 1 && transmission > 0);
    }
    /// The density with which `sample` draws `i`, 1/sr.
    [[nodiscard]] TL_HD float pdf(vec3 o, vec3 i) const {
        if (!(o.z > 0) || i.z == 0) return 0;
        Shares s = shares(o.z);
        if (i.z < 0) return s.through * sheet().pdf(o, flipped(i));
        float density = s.diffuse * LambertLobe::pdf(i.z) + s.reflected * reflection().pdf(o, i);
        if (s.coat > 0) density += s.coat * coating().pdf(o, i);
        return density;
    }
    /// A direction, which may lie on the side where no light comes from: eval is 0 there for what
    /// was drawn. `choice` in [0, 1).
    [[nodiscard]] TL_HD vec3 sample(vec3 o, float choice, vec2 r) const {
        Shares s = shares(o.z);
        if (choice < s.diffuse) return cosine_direction(vec3(0, 0, 1), r);
        choice -= s.diffuse;
        if (choice < s.reflected) return above(reflection().sample(o, choice / s.reflected, r));
        choice -= s.reflected;
        if (choice < s.coat) return above(coating().sample(o, choice / s.coat, r));
        choice -= s.coat;
        if (!(s.through > 0)) return vec3(0);
        return flipped(above(sheet().sample(o, minimum(choice / s.through, 1 - 0x1p-24f), r)));
    }

  private:
    TL_HD static vec3 flipped(vec3 v) { return {v.x, v.y, -v.z}; }
    /// 0 for what was drawn below the surface, so that it is not taken for light from there.
    TL_HD static vec3 above(vec3 v) { return v.z > 0 ? v : vec3(0); }

    [[nodiscard]] TL_HD ConductorLobe reflection() const {
        vec3 specular = (1 - metallic) * reflectance + metallic * base;
        return {specular, normals, &tables->conductor};
    }
    [[nodiscard]] TL_HD ConductorLobe coating() const {
        return {vec3(kCoatReflectance), coat_normals, &tables->conductor};
    }
    /// All that the sheet's microfacets turn by reflection or, mirrored, let through.
    [[nodiscard]] TL_HD ConductorLobe sheet() const {
        return {vec3(1), normals, &tables->conductor};
    }
    /// What the microfacets of a clear thin sheet let through, 1/sr: both of its faces are one
    /// layer of microfacets, which spreads light as reflection does and does not bend it.
    [[nodiscard]] TL_HD vec3 through(vec3 o, vec3 i) const {
        return sheet().eval(o, flipped(i)) -
               ConductorLobe{reflectance, normals, &tables->conductor}.eval(o, flipped(i));
    }
    /// Of the colour that is reflected most: what lies below is weakened alike in all colours.
    [[nodiscard]] TL_HD float most_reflectance() const {
        return maximum(reflectance.x, maximum(reflectance.y, reflectance.z));
    }
    [[nodiscard]] TL_HD float roughness() const { return sqrtf(normals.alpha); }
    [[nodiscard]] TL_HD float below_coat(float cosine) const {
        return coat > 0 ? 1 - coat * tables->reflected(kCoatReflectance, sqrtf(coat_normals.alpha),
                                                       cosine)
                        : 1.0f;
    }
    [[nodiscard]] TL_HD float below_dielectric(float cosine) const {
        return 1 - tables->reflected(most_reflectance(), roughness(), cosine);
    }
    [[nodiscard]] TL_HD float mean_below_dielectric() const {
        return maximum(1 - tables->mean_reflected(most_reflectance(), roughness()), 1e-6f);
    }

    /// The probabilities of the parts: their albedos, about, divided by the sum.
    struct Shares {
        float diffuse, reflected, coat, through;
    };
    [[nodiscard]] TL_HD Shares shares(float cosine) const {
        float color = (base.x + base.y + base.z) / 3;
        float under_coat = below_coat(cosine), rest = below_dielectric(cosine) * (1 - metallic);
        float specular = (1 - metallic) * most_reflectance() + metallic * color;
        Shares s;
        s.coat = 1 - under_coat;
        s.reflected = under_coat * tables->reflected(specular, roughness(), cosine);
        s.diffuse = under_coat * rest * (1 - transmission) * color;
        s.through = under_coat * rest * transmission * color;
        float sum = s.coat + s.reflected + s.diffuse + s.through;
        float scale = sum > 0 ? 1 / sum : 0.0f;
        return {s.diffuse * scale, s.reflected * scale, s.coat * scale, s.through * scale};
    }
};

}  // namespace tl
