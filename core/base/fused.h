// Sums of products with explicit roundings. nvcc chooses in each kernel which product of a sum it
// fuses with the addition, so two kernels can compute the same hit with different roundings.
// Textures and every further bounce magnify the difference. Where kernels must agree, all sums with
// products are written with these functions. Ray packets use the same operations (fused8.h).
#pragma once

#include "core/base/math.h"

namespace tl {

/// a * b, rounded: the compiler cannot fuse it with a later addition.
TL_HD inline float product(float a, float b) {
#if defined(__CUDA_ARCH__)
    return __fmul_rn(a, b);
#else
    return a * b;
#endif
}
TL_HD inline vec3 product(float s, vec3 v) {
    return vec3(product(s, v.x), product(s, v.y), product(s, v.z));
}

/// s * v + plus, rounded once.
TL_HD inline vec2 fused(float s, vec2 v, vec2 plus) {
    return vec2(fmaf(s, v.x, plus.x), fmaf(s, v.y, plus.y));
}
TL_HD inline vec3 fused(float s, vec3 v, vec3 plus) {
    return vec3(fmaf(s, v.x, plus.x), fmaf(s, v.y, plus.y), fmaf(s, v.z, plus.z));
}
TL_HD inline vec4 fused(float s, vec4 v, vec4 plus) {
    return vec4(fmaf(s, v.x, plus.x), fmaf(s, v.y, plus.y), fmaf(s, v.z, plus.z),
                fmaf(s, v.w, plus.w));
}

/// Interpolates the values at a triangle's corners by barycentric weights.
template <class Vec>
TL_HD inline Vec fused_mean(float wa, const Vec& a, float wb, const Vec& b, float wc,
                            const Vec& c) {
    return fused(wc, c, fused(wb, b, wa * a));
}
/// Linear interpolation from a at t = 0 to b at t = 1, exact at both ends.
template <class Vec>
TL_HD inline Vec fused_mix(const Vec& a, const Vec& b, float t) {
    return fused(t, b, fused(-t, a, a));
}
TL_HD inline float fused_dot(vec3 a, vec3 b) {
    return fmaf(a.z, b.z, fmaf(a.y, b.y, product(a.x, b.x)));
}
/// ax * by - ay * bx.
TL_HD inline float fused_cross(vec2 a, vec2 b) {
    return fmaf(-a.y, b.x, product(a.x, b.y));
}
TL_HD inline vec3 fused_cross(vec3 a, vec3 b) {
    return vec3(fmaf(-a.z, b.y, product(a.y, b.z)), fmaf(-a.x, b.z, product(a.z, b.x)),
                fmaf(-a.y, b.x, product(a.x, b.y)));
}
TL_HD inline float fused_length(vec3 v) {
    return sqrtf(fused_dot(v, v));
}
/// Normalises v, which must not be zero.
TL_HD inline vec3 fused_unit(vec3 v) {
    return product(1 / fused_length(v), v);
}

}  // namespace tl
