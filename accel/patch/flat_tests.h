// Patch tests that decide only flat pieces: they need few registers, for kernels that leave all
// other rays to a second pass with PatchTests.
#pragma once

#include "accel/patch/patch_tests.h"

TL_DEVICE_BEGIN

/// A ray prepared for primitives of all kinds.
template <bool kAnyHit>
struct FlatPatchTester {
    const PatchesView& patches;
    bool& undecided;
    PatchRay patch_ray;
    PrimitiveRay<true> others;

    TL_HD FlatPatchTester(const PatchesView& patches, bool& undecided, const Ray& ray)
        : patches(patches),
          undecided(undecided),
          patch_ray{ray.origin, ray.t_min, ray.direction, ray.from},
          others(ray) {}
    TL_HD bool meets(const Primitive& p, const Ray& ray, float t_max, Hit& hit) const {
        if (p.kind != Primitive::kPatch) return others.meets(p, ray, t_max, hit);
        if (passes_by(patches.frames[p.id], ray.origin, ray.direction)) return false;
        bool decided = true;
        bool met = hit_by<kAnyHit>(patches, p.id, t_max, hit, [&](auto& sink) {
            CertifiedSearch search{patches, patches.pieces[p.id], patch_ray, sink};
            return search.search_flat(p.id, decided);
        });
        if (decided) return met;
        undecided = true;
        // Ends this ray's search in this pass, except that another primitive may be any hit.
        if (!kAnyHit) hit = {ray.t_min, 0, 0, patches.first_primitive};
        return !kAnyHit;
    }
};

/// Replaces PatchTests for patches that have frames.
struct FlatPatchTests {
    static constexpr bool kPatches = true;
    PatchesView patches;
    bool* undecided = nullptr;  ///< set to true if the hit is not known

    template <bool kAnyHit>
    [[nodiscard]] TL_HD FlatPatchTester<kAnyHit> tester(const Ray& ray) const {
        return {patches, *undecided, ray};
    }
};

TL_DEVICE_END
