// Form factors between points of surfaces. The spectrum of their matrix shows how well the light
// transport between two clusters can be approximated (Hanrahan, Salzman & Aupperle 1991).
#pragma once

#include "renderer/form_factors/surface_samples.h"

// clang-format off
TL_FOR_DEVICES(
    /// Computes f[i + j * from.size] = V |cos_i| |cos_j| / (pi r^2) to[j].area: the fraction of
    /// light from sample i that arrives at sample j, for small areas far apart. Visibility V is 0
    /// if the tree has any surface between the two, else 1; all surfaces are opaque. 0 for samples
    /// at the same point and at cosines below 1e-6. Never waits.
    void form_factors(Stream& stream, const TreeView& tree, View<const SurfaceSample> from,
                      View<const SurfaceSample> to, View<double> f);
)
// clang-format on
