// Ray cones: the width of a ray's footprint at its hit, which selects mip map levels
// (Akenine-Moeller et al. 2019, "Texture level of detail strategies for real-time ray tracing", and
// 2021, "Improved shader and texture level of detail using ray cones").
#pragma once

#include <cstring>

#include "core/base/fused.h"

namespace tl {

/// Width at a ray's origin, and its growth per metre, which is negative for converging rays.
struct RayCone {
    float width, spread;

    /// The cone at the ray's `t`, with the same spread. Beyond a focus it opens again.
    [[nodiscard]] TL_HD RayCone after(float t) const {
        float width_there = fmaf(spread, t, width);
        return {fabsf(width_there), width_there < 0 ? -spread : spread};
    }
    /// The cone after a mirror whose normals turn by `curvature` per metre, above 0 where convex.
    [[nodiscard]] TL_HD RayCone reflected(float curvature, float cosine) const {
        return {width, fmaf(2 * curvature, width / maximum(cosine, kLeastCosine), spread)};
    }
    /// The cone after a surface that multiplies the angle of incidence by `eta`; exact at normal
    /// incidence.
    [[nodiscard]] TL_HD RayCone refracted(float curvature, float cosine, float eta) const {
        float turn = curvature * width / maximum(cosine, kLeastCosine);
        return {width, fmaf(eta, spread, product(eta - 1, turn))};
    }

    static constexpr float kLeastCosine = 0.05f;
};

/// The cone of a camera ray through a pixel that is `step` wide at a distance of 1. The first
/// sample's cone covers the whole pixel, later ones a part of its area, so that their mean is not
/// blurred twice (pbrt-v4 narrows ray differentials likewise).
TL_HD inline RayCone pixel_cone(float step, std::uint32_t sample) {
    constexpr float kNarrowest = 0.125f;
    return {0, step * maximum(1 / sqrtf(static_cast<float>(sample + 1)), kNarrowest)};
}

/// A cone in four bytes: both numbers with 8 significant bits (bfloat16).
struct PackedCone {
    std::uint32_t bits;

    TL_HD static PackedCone of(RayCone cone) {
        return {upper_half(cone.width) << 16 | upper_half(cone.spread)};
    }
    [[nodiscard]] TL_HD RayCone cone() const {
        return {from_upper_half(bits >> 16), from_upper_half(bits & 0xffffu)};
    }

  private:
    TL_HD static std::uint32_t upper_half(float value) {
        std::uint32_t whole;
        memcpy(&whole, &value, sizeof whole);
        return (whole + 0x8000u) >> 16;
    }
    TL_HD static float from_upper_half(std::uint32_t half) {
        std::uint32_t whole = half << 16;
        float value;
        memcpy(&value, &whole, sizeof value);
        return value;
    }
};
static_assert(sizeof(PackedCone) == 4);

}  // namespace tl
