// Ray-piece intersection by Bezier clipping (Nishita et al. 1990, "Ray tracing trimmed rational
// surface patches"; Efremov et al. 2005, "Robust and numerically stable Bezier clipping method for
// ray tracing NURBS surfaces"). In the plane across the ray the piece is a net of 16 points and the
// ray is the origin. The convex hull of the points' distances from a line through the origin bounds
// the parameters at which the surface can cross the line. That part is kept, and the other
// parameter follows. A part that hardly shrinks is cut in two. As in Efremov et al., the hull is
// that of each row's extremes, and the part kept is a little wider than the hull.
#pragma once

#include "accel/patch/certified.h"

TL_DEVICE_BEGIN

/// Zeros of the convex hull of the points (k / 3, lo[k]) and (k / 3, hi[k]), from lines between a
/// point above and one below; lo > hi if there are none.
TL_HD inline Range<double> clip_hull(const double (&lo)[4], const double (&hi)[4]) {
    Range<double> part{2, -1};
    for (int pair = 0; pair < 64; ++pair) {
        int i = pair / 16, k = pair / 4 % 4;
        double above = pair & 1 ? hi[i] : lo[i], below = pair & 2 ? hi[k] : lo[k];
        if (!(above >= 0 && below <= 0)) continue;
        double span = above - below;
        double at = span > 0 ? (above * k - below * i) / (3 * span) : i / 3.0;
        part.lo = least(part.lo, at);
        part.hi = greatest(part.hi, at);
    }
    return part;
}

/// The part of a parameter that may hold roots: of u if `of_u`, else of v.
TL_HD inline Range<double> clip_parameter(const Net<double>& a, const Net<double>& b, bool of_u) {
    // A line along the other parameter, so that points of equal parameter are about equally far.
    int p = of_u ? 3 : 12, q = of_u ? 12 : 3;
    double x = a.at[p] - a.at[0] + a.at[15] - a.at[q];
    double y = b.at[p] - b.at[0] + b.at[15] - b.at[q];
    double lo[4], hi[4];
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
            int k = of_u ? 4 * i + j : 4 * j + i;
            double distance = x * b.at[k] - y * a.at[k];
            lo[i] = j == 0 ? distance : least(lo[i], distance);
            hi[i] = j == 0 ? distance : greatest(hi[i], distance);
        }
    return clip_hull(lo, hi);
}

/// Calls sink.add for each root until it returns true. Counts its clips.
template <class Sink>
TL_HD inline bool clip_piece(const PatchesView& patches, std::uint32_t piece, const PatchRay& ray,
                             Sink& sink) {
    constexpr int kMostClips = 400, kStack = 24;
    constexpr double kSmall = 1e-6;  // in units of the piece; polishing does the rest
    constexpr double kWider = 1e-7;  // in units of the piece, to each side: far above rounding
    constexpr double kHardly = 0.8;  // a part that keeps more of its size is cut instead
    CertifiedSearch<Sink> search{patches, patches.pieces[piece], ray, sink};
    RayPlanes<double> planes(ray.origin, ray.direction);
    const PatchWeights* own = patches.piece_weights ? patches.piece_weights + piece : nullptr;
    const RayNets<double> whole = planes.nets(patches.piece_points[piece], own);
    Cell<double> waiting[kStack];
    int n_waiting = 0;
    Cell<double> cell{0, 1, 0, 1};
    bool of_u = true;
    for (int n = 0; n < kMostClips; ++n) {
        double size_u = cell.u1 - cell.u0, size_v = cell.v1 - cell.v0;
        bool done = size_u < kSmall && size_v < kSmall, empty = false;
        if (done) {
            PatchRoot root;
            if (search.polished(search.domain(), (cell.u0 + cell.u1) / 2, (cell.v0 + cell.v1) / 2,
                                planes, search.kSmallStep, root) &&
                search.add(root))
                return true;
        } else {
            sink.count_steps(1);
            if (size_u < kSmall) of_u = false;
            if (size_v < kSmall) of_u = true;
            Range<double> part =
                clip_parameter(restricted(whole.a, cell), restricted(whole.b, cell), of_u);
            empty = !(part.lo <= part.hi);
            double wider = kWider / (of_u ? size_u : size_v);
            double from = clamped(part.lo - wider, 0.0, 1.0);
            double to = clamped(part.hi + wider, 0.0, 1.0);
            bool cut = !empty && to - from > kHardly && n_waiting < kStack;
            double& lo = of_u ? cell.u0 : cell.v0;
            double& hi = of_u ? cell.u1 : cell.v1;
            double start = lo, size = hi - lo;
            if (cut) {
                // Cuts the longer side; if that is not this one, it is on the next turn.
                bool cut_u = size_u >= size_v;
                Cell<double> upper = cell;
                double& middle = cut_u ? cell.u1 : cell.v1;
                middle = ((cut_u ? cell.u0 : cell.v0) + middle) / 2;
                (cut_u ? upper.u0 : upper.v0) = middle;
                waiting[n_waiting++] = upper;
            } else if (!empty) {
                lo = start + from * size;
                hi = start + to * size;
            }
            of_u = !of_u;
        }
        if (!done && !empty) continue;
        if (n_waiting == 0) return false;
        cell = waiting[--n_waiting];
    }
    return false;
}

TL_DEVICE_END
