// The surface where splats overlap: every one of them says where the surface lies near a place and
// which way it faces, by its disc and its field of normals, and the blend of what they say is the
// surface (Linsen, Müller & Rosenthal 2007, "Splat-based ray tracing of point clouds"). Weights
// fall to 0 at the rims, so that the surface is continuous there.
//
// Departures: the ray's first hit is projected onto the other discs, where the paper meets each of
// them with the ray, whose grazing rays would leave most of them out; and they are those of a short
// list, made once, in place of all that a traversal meets within a distance.
#pragma once

#include "accel/parallel/fused.h"
#include "accel/parallel/whole_copy.h"
#include "renderer/scene/live/scene_view.h"

TL_DEVICE_BEGIN

struct SplatBlend {
    vec3 position;
    vec3 normal;  ///< unit, outward
    vec3 color;
    float side;  ///< of the surface that the ray comes from: -1 for the outer one, else 1
    /// By how much the discs near the place lie above or below it: what starts so far from it, on
    /// either side, has passed them all.
    float clearance;
};

/// By how much a splat's normal turns a way from its centre along its plane.
TL_HD inline vec3 turn_of_normal(const SplatData& s, vec3 way) {
    const float* m = s.bend;
    return vec3(fused_dot(vec3(m[0], m[1], m[2]), way), fused_dot(vec3(m[1], m[3], m[4]), way),
                fused_dot(vec3(m[2], m[4], m[5]), way));
}

/// What the splats say of the surface near the place `p` on one of them.
struct SplatSum {
    vec3 p;
    vec3 facing{0};  ///< of the splat in the middle; others that face elsewhere count less
    vec3 normal{0}, color{0};
    float height = 0;  ///< of the place above the surface, times the weights
    float weight = 0;
    float lowest = 0, highest = 0;  ///< heights of the place above the discs
    float reach = 0;                ///< the largest radius

    /// A disc whose plane is farther than that part of its radius is of another surface.
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
        // Under the disc lies the surface that has these normals, by half the turn along the way.
        height = fmaf(w, fmaf(0.5f, fused_dot(turn, way), above), height);
        weight += w;
        lowest = minimum(lowest, above);
        highest = maximum(highest, above);
    }
};

/// The splat that is nearest to `p` for its size, among splat `i` and those on its list.
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

/// The blend at the place `p` where a ray along the unit vector `d` meets splat `i`. Which splat of
/// an overlap was met first does not matter but for the place itself: the list of the one in the
/// middle is blended. Static, so that it keeps to the registers of each kernel that calls it, also
/// where files are compiled to be linked with others (-rdc).
TL_HD TL_NO_INLINE static inline SplatBlend blend_splats(const SplatsView& view, std::uint32_t i,
                                                         vec3 p, vec3 d) {
    // Beyond what the listed discs at the place need: others rise towards their rims, and where
    // points scatter they scatter as well.
    constexpr float kMargin = 0.15f, kScatter = 1.5f;
    constexpr float kLevel = 1.0f / 65535;
    float side = fused_dot(view.splats[i].normal, d) < 0 ? -1.0f : 1.0f;
    std::uint32_t middle = middle_splat(view, i, p);
    SplatSum sum{p};
    const SplatData s = load_whole(view.splats[middle]);
    sum.facing = s.normal;
    sum.add(s);
    const std::uint32_t* list = view.neighbours + std::size_t(SplatsView::kNeighbours) * middle;
    for (std::uint32_t k = 0; k < SplatsView::kNeighbours && list[k] != SplatsView::kNone; ++k)
        sum.add(load_whole(view.splats[list[k]]));
    if (!(sum.weight > 1e-8f)) {
        // At the rim of one that no other overlaps.
        const SplatData alone = load_whole(view.splats[i]);
        vec3 color(alone.color.r, alone.color.g, alone.color.b);
        vec3 normal = alone.normal + turn_of_normal(alone, p - alone.center);
        return {p, fused_unit(normal), kLevel * color, side, kMargin * alone.radius};
    }
    float scale = 1 / sum.weight;
    vec3 normal = fused_unit(sum.normal);
    float height = sum.height * scale;
    // A ray that meets a disc's rim as it grazes the outline may do so from behind. Where it only
    // touches the surface, which falls away by its curvature, it comes from the side it is on.
    float cosine = fused_dot(normal, d), curvature = fused_dot(turn_of_normal(s, d), d);
    if (cosine * cosine < 2 * curvature * height) side = height > 0 ? -1.0f : 1.0f;
    float steepest = 0;
    for (float value : s.bend) steepest = maximum(steepest, fabsf(value));
    float spread = maximum(height - sum.lowest, sum.highest - height);
    return {fused(-height, normal, p), normal, kLevel * scale * sum.color, side,
            fmaf(kScatter, spread, sum.reach * fmaf(sum.reach, steepest, kMargin))};
}

TL_DEVICE_END
