// Pixel filters by importance sampling: sample positions have the filter's density and samples have
// equal weights (Ernst, Stamminger & Greiner 2006, "Filter importance sampling").
#pragma once

#include "core/base/math.h"
#include "renderer/shading/sampling_config.h"

namespace tl {

/// Maps uniform u in [0, 1) to [-1, 1) with density 1 - |x|.
TL_HD inline float sample_tent(float u) {
    return u < 0.5f ? sqrtf(2 * u) - 1 : 1 - sqrtf(2 - 2 * u);
}

/// Maps uniform u in [0, 1) to [-1, 1) with the density of the four-term Blackman-Harris window
/// (Harris 1978). Its CDF has no closed-form inverse but is near a normal one, whose approximate
/// inverse is corrected by a cubic: errors are 0.0011 of the radius and 0.0002 in probability.
TL_HD inline float sample_blackman_harris(float u) {
    float p = fabsf(2 * u - 1);
    float g2 = -logf(maximum((1 - p) * (1 + p), 1e-7f));
    float cubic = fmaf(g2, fmaf(g2, fmaf(g2, 1.69961151e-5f, -6.22583879e-4f), -1.17946897e-3f),
                       0.358482806f);
    float x = sqrtf(g2) * cubic;
    return u < 0.5f ? -x : x;
}

/// Maps uniform u in [0, 1) to a sample's position in [-1, 1), in units of the filter's radius.
TL_HD inline float sample_filter(PixelFilter filter, float u) {
    switch (filter) {
        case PixelFilter::tent:
            return sample_tent(u);
        case PixelFilter::blackman_harris:
            return sample_blackman_harris(u);
        case PixelFilter::box:
            break;
    }
    return 2 * u - 1;
}

}  // namespace tl
