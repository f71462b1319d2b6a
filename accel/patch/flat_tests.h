// Patch tests that decide only flat pieces: they need few registers, for kernels that leave all
// other rays to a second pass with PatchTests.
#pragma once

#include "accel/patch/patch_tests.h"

TL_DEVICE_BEGIN

/// Replaces PatchTests for patches that have frames.
struct FlatPatchTests {
    static constexpr bool kPatches = true;
    PatchesView patches;
    bool* undecided = nullptr;  ///< set to true if the hit is not known

    template <bool kAnyHit>
    [[nodiscard]] TL_HD PatchTester<kAnyHit, FlatPatchTests> tester(const Ray& ray) const {
        return {*this, ray};
    }
    template <bool kAnyHit>
    TL_HD bool meet(std::uint32_t piece, const PatchRay& ray, float t_max, Hit& hit) const {
        if (passes_by(patches.frames[piece], ray.origin, ray.direction)) return false;
        bool decided = true;
        bool met = hit_by<kAnyHit>(patches, piece, t_max, hit, [&](auto& sink) {
            CertifiedSearch search{patches, patches.pieces[piece], ray, sink};
            return search.search_flat(piece, decided);
        });
        if (decided) return met;
        *undecided = true;
        // Ends this ray's search in this pass, except that another primitive may be any hit.
        if (!kAnyHit) hit = {ray.t_min, 0, 0, patches.first_primitive};
        return !kAnyHit;
    }
};

TL_DEVICE_END
