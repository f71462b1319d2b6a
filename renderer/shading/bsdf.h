// BSDFs of materials at a shading point, for renderers that sample them. Mirrors and dielectrics of
// roughness 0 are delta distributions, handled by for_each_bounce in path.h.
#pragma once

#include "renderer/shading/lobes/conductor.h"
#include "renderer/shading/lobes/lambert.h"
#include "renderer/shading/lobes/layered.h"
#include "renderer/shading/lobes/phong.h"
#include "renderer/shading/lobes/rough_dielectric.h"
#include "renderer/shading/surface.h"

TL_DEVICE_BEGIN

/// A BSDF evaluated for one direction of incidence, with its pdf.
struct BsdfValue {
    vec3 fraction;  ///< BSDF * cosine, 1/sr
    float pdf;      ///< density of Bsdf::sample for the direction, 1/sr
};

/// A direction drawn by Bsdf::sample.
struct BsdfSample {
    vec3 direction;  ///< unit, of the path's next segment
    vec3 weight;     ///< BSDF * cosine / pdf
    float pdf;       ///< 1/sr
};

/// Limits of wide lobes: GGX's alpha is at least kWideAlpha, or Phong's exponent at most
/// kWideExponent. Density estimation from stored photons suffices for light reflected by wide
/// lobes; other lobes are narrow.
inline constexpr float kWideAlpha = 0.25f, kWideExponent = 10;

/// The BSDF times the cosine of diffuse and Phong materials; 0 from below the surface.
TL_D inline vec3 reflected_fraction(const MaterialData& m, vec3 albedo, vec3 normal, vec3 to_viewer,
                                    vec3 to_light) {
    float cosine = fused_dot(normal, to_light);
    if (cosine <= 0) return vec3(0);
    vec3 value = LambertLobe{albedo}.eval();
    if (m.kind == MaterialKind::phong)
        value += PhongLobe{m.specular, m.exponent}.eval(normal, to_viewer, to_light, cosine);
    return value * cosine;
}

/// Surface layers at a shading point, textures applied.
struct LayersAtPoint {
    const LayersData* data = nullptr;   ///< null: it has none
    float metallic = 0, roughness = 0;  ///< textured
};

TL_HD inline LayersAtPoint layers_at(const SceneView& scene, const Surface& surface,
                                     float footprint) {
    if (!scene.ggx || surface.material->layers < 0) return {};
    const LayersData& d = scene.layers[surface.material->layers];
    LayersAtPoint at{&d, d.metallic, d.roughness};
    if (d.texture >= 0 && scene.textures) {
        vec4 texel = sample_texture(scene, d.texture, surface.uv, footprint);
        at.roughness *= texel.y;
        at.metallic *= texel.z;
    }
    return at;
}

/// The BSDF at a shading point. All directions are unit and point away from it; `to_viewer` lies on
/// the side of the normal.
struct Bsdf {
    const MaterialData* material;
    vec3 albedo;              ///< textured; of layers: base colour
    vec3 normal;              ///< unit
    float eta;                ///< dielectrics: index on the viewer's side, divided by that beyond
    const GgxTables* tables;  ///< null: the surface is Lambertian or Phong
    LayersAtPoint layers{};

