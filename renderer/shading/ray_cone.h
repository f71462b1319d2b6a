// Ray cones: how wide what a ray stands for has become where it hits, by which textures choose
// their mip maps (Akenine-Moeller et al. 2019, "Texture level of detail strategies for real-time
// ray tracing", and 2021, "Improved shader and texture level of detail using ray cones").
#pragma once

#include <cstring>

#include "accel/parallel/fused.h"

namespace tl {

/// Width where a ray starts, and by how much it grows with every metre; that is below 0 where rays
/// come together.
struct RayCone {
    float width, spread;

    /// At the ray's `t`, with the spread unchanged. Beyond a focus the cone opens again.
    [[nodiscard]] TL_HD RayCone after(float t) const {
        float width_there = fmaf(spread, t, width);
        return {fabsf(width_there), width_there < 0 ? -spread : spread};
    }
    /// After a mirror whose normals turn by `curvature` with every metre along it, convex above 0.
    [[nodiscard]] TL_HD RayCone reflected(float curvature, float cosine) const {
        return {width, fmaf(2 * curvature, width / maximum(cosine, kLeastCosine), spread)};
    }
    /// After a surface where an angle of incidence grows `eta` times; exact where rays stand
    /// upright.
    [[nodiscard]] TL_HD RayCone refracted(float curvature, float cosine, float eta) const {
        float turn = curvature * width / maximum(cosine, kLeastCosine);
        return {width, fmaf(eta, spread, product(eta - 1, turn))};
    }

    static constexpr float kLeastCosine = 0.05f;
};

/// The cone of a camera ray through a pixel that is `step` wide at a distance of 1. The pixel's
/// samples divide its area between them, lest their mean is blurred twice; the first one stands for
/// all of it (pbrt-v4 narrows ray differentials likewise).
TL_HD inline RayCone pixel_cone(float step, std::uint32_t sample) {
    constexpr float kNarrowest = 0.125f;
    return {0, step * maximum(1 / sqrtf(static_cast<float>(sample + 1)), kNarrowest)};
}

/// A cone in four bytes: both numbers to 8 binary digits (bfloat16).
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
