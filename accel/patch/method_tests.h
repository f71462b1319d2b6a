// Patch tests by one of several methods, for comparison with the certified one
// (accel/patch/patch_tests.h), and tests that skip patches, which are then intersected separately.
#pragma once

#include "accel/patch/clipping.h"
#include "accel/patch/newton.h"
#include "accel/patch/patch_tests.h"

namespace tl {
/// The method that intersects a piece of a patch in a leaf.
enum class PieceMethod : int {
    newton,
    clipping,
    none,      ///< patches are skipped
    certified  ///< only for CountingTests: other tracers use PatchTests
};
}  // namespace tl

TL_DEVICE_BEGIN

template <class Sink>
TL_HD inline bool search_piece_by(PieceMethod method, const PatchesView& patches,
                                  std::uint32_t piece, const PatchRay& ray, Sink& sink) {
    return method == PieceMethod::newton ? newton_on_piece(patches, piece, ray, sink)
                                         : clip_piece(patches, piece, ray, sink);
}

/// Like meet_piece, by one of these methods.
template <bool kAnyHit>
TL_HD TL_NO_INLINE inline bool meet_piece_by(PieceMethod method, const PatchesView& patches,
                                             std::uint32_t piece, const PatchRay& ray, float t_max,
                                             Hit& hit) {
    return hit_by<kAnyHit>(patches, piece, t_max, hit, [&](auto& sink) {
        return search_piece_by(method, patches, piece, ray, sink);
    });
}

/// Replaces PatchTests.
struct MethodTests {
    static constexpr bool kPatches = true;
    PatchesView patches;
    PieceMethod method = PieceMethod::none;

    template <bool kAnyHit>
    [[nodiscard]] TL_HD PatchTester<kAnyHit, MethodTests> tester(const Ray& ray) const {
        return {*this, ray};
    }
    template <bool kAnyHit>
    TL_HD bool meet(std::uint32_t piece, const PatchRay& ray, float t_max, Hit& hit) const {
        if (method == PieceMethod::none) return false;
        return meet_piece_by<kAnyHit>(method, patches, piece, ray, t_max, hit);
    }
};

TL_DEVICE_END
