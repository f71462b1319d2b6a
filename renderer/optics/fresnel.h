// Mirror reflection and refraction, and Fresnel reflectance of dielectrics. Roundings that affect
// ray directions are explicit.
#pragma once

#include "core/base/enum_names.h"
#include "core/base/fused.h"

namespace tl {

/// The mirrored direction; `n` is unit. `Vec`: vec3, or Vec3x8 for eight rays.
template <class Vec>
TL_HD inline Vec reflect_direction(Vec d, Vec n) {
    return fused(-2.0f * fused_dot(d, n), n, d);
}

/// Refracts unit `d` at unit `n` (against d) with eta = n_incident / n_transmitted. False on total
/// internal reflection. `cos_t` is the cosine on the far side.
TL_HD inline bool refract_direction(vec3 d, vec3 n, float eta, vec3& refracted, float& cos_t) {
    float cos_i = -fused_dot(d, n);
    float sin2_t = product(eta * eta, maximum(0.0f, fmaf(-cos_i, cos_i, 1.0f)));
    if (sin2_t >= 1) return false;
    cos_t = sqrtf(1 - sin2_t);
    refracted = fused_unit(fused(eta, d, product(fmaf(eta, cos_i, -cos_t), n)));
    return true;
}

/// Formula of a dielectric's reflectance.
enum class FresnelModel : int {
    exact,    ///< Fresnel equations for unpolarised light
    schlick,  ///< Schlick's approximation
};
[[nodiscard]] constexpr auto names_of(FresnelModel) {
    return std::to_array<EnumName<FresnelModel>>(
        {{FresnelModel::exact, "exact"}, {FresnelModel::schlick, "schlick"}});
}

/// Unpolarised Fresnel reflectance of a dielectric, eta = n_incident / n_transmitted. `Real`:
/// float, or Float8 for eight rays.
template <class Real>
TL_HD inline Real fresnel_dielectric(Real cos_i, Real cos_t, Real eta) {
    Real parallel = (cos_i - eta * cos_t) / (cos_i + eta * cos_t);
    Real perpendicular = (eta * cos_i - cos_t) / (eta * cos_i + cos_t);
    return 0.5f * (parallel * parallel + perpendicular * perpendicular);
}

/// Schlick's approximation (Schlick 1994, "An inexpensive BRDF model for physically based
/// rendering"), with the larger of the two angles.
TL_HD inline float fresnel_schlick(float cos_i, float cos_t, float eta) {
    float r0 = (1 - eta) / (1 + eta);
    r0 *= r0;
    float c = 1 - (eta > 1 ? cos_t : cos_i);
    return r0 + (1 - r0) * (c * c) * (c * c) * c;
}

}  // namespace tl