    /// The BSDF, 1/sr, times the cosine of `to_light`.
    [[nodiscard]] TL_D vec3 eval(vec3 to_viewer, vec3 to_light) const {
        if (is_simple()) return reflected_fraction(*material, albedo, normal, to_viewer, to_light);
        NormalFrame frame(normal);
        vec3 i = frame.local(to_light);
        return rough_value(*this, frame.local(to_viewer), i) * fabsf(i.z);
    }
    /// Whether the surface has a wide lobe. has_narrow(): whether it has any other lobe.
    [[nodiscard]] TL_D bool has_wide() const {
        if (layers.data) return layered().has_wide(kWideAlpha);
        if (!is_simple())
            return material->kind == MaterialKind::mirror && material->alpha >= kWideAlpha;
        return albedo != vec3(0) || (has_phong() && material->exponent <= kWideExponent);
    }
    [[nodiscard]] TL_D bool has_narrow() const {
        if (layers.data) return layered().has_narrow(kWideAlpha);
        if (!is_simple())
            return material->kind != MaterialKind::mirror || material->alpha < kWideAlpha;
        return has_phong() && material->exponent > kWideExponent;
    }
    /// Whether the only wide lobe is Lambert's.
    [[nodiscard]] TL_D bool is_wide_lambert() const { return is_simple() && !has_wide_phong(); }
    /// The part of eval() that belongs to wide lobes.
    [[nodiscard]] TL_D vec3 eval_wide(vec3 to_viewer, vec3 to_light) const {
        if (!has_narrow()) return eval(to_viewer, to_light);
        if (layers.data) {
            NormalFrame frame(normal);
            vec3 i = frame.local(to_light);
            return wide_value(*this, frame.local(to_viewer), i) * fabsf(i.z);
        }
        return is_simple() ? LambertLobe{albedo}.eval() * maximum(fused_dot(normal, to_light), 0.0f)
                           : vec3(0);
    }
    /// Albedo of the wide lobes, towards the viewer. For Phong's lobe it is an estimate by `r` in
    /// [0, 1), whose mean is the albedo.
    [[nodiscard]] TL_D vec3 wide_lobe_albedo(vec3 to_viewer, vec2 r) const {
        float cosine = fused_dot(normal, to_viewer);
        if (layers.data) return layered().wide_lobe_albedo(cosine, kWideAlpha);
        if (!is_simple()) return has_wide() ? conductor().albedo(*tables, cosine) : vec3(0);
        if (!has_wide_phong()) return albedo;
        return albedo + phong().albedo_by(normal, phong().sample(normal, to_viewer, r));
    }
    /// Fraction, per colour channel, of the BSDF in a sampled direction that belongs to narrow
    /// lobes.
    [[nodiscard]] TL_D vec3 narrow_share(vec3 to_viewer, const BsdfSample& s) const {
        if (!has_narrow()) return vec3(0);
        if (!has_wide()) return vec3(1);
        vec3 all = s.weight * s.pdf, wide = eval_wide(to_viewer, s.direction);
        vec3 share(0);
        for (int c = 0; c < 3; ++c)
            if (all[c] > 0) share[c] = 1 - minimum(wide[c] / all[c], 1.0f);
        return share;
    }
    [[nodiscard]] TL_D bool has_wide_phong() const {
        return is_simple() && has_phong() && material->exponent <= kWideExponent;
    }
    /// Density of `sample` for `to_light`, 1/sr.
    [[nodiscard]] TL_D float pdf(vec3 to_viewer, vec3 to_light) const {
        if (is_simple()) return simple_pdf(to_viewer, to_light);
        NormalFrame frame(normal);
        return rough_density(*this, frame.local(to_viewer), frame.local(to_light));
    }
    /// eval() and pdf() together, at little more than the cost of one.
    [[nodiscard]] TL_D BsdfValue eval_with_pdf(vec3 to_viewer, vec3 to_light) const {
        if (is_simple())
            return {reflected_fraction(*material, albedo, normal, to_viewer, to_light),
                    simple_pdf(to_viewer, to_light)};
        NormalFrame frame(normal);
        vec3 i = frame.local(to_light);
        LobeValue value = rough_both(*this, frame.local(to_viewer), i);
        return {value.bsdf * fabsf(i.z), value.pdf};
    }
    /// Whether Lambert's lobe is the only one; sample() then ignores `choice`.
    [[nodiscard]] TL_D bool is_lambert() const {
        return is_simple() && material->kind != MaterialKind::phong;
    }
    /// Samples a direction, about in proportion to the BSDF, from numbers in [0, 1). False where
    /// the BSDF of the drawn direction is 0.
    [[nodiscard]] TL_D bool sample(vec3 to_viewer, float choice, vec2 r, BsdfSample& s) const {
        if (is_lambert()) {
            s.direction = LambertLobe::sample(normal, r);
            s.pdf = LambertLobe::pdf(fused_dot(normal, s.direction));
            s.weight = albedo;
            return s.pdf > 0 && albedo != vec3(0);
        }
        if (is_simple()) {
            s.direction = choice < glossy_share() ? phong().sample(normal, to_viewer, r)
                                                  : LambertLobe::sample(normal, r);
        } else {
            NormalFrame frame(normal);
            vec3 i = rough_direction(*this, frame.local(to_viewer), choice, r);
            if (i == vec3(0)) return false;
            s.direction = fused_unit(frame.world(i));
        }
        BsdfValue value = eval_with_pdf(to_viewer, s.direction);
        s.pdf = value.pdf;
        if (!(s.pdf > 0)) return false;
        s.weight = value.fraction / s.pdf;
        return s.weight != vec3(0);
    }

