// The metallic-roughness surface of glTF 2.0 (appendix B of its specification; extensions
// KHR_materials_ior, _transmission and _clearcoat). It is a rough dielectric over a diffuse base or
// a thin transparent sheet, mixed with a rough metal, all under a clear coat. Directions are unit,
// point away from the surface and are in its frame, whose normal is z; the viewer is above.
//
// The specification does not define how much light passes a reflecting layer. Here the BSDF of the
// base is scaled by the transmittance of the layer, 1 - albedo, in both directions. It is divided
// by the mean transmittance, so that a white base loses no energy. (Kelemen & Szirmay-Kalos 2001,
// "A microfacet based coupled specular-matte BRDF model with importance sampling".) The layers
// below the coat are scaled in the same way. Light that the coat reflects back to them is spread
// over all directions by rough layers, but keeps close to the two directions if they are smooth.
// Smooth layers therefore use the coat's albedo in the two directions instead of its mean, so that
// white metals lose no energy either.
#pragma once

#include "renderer/shading/lobes/conductor.h"
#include "renderer/shading/lobes/lambert.h"

namespace tl {

struct LayeredLobe {
    vec3 base;           ///< colour: albedo of the diffuse base, reflectance of the metal
    float metallic;      ///< fraction of metal
    GgxNormals normals;  ///< microfacets of metal and dielectric
    vec3 reflectance;    ///< reflectance of the dielectric at normal incidence
    float transmission;  ///< fraction of the dielectric base that is sheet; the rest is diffuse
    float coat;          ///< fraction of the surface that is coated
    GgxNormals coat_normals;
    const GgxTables* tables;

    /// Reflectance of the coat at normal incidence: that of index 1.5.
    static constexpr float kCoatReflectance = 0.04f;

