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

/// Replaces PatchTests in tracers that count.
struct CountingTests {
    static constexpr bool kPatches = true;
    PatchesView patches;
    PieceMethod method = PieceMethod::certified;
    SearchCounts* counts = nullptr;  ///< counts of the current ray; added to

    template <bool kAnyHit>
    [[nodiscard]] TL_HD PatchTester<kAnyHit, CountingTests> tester(const Ray& ray) const {
        return {*this, ray};
    }
    template <bool kAnyHit>
    TL_HD bool meet(std::uint32_t piece, const PatchRay& ray, float t_max, Hit& hit) const {
        return meet_piece_counted<kAnyHit>(method, patches, piece, ray, t_max, hit, *counts);
    }
};

TL_DEVICE_END
