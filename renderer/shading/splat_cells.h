// Cells of splats on emissive surfaces. Discs overlap, and light emitted by whole discs would be
// counted several times. So each place belongs to the splat of least power |p - c|^2 - r^2 there
// (Aurenhammer 1987, "Power diagrams: properties, algorithms and applications"). In the plane of a
// disc its cell is a convex polygon within the disc. The cells of a surface do not overlap.
#pragma once

#include "core/base/fused.h"
#include "renderer/shading/splat_blend.h"

TL_DEVICE_BEGIN

/// Power of the place `p` with respect to a splat, m^2; below 0 within its radius.
TL_HD inline float power_of_place(const SplatData& s, vec3 p) {
    vec3 way = p - s.center;
    return fused_dot(way, way) - product(s.radius, s.radius);
}

/// The splat of least power at `p` among splat `i`, which has a cell, and those that border on it.
/// The first of equals is taken.
TL_HD inline std::uint32_t owner_of_neighbours(const SplatsView& view, std::uint32_t i, vec3 p) {
    std::uint32_t owner = i;
    float least = power_of_place(view.splats[i], p);
    for (std::uint32_t k : view.cells[view.cell_of[i]].neighbours) {
        if (k == SplatsView::kNone) break;
        float power = power_of_place(view.splats[k], p);
        if (power < least || (power == least && k < owner)) least = power, owner = k;
    }
    return owner;
}

/// The splat whose cell holds `p`, a point near splat `i`. Not inlined, since few scenes need it,
/// and called with a copy of the view: a kernel whose scene has its address taken keeps all of that
/// scene in local memory.
TL_HD TL_NO_INLINE static inline std::uint32_t splat_that_owns(SplatsView view, std::uint32_t i,
                                                               vec3 p) {
    constexpr int kMostSteps = 16;  // from cell to cell; discs that overlap are fewer apart
    for (int step = 0; step < kMostSteps && view.cell_of[i] >= 0; ++step) {
        std::uint32_t owner = owner_of_neighbours(view, i, p);
        if (owner == i) break;
        i = owner;
    }
    return i;
}

/// Emission of the splats' surface at `p` near splat `i`, W/(sr m^2).
TL_HD inline vec3 emission_of_splats(const SplatsView& view, std::uint32_t i, vec3 p) {
    if (view.cell_of[i] < 0) return vec3(0);
    std::int32_t cell = view.cell_of[splat_that_owns(view, i, p)];
    return cell >= 0 ? view.cells[cell].emission : vec3(0);
}

/// Index among the lights of splats of the one whose cell holds `p` near splat `i`; -1: none.
TL_HD inline std::int32_t light_of_splats(const SplatsView& view, std::uint32_t i, vec3 p) {
    if (view.cell_of[i] < 0) return -1;
    std::int32_t cell = view.cell_of[splat_that_owns(view, i, p)];
    return cell >= 0 ? view.cells[cell].light : -1;
}

/// Samples the light of a splat uniformly over a rectangle around its cell, by numbers in [0, 1).
/// False where the point is not in the cell. Sets `lift`, the height above the point, m, at which
/// rays that leave there are above all discs. Called with a copy of the view, as splat_that_owns.
TL_HD TL_NO_INLINE static inline bool sample_splat_cell(SplatsView view, const LightData& light,
                                                        float r1, float r2, vec3& place,
                                                        float& lift) {
    place = fused(r2, light.edge_v, fused(r1, light.edge_u, light.position));
    if (power_of_place(view.splats[light.surface], place) > 0 ||
        owner_of_neighbours(view, light.surface, place) != light.surface)
        return false;
    SplatBlend blend = blend_splats(view, light.surface, place, -light.normal);
    vec3 above = fused(blend.clearance, blend.normal, blend.position) - place;
    lift = maximum(fused_dot(above, light.normal), 0.0f);
    return true;
}

TL_DEVICE_END
