// Patch tests by any method on pieces, for kernels that count the work of each method.
#pragma once

#include "accel/patch/method_tests.h"

TL_DEVICE_BEGIN

/// Like meet_piece, by any method except none.
template <bool kAnyHit>
TL_HD TL_NO_INLINE inline bool meet_piece_counted(PieceMethod method, const PatchesView& patches,
                                                  std::uint32_t piece, const PatchRay& ray,
                                                  float t_max, Hit& hit, SearchCounts& counts) {
    ++counts.n_tests;
    bool certified = method == PieceMethod::certified;
    if (certified && patches.frames && passes_by(patches.frames[piece], ray.origin, ray.direction))
        return false;
    return hit_by<kAnyHit>(patches, piece, t_max, hit, [&](auto& sink) {
        CountingSink counting{sink, counts};
        return certified ? search_piece(patches, piece, ray, counting)
                         : search_piece_by(method, patches, piece, ray, counting);
    });
}

/// A ray prepared for primitives of all kinds.
template <bool kAnyHit>
struct CountingTester {
    const PatchesView& patches;
    PieceMethod method;
    SearchCounts& counts;
    PatchRay patch_ray;
    PrimitiveRay<true> others;

    TL_HD CountingTester(const PatchesView& patches, PieceMethod method, SearchCounts& counts,
                         const Ray& ray)
        : patches(patches),
          method(method),
          counts(counts),
          patch_ray{ray.origin, ray.t_min, ray.direction, ray.from},
          others(ray) {}
    TL_HD bool meets(const Primitive& p, const Ray& ray, float t_max, Hit& hit) const {
        if (p.kind != Primitive::kPatch) return others.meets(p, ray, t_max, hit);
        return meet_piece_counted<kAnyHit>(method, patches, p.id, patch_ray, t_max, hit, counts);
    }
};

/// Replaces PatchTests in tracers that count.
struct CountingTests {
    static constexpr bool kPatches = true;
    PatchesView patches;
    PieceMethod method = PieceMethod::certified;
    SearchCounts* counts = nullptr;  ///< of the current ray; added to

    template <bool kAnyHit>
    [[nodiscard]] TL_HD CountingTester<kAnyHit> tester(const Ray& ray) const {
        return {patches, method, *counts, ray};
    }
};

TL_DEVICE_END
