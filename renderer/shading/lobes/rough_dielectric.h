// A rough interface between two dielectrics: GGX microfacets that reflect and refract by Fresnel's
// equations (Walter et al. 2007), and a diffuse lobe on each side for multiple scattering between
// them (ggx_tables.h). Directions are unit, point away from the surface and are in its frame, whose
// normal is z; the viewer is above.
//
// Radiance changes by eta^2 when it crosses; the BSDF divided by that factor is reciprocal. So
// are both diffuse lobes: each is a product of one factor per direction.
#pragma once

#include "renderer/optics/fresnel.h"
#include "renderer/optics/ggx.h"
#include "renderer/optics/ggx_tables.h"
#include "renderer/shading/lobes/lobe_value.h"
#include "renderer/shading/lobes/skewed.h"

namespace tl {

struct RoughDielectricLobe {
    vec3 specular, transmission;  ///< tints of reflected and refracted light
    GgxNormals normals;
    float eta;  ///< index of refraction on the viewer's side, divided by that beyond
    const GgxTables* tables;

    /// The BSDF, 1/sr, and the density of `sample` for `i`; `o`: to the viewer, `i`: to the light,
    /// on either side.
    [[nodiscard]] TL_HD LobeValue value(vec3 o, vec3 i) const { return value_of<false>(o, i); }
    /// The BSDF, and the density of `sample_both` for `i` on its side, which integrates to at most
    /// 1 over each hemisphere.
    [[nodiscard]] TL_HD LobeValue value_of_both(vec3 o, vec3 i) const {
        return value_of<true>(o, i);
    }
    /// The BSDF alone; pdf(): the density alone.
    [[nodiscard]] TL_HD vec3 eval(vec3 o, vec3 i) const { return value(o, i).bsdf; }
    [[nodiscard]] TL_HD float pdf(vec3 o, vec3 i) const { return value(o, i).pdf; }
    /// Samples a direction; `choice` in [0, 1). It may lie on a side from which no light is
    /// scattered, where eval is 0.
    [[nodiscard]] TL_HD vec3 sample(vec3 o, float choice, vec2 r) const {
        Several many(*this);
        vec2 shares = many.shares(o.z);
        float once = 1 - shares.x - shares.y;
        if (choice >= once) {
            if (choice - once < shares.x) return many.staying().sample(o, r);
            return flipped(many.crossing().sample(o, r));
        }
        vec3 m = normals.sample_visible(o, r), refracted;
        float cos_t;
        float share = choice / once;
        if (refract_direction(-o, m, eta, refracted, cos_t) &&
            share >= fresnel_dielectric(fused_dot(o, m), cos_t, eta))
            return refracted.z < 0 ? refracted : vec3(0);
        vec3 reflected = -reflect_direction(o, m);
        return reflected.z > 0 ? reflected : vec3(0);
    }
    /// Samples a direction on each side, both from the same microfacet or both from the diffuse
    /// lobes; 0 where none is drawn on its side.
    TL_HD void sample_both(vec3 o, float choice, vec2 r, vec3& reflected, vec3& refracted) const {
        Several many(*this);
        vec2 shares = many.shares(o.z);
        if (choice >= 1 - shares.x - shares.y) {
            reflected = many.staying().sample(o, r);
            refracted = flipped(many.crossing().sample(o, r));
            return;
        }
        vec3 m = normals.sample_visible(o, r);
        float cos_t;
        reflected = -reflect_direction(o, m);
        if (!(reflected.z > 0)) reflected = vec3(0);
        if (!refract_direction(-o, m, eta, refracted, cos_t) || !(refracted.z < 0))
            refracted = vec3(0);
    }

  private:
    TL_HD static float squared(float x) { return x * x; }
    TL_HD static vec3 flipped(vec3 v) { return {v.x, v.y, -v.z}; }

