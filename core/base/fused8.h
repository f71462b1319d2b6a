// fused.h for eight lanes: the same roundings in the same order, so that packets find and shade
// exactly the hits that single rays do, whatever the compiler would fuse.
#pragma once

#include "core/base/simd8.h"

namespace tl {

/// a * b + c and a * b - c, rounded once.
inline Float8 fused(Float8 a, Float8 b, Float8 c) {
    return _mm256_fmadd_ps(a.v, b.v, c.v);
}
inline Float8 fused_minus(Float8 a, Float8 b, Float8 c) {
    return _mm256_fmsub_ps(a.v, b.v, c.v);
}
/// s * v + plus, rounded once.
inline Vec3x8 fused(Float8 s, Vec3x8 v, Vec3x8 plus) {
    return {fused(s, v.x, plus.x), fused(s, v.y, plus.y), fused(s, v.z, plus.z)};
}
inline Vec3x8 fused_mean(Float8 wa, Vec3x8 a, Float8 wb, Vec3x8 b, Float8 wc, Vec3x8 c) {
    return fused(wc, c, fused(wb, b, wa * a));
}
inline Float8 fused_dot(Vec3x8 a, Vec3x8 b) {
    return fused(a.z, b.z, fused(a.y, b.y, a.x * b.x));
}
inline Vec3x8 fused_cross(Vec3x8 a, Vec3x8 b) {
    return {fused(-a.z, b.y, a.y * b.z), fused(-a.x, b.z, a.z * b.x), fused(-a.y, b.x, a.x * b.y)};
}
inline Float8 fused_length(Vec3x8 v) {
    return square_root(fused_dot(v, v));
}
/// Normalises v, which must not be zero.
inline Vec3x8 fused_unit(Vec3x8 v) {
    return Float8(1.0f) / fused_length(v) * v;
}

}  // namespace tl
