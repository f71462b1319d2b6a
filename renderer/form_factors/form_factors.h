// Form factors between points of surfaces: the matrix whose spectrum tells how well the light that
// two clusters exchange can be summed up (Hanrahan, Salzman & Aupperle 1991).
#pragma once

#include "renderer/form_factors/surface_samples.h"

// clang-format off
TL_FOR_DEVICES(
    /// f[i + j * from.size] = V |cos_i| |cos_j| / (pi r^2) to[j].area: the share of what sample i sends
    /// that arrives at sample j, for small areas far enough apart. V is 0 where the tree has anything
    /// between the two, else 1; all that it has is opaque. 0 for samples at one place and for those
    /// that see each other at a grazing angle below 1e-6. Does not wait.
    void form_factors(Stream& stream, const TreeView& tree, View<const SurfaceSample> from,
                      View<const SurfaceSample> to, View<double> f);
)
// clang-format on
