// Patch tests of tracers: patches are a kind of primitive, as triangles, spheres and splats are.
// Only tracers of trees that hold patches support them.
#pragma once

#include "accel/patch/certified.h"
#include "accel/primitives.h"

TL_DEVICE_BEGIN

/// The closest hit (kAnyHit: any hit) before t_max among the roots search(sink) finds on a piece.
template <bool kAnyHit, class Search>
TL_HD inline bool hit_by(const PatchesView& patches, std::uint32_t piece, float t_max, Hit& hit,
                         Search search) {
    std::uint32_t primitive = patches.first_primitive + patches.pieces[piece].patch;
    if (kAnyHit) {
        AnyRoot any{t_max};
        if (!search(any)) return false;
        hit = {t_max, 0, 0, primitive};
        return true;
    }
    NearestRoot nearest;
    nearest.limit = t_max;
    search(nearest);
    if (!(nearest.limit < t_max)) return false;
    hit = {nearest.limit, static_cast<float>(nearest.root.u), static_cast<float>(nearest.root.v),
           primitive};
    return true;
}

/// meet_piece for rays near the piece. Not inlined, so that the calling loop keeps its registers.
template <bool kAnyHit>
TL_HD TL_NO_INLINE inline bool meet_near_piece(const PatchesView& patches, std::uint32_t piece,
                                               const PatchRay& ray, float t_max, Hit& hit) {
    return hit_by<kAnyHit>(patches, piece, t_max, hit,
                           [&](auto& sink) { return search_piece(patches, piece, ray, sink); });
}

/// The closest hit, or with kAnyHit any hit, of a ray on a piece before t_max.
template <bool kAnyHit>
TL_HD inline bool meet_piece(const PatchesView& patches, std::uint32_t piece, const PatchRay& ray,
                             float t_max, Hit& hit) {
    if (patches.frames && passes_by(patches.frames[piece], ray.origin, ray.direction)) return false;
    return meet_near_piece<kAnyHit>(patches, piece, ray, t_max, hit);
}

/// A ray prepared for primitives of all kinds; the pieces of patches are left to `tests`.
template <bool kAnyHit, class Tests>
struct PatchTester {
    const Tests& tests;
    PatchRay patch_ray;
    PrimitiveRay<true> others;

    TL_HD PatchTester(const Tests& tests, const Ray& ray)
        : tests(tests),
          patch_ray{ray.origin, ray.t_min, ray.direction, ray.on_patch},
          others(ray) {}
    TL_HD bool meets(const Primitive& p, const Ray& ray, float t_max, Hit& hit) const {
        if (p.kind == Primitive::kPatch)
            return tests.template meet<kAnyHit>(p.id, patch_ray, t_max, hit);
        return others.meets(p, ray, t_max, hit);
    }
};

/// Makes the ray testers of trees that have patches.
struct PatchTests {
    static constexpr bool kPatches = true;
    PatchesView patches;

    template <bool kAnyHit>
    [[nodiscard]] TL_HD PatchTester<kAnyHit, PatchTests> tester(const Ray& ray) const {
        return {*this, ray};
    }
    template <bool kAnyHit>
    TL_HD bool meet(std::uint32_t piece, const PatchRay& ray, float t_max, Hit& hit) const {
        return meet_piece<kAnyHit>(patches, piece, ray, t_max, hit);
    }
};

TL_DEVICE_END