    /// The lobe of a Phong material; conductor(), dielectric(): of a rough mirror or dielectric
    /// without layers.
    [[nodiscard]] TL_D PhongLobe phong() const { return {material->specular, material->exponent}; }
    [[nodiscard]] TL_D ConductorLobe conductor() const {
        return {material->specular, {material->alpha}, &tables->conductor};
    }
    [[nodiscard]] TL_D RoughDielectricLobe dielectric() const {
        return {material->specular, material->transmission, {material->alpha}, eta, tables};
    }

  private:
    /// Whether the surface is Lambertian or Phong.
    [[nodiscard]] TL_D bool is_simple() const {
        return !tables || (!layers.data && !sends_rays_on(*material));
    }
    [[nodiscard]] TL_D float simple_pdf(vec3 to_viewer, vec3 to_light) const {
        float cosine = fused_dot(normal, to_light);
        if (cosine <= 0) return 0;
        float glossy = glossy_share();
        float density = (1 - glossy) * LambertLobe::pdf(cosine);
        if (glossy > 0) density += glossy * phong().pdf(normal, to_viewer, to_light);
        return density;
    }
    /// Calls use(lobe) with the lobe of a rough or layered surface.
    template <class Use>
    TL_D auto with_lobe(Use&& use) const {
        if (layers.data) return use(layered());
        return material->kind == MaterialKind::mirror ? use(conductor()) : use(dielectric());
    }
    // Evaluation of rough and layered lobes, in the frame of the normal. Not inlined: each is
    // compiled once in a file, and takes its registers only where a surface is rough.
    [[nodiscard]] TL_D static TL_NO_INLINE vec3 rough_value(const Bsdf& bsdf, vec3 o, vec3 i) {
        return bsdf.with_lobe([&](const auto& lobe) { return lobe.eval(o, i); });
    }
    [[nodiscard]] TL_D static TL_NO_INLINE vec3 wide_value(const Bsdf& bsdf, vec3 o, vec3 i) {
        return bsdf.layered().eval(o, i, kWideAlpha);
    }
    [[nodiscard]] TL_D static TL_NO_INLINE float rough_density(const Bsdf& bsdf, vec3 o, vec3 i) {
        return bsdf.with_lobe([&](const auto& lobe) { return lobe.pdf(o, i); });
    }
    [[nodiscard]] TL_D static TL_NO_INLINE LobeValue rough_both(const Bsdf& bsdf, vec3 o, vec3 i) {
        return bsdf.with_lobe([&](const auto& lobe) { return lobe.value(o, i); });
    }
    [[nodiscard]] TL_D static TL_NO_INLINE vec3 rough_direction(const Bsdf& bsdf, vec3 o,
                                                                float choice, vec2 r) {
        return bsdf.with_lobe([&](const auto& lobe) { return lobe.sample(o, choice, r); });
    }
    [[nodiscard]] TL_D LayeredLobe layered() const {
        const LayersData& d = *layers.data;
        return {albedo,         layers.metallic, GgxNormals::of_roughness(layers.roughness),
                d.reflectance,  d.transmission,  d.coat,
                {d.coat_alpha}, tables};
    }
    [[nodiscard]] TL_D bool has_phong() const {
        return material->kind == MaterialKind::phong && material->specular != vec3(0);
    }
    /// Probability of sampling the Phong lobe.
    [[nodiscard]] TL_D float glossy_share() const {
        if (material->kind != MaterialKind::phong) return 0;
        vec3 s = material->specular;
        float glossy = s.x + s.y + s.z, diffuse = albedo.x + albedo.y + albedo.z;
        return glossy > 0 ? glossy / (glossy + diffuse) : 0.0f;
    }
};

TL_DEVICE_END
