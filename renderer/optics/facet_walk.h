// Light among the microfacets of a rough interface between two dielectrics, followed from facet to
// facet until it leaves (Heitz et al. 2016, "Multiple-scattering microfacet BSDFs with the Smith
// model").
#pragma once

#include <functional>

#include "renderer/optics/ggx.h"

namespace tl {

/// A part of the light that leaves.
struct LeavingLight {
    vec3 to;       ///< unit, away from the surface, whose normal is z; below it where light crossed
    double share;  ///< of all that arrives
    int n_facets;  ///< that it has met
};

/// Follows `n_walks` of light that arrives from the direction (sqrt(1 - cosine^2), 0, cosine), and
/// visits what of it leaves after each facet: all shares together are 1 but for the little that is
/// left of a walk when it ends. `eta`: the index of refraction on the side it comes from divided by
/// that beyond.
void walk_facets(const GgxNormals& normals, float eta, float cosine, int n_walks,
                 const std::function<void(const LeavingLight&)>& visit);

}  // namespace tl
