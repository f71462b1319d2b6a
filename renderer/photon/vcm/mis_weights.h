// Weights of the balance heuristic for all techniques that may find the same path of light, from
// two sums that sub-paths carry along (Georgiev 2012, "Implementing vertex connection and merging",
// technical report, Saarland University).
//
// A path of k vertices may be found by meeting a source by chance, by a ray to a sample of a source
// (next-event estimation), by a connection of any two neighbours, where light sub-paths also end at
// the camera, and by merging at any vertex between but the first that the light meets: light that
// arrives straight from a source is found better by the other ways. The weight of a technique is
// its density divided by the sum of all, and the sub-path on either side of where a technique joins
// them knows the sum of those that would join them on its side, relative to this one. The report's
// third sum, dVM, is the second one divided by the density with which vertices merge, since there
// is one radius for all; it is left out.
//
// Where a mirror or smooth glass turns a path, no technique joins sub-paths, and the densities of
// the direction before and of that after it differ by a Dirac delta in one or the other's measure:
// refraction changes solid angles by the square of the index of refraction and the quotient of the
// cosines, so that cosines cancel and the square remains. Russian roulette is left out of the
// weights, whose sum stays 1.
#pragma once

#include <cstdint>

#include "accel/parallel/math.h"

namespace tl {

/// What a pass does, as numbers by which densities are multiplied.
struct VcmBalance {
    float n_splats = 0;     ///< light sub-paths that are connected to the camera
    float connections = 0;  ///< 1: vertices are connected; 0: they are not
    float merges = 0;       ///< pi r^2 times the number of light sub-paths; 0: none are merged

    /// `merges` at the vertex of a light sub-path, `n_met` surfaces from its source.
    [[nodiscard]] TL_HD float merges_at(std::uint32_t n_met) const {
        return n_met > 1 ? merges : 0.0f;
    }
};

/// What a sub-path carries to its newest vertex.
struct SubPathSums {
    float last = 0;  ///< the report's dVCM: of the technique that joins just before the vertex
    float rest = 0;  ///< dVC: of those that join further back, but for the density of the direction
                     ///< in which the vertex would send a path from the other end

    /// A ray of a source. `spread`: one over the density of place and direction, times the cosine
    /// at a surface. Other ways never meet a source of a single place or direction.
    [[nodiscard]] TL_HD static SubPathSums of_source(float spread, bool can_be_met) {
        return {spread, can_be_met ? spread : 0.0f};
    }
    /// The camera's ray; `density`: of its direction, 1/sr, for one pixel.
    [[nodiscard]] TL_HD static SubPathSums of_camera(const VcmBalance& balance, float density) {
        return {balance.n_splats / density, 0};
    }
    /// At a surface at which the ray arrives. `factor`: the square of its length; for the first ray
    /// of a source instead the density of next-event estimation, see direct_density.
    [[nodiscard]] TL_HD SubPathSums arrived(float factor, float cosine) const {
        return {last * factor / cosine, rest / cosine};
    }
    /// After a surface that sent the path on with density `pdf`, 1/sr, and would have sent one from
    /// the other end, back to where this came from, with density `reverse`. `merges`: the
    /// balance's, or 0 where none are merged.
    [[nodiscard]] TL_HD SubPathSums scattered(const VcmBalance& balance, float merges, float cosine,
                                              float pdf, float reverse) const {
        return {balance.connections / pdf, cosine / pdf * (rest * reverse + last + merges)};
    }
    /// After a mirror or smooth glass; `eta`: the index of refraction before it divided by that
    /// beyond.
    [[nodiscard]] TL_HD SubPathSums turned(float eta) const { return {0, rest * eta * eta}; }
    /// Of all techniques that join on this side, relative to a connection; arguments as above.
    [[nodiscard]] TL_HD float behind(float merges, float reverse) const {
        return merges + last + rest * reverse;
    }
};
static_assert(sizeof(SubPathSums) == 8);

/// Of light that the camera's path meets. `pdf`: the density of its ray, 1/sr, 0 for a single
/// direction; `direct`: that of next-event estimation from where the ray starts; `spread` as for
/// of_source; `camera` as the ray left, not arrived.
TL_HD inline float weight_of_hit(SubPathSums camera, float pdf, float direct, float spread) {
    float by_sample = pdf > 0 ? direct / pdf : 0.0f;
    return 1 / (1 + by_sample + camera.rest / spread);
}

/// Of a sample of a source. `direct`: its density, see direct_density; `hit_pdf`: that of the
/// surface, 1/sr, 0 where no path meets the source; `cosine`, `camera` and `reverse`: at the
/// surface.
TL_HD inline float weight_of_sample(SubPathSums camera, float direct, float hit_pdf, float spread,
                                    float cosine, float reverse) {
    float by_light = cosine / (spread * direct) * camera.behind(0, reverse);
    return 1 / (1 + hit_pdf / direct + by_light);
}

/// Of a light vertex that the camera sees; `merges`: as many as there; `density`: of the camera's
/// ray that would meet it, per area.
TL_HD inline float weight_of_splat(const VcmBalance& balance, SubPathSums light, float merges,
                                   float density, float reverse) {
    return 1 / (1 + density / balance.n_splats * light.behind(merges, reverse));
}

/// Of a connection; `light_merges`: as many as at the light vertex; `to_light`, `to_camera`: the
/// densities per area with which one vertex would be drawn from the other.
TL_HD inline float weight_of_connection(const VcmBalance& balance, SubPathSums light,
                                        float light_merges, float to_light, float light_reverse,
                                        SubPathSums camera, float to_camera, float camera_reverse) {
    return 1 / (1 + to_light * light.behind(light_merges, light_reverse) +
                to_camera * camera.behind(balance.merges, camera_reverse));
}

/// Of a merge; `light_reverse`: the density with which the camera's path would go on to where the
/// light came from, `camera_reverse`: the other way round.
TL_HD inline float weight_of_merge(const VcmBalance& balance, SubPathSums light,
                                   float light_reverse, SubPathSums camera, float camera_reverse) {
    float others =
        light.last + light.rest * light_reverse + camera.last + camera.rest * camera_reverse;
    return 1 / (1 + others / balance.merges);
}

}  // namespace tl
