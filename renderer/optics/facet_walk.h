// Random walks of light between the microfacets of a rough interface between two dielectrics, until
// it leaves (Heitz et al. 2016, "Multiple-scattering microfacet BSDFs with the Smith model").
#pragma once

#include <functional>

#include "renderer/optics/ggx.h"

namespace tl {

/// Light that leaves the interface.
struct LeavingLight {
    vec3 to;       ///< unit, away from the surface, whose normal is z; below it if transmitted
    double share;  ///< fraction of all incident light
    int n_facets;  ///< number of microfacets hit
};

/// Traces `n_walks` random walks of light that arrives from the direction (sqrt(1 - cosine^2), 0,
/// cosine). After each facet, calls `visit` with the fraction that leaves. All fractions sum to 1,
/// except for the small rest at the end of a walk. `eta`: the index of refraction on the incident
/// side divided by that on the far side.
void walk_facets(const GgxNormals& normals, float eta, float cosine, int n_walks,
                 const std::function<void(const LeavingLight&)>& visit);

}  // namespace tl
