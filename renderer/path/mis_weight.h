// Multiple importance sampling of two techniques (Veach & Guibas 1995, "Optimally combining
// sampling techniques for Monte Carlo rendering").
#pragma once

#include "core/base/math.h"

namespace tl {

/// Power heuristic: MIS weight of a sample of density `own` that the other technique draws with
/// density `other`. `own` is 0 for a delta distribution, which no other technique samples; the
/// weight is then 1.
TL_HD inline float mis_weight(float own, float other) {
    if (!(own > 0)) return 1;
    float ratio = other / own;
    return 1 / (1 + ratio * ratio);
}

}  // namespace tl