    /// The BSDF, 1/sr, and the density of `sample` for `i`; `o`: to the viewer, `i`: to the light,
    /// on either side. If `least_alpha` is above 0, the BSDF leaves out the lobes of a smaller
    /// alpha and the transmission through the sheet.
    [[nodiscard]] TL_HD LobeValue value(vec3 o, vec3 i, float least_alpha = 0) const {
        if (!(o.z > 0) || i.z == 0) return {};
        float under_coat_o = below_coat(o.z), below_o = below_dielectric(o.z);
        Shares s = shares(o.z, under_coat_o, below_o);
        float under_coat = 1, under_coat_diffuse = 1;
        if (coat > 0) {
            float under_coat_i = below_coat(fabsf(i.z));
            under_coat = through_coat(under_coat_o, under_coat_i, several_share());
            under_coat_diffuse = through_coat(under_coat_o, under_coat_i, 1);
        }
        if (i.z < 0) {
            LobeValue all = sheet().value(o, flipped(i));
            float passes = least_alpha > 0 ? 0.0f : under_coat * (1 - metallic) * transmission;
            vec3 through = all.bsdf - dielectric_sheet().eval(o, flipped(i));
            return {passes * (base * through), s.through * all.pdf};
        }
        LobeValue reflected = reflection_value(o, i);
        vec3 sum = normals.alpha >= least_alpha ? under_coat * reflected.bsdf : vec3(0);
        float diffuse = under_coat_diffuse * (1 - metallic) * (1 - transmission);
        if (diffuse > 0)
            sum += diffuse * base *
                   (below_o * below_dielectric(i.z) / (kPi * mean_below_dielectric()));
        float density = s.diffuse * LambertLobe::pdf(i.z) + s.reflected * reflected.pdf;
        if (coat > 0) {
            LobeValue coated = coating().value(o, i);
            if (coat_normals.alpha >= least_alpha) sum += coat * coated.bsdf;
            density += s.coat * coated.pdf;
        }
        return {sum, density};
    }
    /// The BSDF alone; pdf(): the density alone.
    [[nodiscard]] TL_HD vec3 eval(vec3 o, vec3 i, float least_alpha = 0) const {
        return value(o, i, least_alpha).bsdf;
    }
    [[nodiscard]] TL_HD float pdf(vec3 o, vec3 i) const { return value(o, i).pdf; }
    /// Radiance towards a direction of that cosine under uniform unit radiance, without the lobes
    /// of an alpha below `least_alpha` and without transmission through the sheet.
    [[nodiscard]] TL_HD vec3 wide_lobe_albedo(float cosine, float least_alpha) const {
        vec3 sum = (1 - metallic) * (1 - transmission) * below_dielectric(cosine) * base;
        if (normals.alpha >= least_alpha)
            sum += (1 - metallic) * dielectric_sheet().albedo(*tables, cosine) +
                   metallic * metal().albedo(*tables, cosine);
        if (!(coat > 0)) return sum;
        sum *= below_coat(cosine);
        if (coat_normals.alpha >= least_alpha) sum += coat * coating().albedo(*tables, cosine);
        return sum;
    }
    /// Whether there are lobes of at least that alpha, the base's included. has_narrow(): whether
    /// there are others.
    [[nodiscard]] TL_HD bool has_wide(float alpha) const {
        return (metallic < 1 && transmission < 1) || normals.alpha >= alpha ||
               (coat > 0 && coat_normals.alpha >= alpha);
    }
    [[nodiscard]] TL_HD bool has_narrow(float alpha) const {
        return normals.alpha < alpha || (coat > 0 && coat_normals.alpha < alpha) ||
               (metallic < 1 && transmission > 0);
    }
    /// Samples a direction; `choice` in [0, 1). It may lie on a side from which no light is
    /// scattered, where eval is 0.
    [[nodiscard]] TL_HD vec3 sample(vec3 o, float choice, vec2 r) const {
        Shares s = shares(o.z, below_coat(o.z), below_dielectric(o.z));
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
    /// The direction, or 0 if it was drawn below the surface, so that it is not taken for
    /// transmission.
    TL_HD static vec3 above(vec3 v) { return v.z > 0 ? v : vec3(0); }

    [[nodiscard]] TL_HD ConductorLobe reflection() const {
        vec3 specular = (1 - metallic) * reflectance + metallic * base;
        return {specular, normals, &tables->conductor};
    }
    /// The mix of dielectric and metal, which have the same microfacets. Single scattering is
    /// linear in the reflectance, so that their mean serves; multiple scattering is not, so that
    /// its fractions are mixed.
    [[nodiscard]] TL_HD LobeValue reflection_value(vec3 o, vec3 i) const {
        ConductorLobe mix = reflection();
        return mix.value(o, i, (1 - metallic) * mix.kept(reflectance) + metallic * mix.kept(base));
    }
    [[nodiscard]] TL_HD ConductorLobe metal() const { return {base, normals, &tables->conductor}; }
    [[nodiscard]] TL_HD ConductorLobe coating() const {
        return {vec3(kCoatReflectance), coat_normals, &tables->conductor};
    }
    /// All light that the sheet's microfacets reflect, or transmit as a mirrored reflection.
    [[nodiscard]] TL_HD ConductorLobe sheet() const {
        return {vec3(1), normals, &tables->conductor};
    }
    /// The part that the sheet's microfacets reflect; a clear thin sheet transmits the rest. Both
    /// of its faces count as one layer of microfacets, which spreads transmitted light as it does
    /// reflected light and does not bend it.
    [[nodiscard]] TL_HD ConductorLobe dielectric_sheet() const {
        return {reflectance, normals, &tables->conductor};
    }
    /// Reflectance of the brightest channel, which attenuates all channels of the layers below
    /// alike.
    [[nodiscard]] TL_HD float most_reflectance() const {
        return maximum(reflectance.x, maximum(reflectance.y, reflectance.z));
    }
    [[nodiscard]] TL_HD float roughness() const { return sqrtf(normals.alpha); }
    [[nodiscard]] TL_HD float below_coat(float cosine) const {
        return coat > 0 ? 1 - coat * tables->reflected(kCoatReflectance, sqrtf(coat_normals.alpha),
                                                       cosine)
                        : 1.0f;
    }
    /// Factor by which the coat scales the BSDF of the layers below it, for two directions in which
    /// it transmits the fractions `one` and `other`. Light is also reflected back and forth below
    /// the coat; `mean`, in [0, 1], is the fraction of it that is spread over all directions.
    [[nodiscard]] TL_HD float through_coat(float one, float other, float mean) const {
        float spread = coat * tables->mean_reflected(kCoatReflectance, sqrtf(coat_normals.alpha));
        float back = sqrtf((1 - one) * (1 - other));
        return one * other / maximum(1 - (back + mean * (spread - back)), 1e-6f);
    }
    /// The argument `mean` of through_coat() for the reflecting lobe: roughness^1.5. With it, white
    /// metals of all roughnesses below all coats conserve energy to 3 % at grazing angles, and
    /// better elsewhere.
    [[nodiscard]] TL_HD float several_share() const {
        float rough = roughness();
        return rough * sqrtf(rough);
    }
    [[nodiscard]] TL_HD float below_dielectric(float cosine) const {
        return 1 - tables->reflected(most_reflectance(), roughness(), cosine);
    }
    [[nodiscard]] TL_HD float mean_below_dielectric() const {
        return maximum(1 - tables->mean_reflected(most_reflectance(), roughness()), 1e-6f);
    }

    /// Probabilities of sampling the lobes: their approximate albedos, divided by the sum.
    /// `under_coat` and `below` are below_coat and below_dielectric of the cosine.
    struct Shares {
        float diffuse, reflected, coat, through;
    };
    [[nodiscard]] TL_HD Shares shares(float cosine, float under_coat, float below) const {
        float color = (base.x + base.y + base.z) / 3, rest = below * (1 - metallic);
        Shares s;
        s.coat = 1 - under_coat;
        s.reflected = under_coat * ((1 - metallic) * (1 - below) +
                                    metallic * tables->reflected(color, roughness(), cosine));
        s.diffuse = under_coat * rest * (1 - transmission) * color;
        s.through = under_coat * rest * transmission * color;
        float sum = s.coat + s.reflected + s.diffuse + s.through;
        float scale = sum > 0 ? 1 / sum : 0.0f;
        return {s.diffuse * scale, s.reflected * scale, s.coat * scale, s.through * scale};
    }
};

}  // namespace tl
