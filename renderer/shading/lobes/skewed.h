// A lobe of multiply scattered light, skewed towards forward scattering, more so at grazing angles.
// Its distribution over polar angles is that of a Lambertian lobe. Its azimuth has the wrapped
// Cauchy distribution, whose mean resultant length is proportional to the sines of both polar
// angles. The lobe is therefore reciprocal.
#pragma once

#include "renderer/optics/directions.h"

namespace tl {

struct SkewedLobe {
    float skew;  ///< mean resultant length at grazing angles, in [0, 1); 0: Lambertian

    /// Ratio to a Lambertian lobe. `o`, `i`: unit directions that point away from the surface, in
    /// its frame, on the same side or on both.
    [[nodiscard]] TL_HD float beside_even(vec3 o, vec3 i) const {
        float squared = skew * skew * (o.x * o.x + o.y * o.y) * (i.x * i.x + i.y * i.y);
        return (1 - squared) / (1 + squared + 2 * skew * (o.x * i.x + o.y * i.y));
    }
    /// Samples a direction on the normal's side with density cosine / pi * beside_even.
    [[nodiscard]] TL_HD vec3 sample(vec3 o, vec2 r) const {
        float sine = sqrtf(r.x), sine_o = sqrtf(o.x * o.x + o.y * o.y);
        vec2 ahead = sine_o > 0 ? vec2(-o.x, -o.y) / sine_o : vec2(1, 0);
        float length = skew * sine * sine_o, narrow = (1 - length) / (1 + length);
        // Half of the azimuth: its tangent is that of a uniform one, scaled down.
        vec2 half = point_of_circle(r.y - 0.5f);
        half.y *= narrow;
        half /= sqrtf(half.x * half.x + half.y * half.y);
        vec2 turned(half.x * half.x - half.y * half.y, 2 * half.x * half.y);
        return {sine * (turned.x * ahead.x - turned.y * ahead.y),
                sine * (turned.x * ahead.y + turned.y * ahead.x), sqrtf(1 - r.x)};
    }
};

}  // namespace tl
