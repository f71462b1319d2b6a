// The blended surface of overlapping splats (Linsen, Müller & Rosenthal 2007, "Splat-based ray
// tracing of point clouds"). Near a point, each splat gives a position and a normal of the surface,
// by its disc and its field of normals. The surface is their weighted mean. Weights fall to 0 at
// the rims, so that the surface is continuous there.
//
// Departures from the paper: the ray's first hit is projected onto the other discs. The paper
// intersects the ray with each of them, but grazing rays would miss most. The discs come from a
// short precomputed list instead of all within a distance along the traversal.
#pragma once

#include "core/base/fused.h"
#include "core/device/vectorized_copy.h"
#include "renderer/scene/live/scene_view.h"

TL_DEVICE_BEGIN

struct SplatBlend {
    vec3 position;
    vec3 normal;  ///< unit, outward
    vec3 color;
    float side;  ///< side of the surface on which the ray arrives: -1 outer, else 1
    /// Distance by which nearby discs may lie above or below the position. Rays that start at this
    /// distance, on either side, are beyond all of them.
    float clearance;
};

/// Change of a splat's normal for an offset `way` from its centre in its plane.
TL_HD inline vec3 turn_of_normal(const SplatData& s, vec3 way) {
    const float* m = s.bend;
    return vec3(fused_dot(vec3(m[0], m[1], m[2]), way), fused_dot(vec3(m[1], m[3], m[4]), way),
                fused_dot(vec3(m[2], m[4], m[5]), way));
}

/// Weighted sums of the splats' heights, normals and colours near the point `p` on one of them.
struct SplatSum {
    vec3 p;
    vec3 facing{0};  ///< normal of the middle splat; splats facing elsewhere count less
    vec3 normal{0}, color{0};
    float height = 0;  ///< height of `p` above the surface, times the weights
    float weight = 0;
    float lowest = 0, highest = 0;  ///< extreme heights of `p` above the discs
    float reach = 0;                ///< the largest radius

    /// A disc whose plane is farther away than this fraction of its radius belongs to another
    /// surface.
    static constexpr float kNear = 0.5f;

    TL_HD void add(const SplatData& s) {
        reach = maximum(reach, s.radius);
        vec3 from_center = p - s.center;
        float above = fused_dot(from_center, s.normal);
        vec3 way = fused(-above, s.normal, from_center);
        float inverse = 1 / s.radius;
        float within = 1 - fused_dot(way, way) * inverse * inverse;
        float gap = above * inverse * (1 / kNear);
        float near = fmaf(-gap, gap, 1.0f);
        float cosine = fused_dot(s.normal, facing);
        if (!(within > 0 && near > 0 && cosine > 0)) return;
        float w = within * near * cosine;
        w = product(w, w);
        vec3 turn = turn_of_normal(s, way);
        normal = fused(w, s.normal + turn, normal);
        color = fused(w, vec3(s.color.r, s.color.g, s.color.b), color);
        // The surface with these normals lies below the disc by half the change of normal along the
        // offset.
        height = fmaf(w, fmaf(0.5f, fused_dot(turn, way), above), height);
        weight += w;
        lowest = minimum(lowest, above);
        highest = maximum(highest, above);
    }
};

/// The splat that is nearest to `p` relative to its radius, among splat `i` and those on its list.
TL_HD inline std::uint32_t middle_splat(const SplatsView& view, std::uint32_t i, vec3 p) {
    auto distance = [&](std::uint32_t k) {
        const SplatData& s = view.splats[k];
        vec3 way = p - s.center;
        return fused_dot(way, way) / product(s.radius, s.radius);
    };
    std::uint32_t middle = i;
    float least = distance(i);
    const std::uint32_t* list = view.neighbours + std::size_t(SplatsView::kNeighbours) * i;
    for (std::uint32_t k = 0; k < SplatsView::kNeighbours && list[k] != SplatsView::kNone; ++k) {
        float other = distance(list[k]);
        if (other < least) least = other, middle = list[k];
    }
    return middle;
}

/// The blend at the hit `p` of a ray along unit `d` with splat `i`. The list of the middle splat at
/// `p` is blended, so that the result depends on `p` but not on which overlapping splat was hit.
/// Static, so that it keeps to the registers of each kernel that calls it, also where files are
/// compiled to be linked with others (-rdc).
TL_HD TL_NO_INLINE static inline SplatBlend blend_splats(const SplatsView& view, std::uint32_t i,
                                                         vec3 p, vec3 d) {
    // Margins of the clearance beyond the listed discs: other discs rise towards their rims, and
    // where points scatter so do the discs.
    constexpr float kMargin = 0.15f, kScatter = 1.5f;
    constexpr float kLevel = 1.0f / 65535;
    float side = fused_dot(view.splats[i].normal, d) < 0 ? -1.0f : 1.0f;
    std::uint32_t middle = middle_splat(view, i, p);
    SplatSum sum{p};
    const SplatData s = load_vectorized(view.splats[middle]);
    sum.facing = s.normal;
    sum.add(s);
    const std::uint32_t* list = view.neighbours + std::size_t(SplatsView::kNeighbours) * middle;
    for (std::uint32_t k = 0; k < SplatsView::kNeighbours && list[k] != SplatsView::kNone; ++k)
        sum.add(load_vectorized(view.splats[list[k]]));
    if (!(sum.weight > 1e-8f)) {
        // At the rim of a splat that no other overlaps.
        const SplatData alone = load_vectorized(view.splats[i]);
        vec3 color(alone.color.r, alone.color.g, alone.color.b);
        vec3 normal = alone.normal + turn_of_normal(alone, p - alone.center);
        return {p, fused_unit(normal), kLevel * color, side, kMargin * alone.radius};
    }
    float scale = 1 / sum.weight;
    vec3 normal = fused_unit(sum.normal);
    float height = sum.height * scale;
    // Near the silhouette, a ray may hit a disc's rim from behind. Where the ray only grazes the
    // curved surface, its side is the one on which `p` lies.
    float cosine = fused_dot(normal, d), curvature = fused_dot(turn_of_normal(s, d), d);
    if (cosine * cosine < 2 * curvature * height) side = height > 0 ? -1.0f : 1.0f;
    float steepest = 0;
    for (float value : s.bend) steepest = maximum(steepest, fabsf(value));
    float spread = maximum(height - sum.lowest, sum.highest - height);
    return {fused(-height, normal, p), normal, kLevel * scale * sum.color, side,
            fmaf(kScatter, spread, sum.reach * fmaf(sum.reach, steepest, kMargin))};
}

TL_DEVICE_END
