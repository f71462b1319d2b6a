// Intersection of rays with nearly flat pieces, in coordinates in which the piece is nearly a
// square. The bounds of derivatives that accel/patch/cell_proof.h computes for each ray are
// precomputed here once per piece. For a ray of direction d the functions are f = x - s_x z and g =
// y - s_y z with s = (d.x, d.y) / d.z; their derivatives differ from 1 and 0 by at most |s| times
// the bounds of z more than those of x and y do.
#pragma once

#include "accel/patch/cell_proof.h"
#include "accel/patch/patches.h"
#include "core/base/fused.h"

TL_DEVICE_BEGIN

/// A difference of points, in the frame's axes.
TL_HD inline vec3 in_frame(const PieceFrame& f, vec3 v) {
    return {glm::dot(f.x, v), glm::dot(f.y, v), glm::dot(f.z, v)};
}

/// Whether a line misses the box that bounds the piece in its frame, by the separating axes
/// perpendicular to the line.
TL_HD inline bool passes_by(const PieceFrame& f, vec3 origin, vec3 direction) {
    vec3 away = origin - f.center, far = glm::abs(away);
    vec3 p = in_frame(f, away), d = in_frame(f, direction), size = glm::abs(d);
    float error = f.error * maximum(far.x, maximum(far.y, far.z));
    float x = f.half_x + error, y = f.half_y + error, z = f.half_z + error;
    return magnitude(p.y * d.z - p.z * d.y) > y * size.z + z * size.y ||
           magnitude(p.z * d.x - p.x * d.z) > z * size.x + x * size.z ||
           magnitude(p.x * d.y - p.y * d.x) > x * size.y + y * size.x;
}

/// a - b exactly: the rounded difference, and its rounding error in `rest` (Knuth's TwoSum).
TL_HD inline float exact_difference(float a, float b, float& rest) {
    float difference = a - b, back = a - difference;
    rest = (a - (difference + back)) + (back - b);
    return difference;
}

/// A ray in a piece's frame, starting near the piece so that it is as accurate as the piece.
struct FramedRay {
    vec3 origin, direction;
    float t;      ///< ray parameter of that start
    float error;  ///< bound for its coordinates and those of the piece

    TL_HD FramedRay(const PieceFrame& frame, vec3 from, vec3 along)
        : direction(in_frame(frame, along)) {
        constexpr float kRounding = 0x1p-20f;
        vec3 away, rest;
        for (int k = 0; k < 3; ++k) away[k] = exact_difference(from[k], frame.center[k], rest[k]);
        t = -glm::dot(away, along) / glm::dot(along, along);
        vec3 near = fused(t, along, away) + rest;
        origin = in_frame(frame, near);
        vec3 far = glm::abs(near);
        error = kRounding + frame.error * maximum(far.x, maximum(far.y, far.z));
    }
};

/// Derivative bounds for rays of this direction in the frame: whether there is at most one root.
TL_HD inline RootBounds<float> bounds_of_flat_piece(const PieceNet& net, float slope_x,
                                                    float slope_y) {
    float x = magnitude(slope_x), y = magnitude(slope_y);
    return {net.bend[0][0] + x * net.bend[2][0], net.bend[0][1] + x * net.bend[2][1],
            net.bend[1][0] + y * net.bend[2][0], net.bend[1][1] + y * net.bend[2][1]};
}

/// Intersects a piece that is flat for the ray: `unique` with the root (x, y) in or just beside the
/// unit square; `empty` if there is none, or none with t in the range; `open` if the piece is not
/// flat; `blurred` if rounding prevents a decision. `holds_start`: a unique root is the ray's
/// start. Adds the steps of Newton's method.
TL_HD inline CellProof meet_flat_piece(const PieceFrame& frame, const PieceNet& net, vec3 origin,
                                       vec3 direction, float t_min, float t_max, bool holds_start,
                                       float& x, float& y, std::uint32_t& n_steps) {
    constexpr float kRounding = 0x1p-20f, kMostNoise = 1e-3f;
    vec3 along = in_frame(frame, direction);
    float inverse = 1 / along.z;
    float slope_x = along.x * inverse, slope_y = along.y * inverse;
    RootBounds<float> bounds = bounds_of_flat_piece(net, slope_x, slope_y);
    if (!bounds.unique) return CellProof::open;
    if (holds_start) return CellProof::empty;

    FramedRay ray(frame, origin, direction);
    float t_plane = ray.t - ray.origin.z * inverse;
    float reach = (1 + kRounding) * frame.half_z * magnitude(inverse) +
                  kRounding * (magnitude(ray.t) + magnitude(t_plane));
    if (t_plane - reach > t_max || t_plane + reach < t_min) return CellProof::empty;

    float noise = 4 * (1 + maximum(magnitude(slope_x), magnitude(slope_y))) * ray.error;
    if (!(noise < kMostNoise)) return CellProof::blurred;
    float px = ray.origin.x - slope_x * ray.origin.z, py = ray.origin.y - slope_y * ray.origin.z;
    const auto& at = net.points.of_axis;
    Net<float> f, g;
    for (int k = 0; k < PatchPoints::kCount; ++k) {
        f.at[k] = at[0][k] - slope_x * at[2][k] - px;
        g.at[k] = at[1][k] - slope_y * at[2][k] - py;
    }
    x = px + 0.5f;
    y = py + 0.5f;
    return find_root(f, g, bounds, noise, x, y, n_steps);
}

TL_DEVICE_END
