// A rough interface between two dielectrics: GGX microfacets that reflect and refract by Fresnel's
// equations (Walter et al. 2007), and a diffuse lobe on each side for light that meets several of
// them (ggx_tables.h). Directions are unit, point away from the surface and are in its frame, whose
// normal is z; the viewer is above.
//
// Radiance changes by eta^2 on its way through. Of the light that meets several microfacets a part
// stays on each side, so chosen that the BSDF divided by that factor is the same both ways.
#pragma once

#include "renderer/optics/fresnel.h"
#include "renderer/optics/ggx.h"
#include "renderer/optics/ggx_tables.h"
#include "renderer/shading/lobes/lobe_value.h"

namespace tl {

struct RoughDielectricLobe {
    vec3 specular, transmission;  ///< tints of reflected and refracted light
    GgxNormals normals;
    float eta;  ///< index of refraction on the viewer's side, divided by that beyond
    const GgxTables* tables;

    /// The BSDF, 1/sr, and the density with which `sample` draws `i`; `o`: to the viewer, `i`: to
    /// the light, on either side.
    [[nodiscard]] TL_HD LobeValue value(vec3 o, vec3 i) const {
        if (!(o.z > 0) || i.z == 0) return {};
        Facet f = facet(o, i);
        Several s = several(o);
        float density = 0, both = 0, visible = 0;
        if (f.faces) {
            density = normals.density(f.m);
            both = density * normals.visible_both(o, i);
            visible = normals.visible(o) * f.o_m * density / o.z;
        }
        if (i.z > 0) {
            float once = f.reflectance * both / (4 * o.z * i.z);
            float many = s.stays * s.lost * lost_here(i.z) / (kPi * s.mean_here);
            float drawn = f.faces ? f.reflectance * visible / (4 * f.o_m) : 0.0f;
            return {specular * (once + many), (1 - s.lost) * drawn + s.lost * s.stays * i.z / kPi};
        }
        float turn = f.faces ? fabsf(f.i_m) / squared(eta * f.o_m + f.i_m) : 0.0f;
        float once = (1 - f.reflectance) * both * fabsf(f.o_m / (o.z * i.z)) * turn * (eta * eta);
        float many = (1 - s.stays) * s.lost * lost_beyond(-i.z) / (kPi * s.mean_beyond);
        return {transmission * (once + eta * eta * many),
                (1 - s.lost) * (1 - f.reflectance) * visible * turn -
                    s.lost * (1 - s.stays) * i.z / kPi};
    }
    /// Each alone.
    [[nodiscard]] TL_HD vec3 eval(vec3 o, vec3 i) const { return value(o, i).bsdf; }
    [[nodiscard]] TL_HD float pdf(vec3 o, vec3 i) const { return value(o, i).pdf; }
    /// A direction; `choice` in [0, 1). It may lie on the side where no light comes from: eval is 0
    /// there for what was drawn.
    [[nodiscard]] TL_HD vec3 sample(vec3 o, float choice, vec2 r) const {
        Several s = several(o);
        if (choice >= 1 - s.lost) {
            bool stays = choice - (1 - s.lost) < s.lost * s.stays;
            return cosine_direction(vec3(0, 0, stays ? 1 : -1), r);
        }
        vec3 m = normals.sample_visible(o, r), refracted;
        float cos_t;
        float share = choice / (1 - s.lost);
        if (refract_direction(-o, m, eta, refracted, cos_t) &&
            share >= fresnel_dielectric(fused_dot(o, m), cos_t, eta))
            return refracted.z < 0 ? refracted : vec3(0);
        vec3 reflected = -reflect_direction(o, m);
        return reflected.z > 0 ? reflected : vec3(0);
    }

  private:
    TL_HD static float squared(float x) { return x * x; }
    [[nodiscard]] TL_HD float roughness() const { return sqrtf(normals.alpha); }

    /// The microfacet that turns light from `i` to `o`.
    struct Facet {
        vec3 m;
        float o_m, i_m;  ///< cosines to it
        float reflectance;
        bool faces;  ///< both directions see the side that they need to
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

    /// What light from the viewer's direction does that meets several microfacets.
    struct Several {
        float lost;                    ///< its share of all
        float mean_here, mean_beyond;  ///< of such shares over all directions of a side
        float stays;                   ///< the part that leaves on the viewer's side
    };
    [[nodiscard]] TL_HD Several several(vec3 o) const {
        constexpr float kLeast = 1e-6f;
        Several s{};
        s.lost = lost_here(o.z);
        s.mean_here = maximum(1 - tables->dielectric_mean(eta, roughness()), kLeast);
        s.mean_beyond = maximum(1 - tables->dielectric_mean(1 / eta, roughness()), kLeast);
        // Energies in equilibrium: the denser side holds more of it.
        float here = s.mean_here * eta * eta;
        s.stays = here / (here + s.mean_beyond);
        return s;
    }
    [[nodiscard]] TL_HD float lost_here(float cosine) const {
        return 1 - tables->dielectric_albedo(eta, roughness(), cosine);
    }
    [[nodiscard]] TL_HD float lost_beyond(float cosine) const {
        return 1 - tables->dielectric_albedo(1 / eta, roughness(), cosine);
    }
};

}  // namespace tl
