// Optics of mirrors and glass for packets: fresnel.h and media.h, eight lanes at a time.
#pragma once

#include "renderer/optics/fresnel.h"
#include "renderer/shading/media.h"
#include "renderer/whitted/packets/surface8.h"

namespace tl {

/// Refracts eight rays; returns the lanes without total internal reflection.
inline Mask8 refract_directions(Vec3x8 d, Vec3x8 n, Float8 eta, Vec3x8& refracted, Float8& cos_t) {
    Float8 one(1.0f), cos_i = -fused_dot(d, n);
    Float8 sin2_t = eta * eta * maximum(Float8(0.0f), fused(-cos_i, cos_i, one));
    Mask8 passes = sin2_t < one;
    cos_t = square_root(maximum(one - sin2_t, Float8(0.0f)));
    refracted = fused_unit(fused(eta, d, fused_minus(eta, cos_i, cos_t) * n));
    return passes;
}

inline Float8 fresnel_schlick(Float8 cos_i, Float8 cos_t, Float8 eta) {
    Float8 one(1.0f), r0 = (one - eta) / (one + eta);
    r0 = r0 * r0;
    Float8 c = one - select(eta > one, cos_t, cos_i);
    return r0 + (one - r0) * (c * c) * (c * c) * c;
}

}  // namespace tl

TL_DEVICE_BEGIN

/// Interface for eight lanes.
struct Interface8 {
    Mask8 is_real;
    Float8 eta;
    Int8 beyond;
};

/// interface_at for eight lanes, one after the other, since each has its own media.
inline Interface8 interfaces_at(const SceneView& scene, Int8 media, Int8 material,
                                Mask8 from_inside, Mask8 active) {
    alignas(32) float eta[8] = {};
    alignas(32) std::uint32_t beyond[8] = {}, is_real[8] = {};
    unsigned inside = from_inside.lanes();
    for_lanes(active, [&](int i) {
        Interface one = interface_at(scene, {media.lane(i)}, scene.materials[material.lane(i)],
                                     inside >> i & 1u);
        eta[i] = one.eta;
        beyond[i] = one.beyond.bits;
        is_real[i] = one.is_real;
    });
    return {without(active, Int8::load(is_real) == Int8(0)), Float8::load(eta), Int8::load(beyond)};
}

/// The transmittance over distance `t` in each lane's medium, by absorption.
inline Vec3x8 absorbed_on_the_way(const SceneView& scene, Int8 media, Float8 t, Mask8 active) {
    Vec3x8 transmittance(vec3(1));
    for_lanes(without(active, media == Int8(0)), [&](int i) {
        std::uint32_t medium = Media{media.lane(i)}.current(scene);
        vec3 absorption = medium ? scene.medium(medium).absorption : vec3(0);
        if (absorption != vec3(0)) transmittance.set_lane(i, absorbed(absorption, t.lane(i)));
    });
    return transmittance;
}

TL_DEVICE_END
