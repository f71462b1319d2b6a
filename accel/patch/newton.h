// Ray-piece intersection by Newton's method from the piece's centre (Martin et al. 2000, "Practical
// ray tracing of trimmed NURBS surfaces"; Geimer & Abert 2005, "Interactive ray tracing of trimmed
// bicubic Bezier surfaces without triangulation"). Pieces are flat enough for it to converge most
// of the time, but neither convergence nor uniqueness of the root is proved.
#pragma once

#include "accel/patch/certified.h"

TL_DEVICE_BEGIN

/// Calls sink.add for the root that the method converges to, if on the piece. Counts its steps.
template <class Sink>
TL_HD inline bool newton_on_piece(const PatchesView& patches, std::uint32_t piece,
                                  const PatchRay& ray, Sink& sink) {
    constexpr int kSteps = 7;            // Martin et al.
    constexpr float kSmallStep = 1e-4f;  // in units of the piece; polishing does the rest
    constexpr float kBeside = 0.02f;  // largest distance from the piece to converge at, in pieces
    const PatchWeights* own = patches.piece_weights ? patches.piece_weights + piece : nullptr;
    RayNets<float> nets = ray.planes().nets(patches.piece_points[piece], own);
    if (excludes_zero(range_of(nets.a), 0.0f) || excludes_zero(range_of(nets.b), 0.0f))
        return false;
    float u = 0.5f, v = 0.5f, last = kInfinity;
    bool converged = false;
    for (int step = 0; step < kSteps && !converged; ++step) {
        sink.count_steps(1);
        Jet<float> a = jet_at(nets.a, u, v), b = jet_at(nets.b, u, v);
        float off = magnitude(a.value) + magnitude(b.value);
        // The error grew: no root, as in Martin et al.
        if (!(off <= last)) return false;
        last = off;
        float inverse = 1 / (a.du * b.dv - a.dv * b.du);
        float du = inverse * (b.value * a.dv - a.value * b.dv);
        float dv = inverse * (a.value * b.du - b.value * a.du);
        u += du;
        v += dv;
        if (!(magnitude(u - 0.5f) < 1 && magnitude(v - 0.5f) < 1)) return false;
        converged = magnitude(du) + magnitude(dv) < kSmallStep;
    }
    if (!converged || u < -kBeside || u > 1 + kBeside || v < -kBeside || v > 1 + kBeside)
        return false;
    CertifiedSearch<Sink> search{patches, patches.pieces[piece], ray, sink};
    PatchRoot root;
    RayPlanes<double> planes(ray.origin, ray.direction);
    return search.polished(search.domain(), double(u), double(v), planes, search.kSmallStep,
                           root) &&
           search.add(root);
}

TL_DEVICE_END
