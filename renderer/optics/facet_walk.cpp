#include "renderer/optics/facet_walk.h"

#include <cmath>

#include "core/base/random.h"
#include "renderer/optics/fresnel.h"

namespace tl {
namespace {

/// State of a walk between microfacets. Its frame is that of the side it is on: z points away from
/// the surface.
struct FacetWalk {
    vec3 w;            ///< direction of propagation
    double below = 1;  ///< height: the fraction of the surface that lies lower
    bool here = true;  ///< whether it is on the incident side
};

/// Probability that the walk hits no other facet.
double chance_to_leave(const GgxNormals& normals, const FacetWalk& walk) {
    return walk.w.z > 0 ? std::pow(walk.below, double{normals.hidden(walk.w)}) : 0;
}

/// Moves to the next facet; `r` in (0, 1).
void go_to_facet(const GgxNormals& normals, double leaves, double r, FacetWalk& walk) {
    double hidden = normals.hidden(walk.w);
    if (walk.w.z > 0)
        walk.below *= std::pow(leaves + (1 - leaves) * r, -1 / std::max(hidden, 1e-9));
    else
        walk.below *= std::pow(r, 1 / (1 + hidden));
    walk.below = std::min(walk.below, 1.0);
}

}  // namespace

void walk_facets(const GgxNormals& normals, float eta, float cosine, int n_walks,
                 const std::function<void(const LeavingLight&)>& visit) {
    constexpr double kLeastWeight = 0.003;
    vec3 o(std::sqrt(1 - cosine * cosine), 0, cosine);
    for (int i = 0; i < n_walks; ++i) {
        RandomStream random(0, static_cast<std::uint32_t>(i), 0);
        FacetWalk walk{-o};
        double left = 1, leaves = 0, r = (i + 0.5) / n_walks;
        for (int n_facets = 1; left > kLeastWeight; ++n_facets) {
            go_to_facet(normals, leaves, r, walk);
            vec2 place(random.next(), random.next());
            vec3 m = normals.sample_visible(-walk.w, place), refracted;
            float cos_t, eta_here = walk.here ? eta : 1 / eta;
            bool passes =
                refract_direction(walk.w, m, eta_here, refracted, cos_t) &&
                random.next() >= fresnel_dielectric(-fused_dot(walk.w, m), cos_t, eta_here);
            if (passes)
                walk = {-refracted, 1 - walk.below, !walk.here};
            else
                walk.w = reflect_direction(walk.w, m);
            leaves = chance_to_leave(normals, walk);
            visit({walk.here ? walk.w : -walk.w, left * leaves / n_walks, n_facets});
            left *= 1 - leaves;
            r = 1 - random.next();
        }
    }
}

}  // namespace tl