    /// value() or, with kBoth, value_of_both().
    template <bool kBoth>
    [[nodiscard]] TL_HD LobeValue value_of(vec3 o, vec3 i) const {
        if (!(o.z > 0) || i.z == 0) return {};
        Facet f = facet(o, i);
        Several many(*this);
        vec2 from_o = many.shares(o.z);
        float once = 1 - from_o.x - from_o.y;
        float density = 0, visible = 0;
        if (f.faces) {
            density = normals.density(f.m);
            visible = normals.visible(o) * f.o_m * density / o.z;
        }
        if (i.z > 0) {
            float beside_even = many.staying().beside_even(o, i) / kPi;
            float facets =
                f.faces ? f.reflectance * density * normals.visible_both(o, i) / (4 * o.z * i.z)
                        : 0.0f;
            float drawn = f.faces ? (kBoth ? 1.0f : f.reflectance) * visible / (4 * f.o_m) : 0.0f;
            float broad = from_o.x * many.shares(i.z).x / many.mean_stays * beside_even;
            float drawn_broad = kBoth ? 1 - once : from_o.x;
            return {specular * (facets + broad), once * drawn + drawn_broad * i.z * beside_even};
        }
        float beside_even = many.crossing().beside_even(o, i) / kPi;
        float turn = f.faces ? fabsf(f.i_m) / squared(eta * f.o_m + f.i_m) : 0.0f;
        float facets = f.faces ? (1 - f.reflectance) * density * normals.visible_through(o, i) *
                                     fabsf(f.o_m / (o.z * i.z)) * turn
                               : 0.0f;
        float broad = from_o.y * many.crossing_beyond(-i.z) * beside_even;
        float drawn = (kBoth ? 1.0f : 1 - f.reflectance) * visible * turn;
        float drawn_broad = kBoth ? 1 - once : from_o.y;
        return {transmission * (eta * eta * (facets + broad)),
                once * drawn - drawn_broad * i.z * beside_even};
    }

    /// The microfacet that reflects or refracts light from `i` to `o`.
    struct Facet {
        vec3 m;
        float o_m, i_m;  ///< cosines between the directions and its normal
        float reflectance;
        bool faces;  ///< whether it faces both directions as it needs to
    };
    [[nodiscard]] TL_HD Facet facet(vec3 o, vec3 i) const {
        Facet f{};
        vec3 sum = i.z > 0 ? o + i : eta * o + i;
        float length2 = glm::dot(sum, sum);
        if (!(length2 > 0)) return f;
        f.m = sum * ((sum.z < 0 ? -1 : 1) / sqrtf(length2));
        f.o_m = glm::dot(o, f.m);
        f.i_m = glm::dot(i, f.m);
        f.faces = f.o_m > 0 && (i.z > 0 ? f.i_m > 0 : f.i_m < 0);
        float sin2_t = eta * eta * maximum(0.0f, 1 - f.o_m * f.o_m);
        f.reflectance = sin2_t >= 1 ? 1.0f : fresnel_dielectric(f.o_m, sqrtf(1 - sin2_t), eta);
        return f;
    }

    /// Multiple scattering between microfacets.
    struct Several {
        const RoughDielectricLobe& lobe;
        float roughness;
        /// Correction of the crossing fraction on the viewer's side. The tables of both sides are
        /// reciprocal only up to rounding and interpolation; their geometric mean is used.
        float crossing_here;
        float of_product;  ///< factor of the product of two directions' fractions
        float mean_stays;  ///< mean over the directions of the viewer's side

        TL_HD explicit Several(const RoughDielectricLobe& of)
            : lobe(of), roughness(sqrtf(of.normals.alpha)) {
            constexpr float kLeast = 1e-6f;
            vec2 here = of.tables->mean_several_facets(of.eta, roughness);
            float beyond = of.tables->mean_several_facets(1 / of.eta, roughness).y + kLeast;
            here.y += kLeast;
            of_product = 1 / (of.eta * sqrtf(here.y * beyond));
            crossing_here = beyond * of_product;
            mean_stays = maximum(here.x + here.y * (1 - crossing_here), kLeast);
        }
        /// Fractions that stay and cross of light at that cosine on the viewer's side.
        [[nodiscard]] TL_HD vec2 shares(float cosine) const {
            vec2 found = lobe.tables->several_facets(lobe.eta, roughness, cosine);
            float crosses = found.y * crossing_here;
            return {maximum(found.x + found.y - crosses, 0.0f), crosses};
        }
        /// Crossing fraction of light at that cosine on the far side. Its product with the crossing
        /// fraction of the viewer's direction is the lobe.
        [[nodiscard]] TL_HD float crossing_beyond(float cosine) const {
            return lobe.tables->several_facets(1 / lobe.eta, roughness, cosine).y * of_product /
                   crossing_here;
        }
        [[nodiscard]] TL_HD SkewedLobe staying() const {
            return {lobe.tables->stays_skew(lobe.eta, roughness)};
        }
        [[nodiscard]] TL_HD SkewedLobe crossing() const {
            return {lobe.tables->crosses_skew(lobe.eta, roughness)};
        }
    };
};

}  // namespace tl
