// Patches as tracers test them by one of several methods, to compare with the certified one
// (accel/patch/patch_tests.h), and tests that leave patches out, which another method looks for.
#pragma once

#include "accel/patch/clipping.h"
#include "accel/patch/newton.h"
#include "accel/patch/patch_tests.h"

namespace tl {
/// How a leaf meets a piece of a patch.
enum class PieceMethod : int {
    newton,
    clipping,
    none,      ///< not at all
    certified  ///< of CountingTests alone: other tracers have PatchTests for it
};
}  // namespace tl

TL_DEVICE_BEGIN

template <class Sink>
TL_HD inline bool search_piece_by(PieceMethod method, const PatchesView& patches,
                                  std::uint32_t piece, const PatchRay& ray, Sink& sink) {
    return method == PieceMethod::newton ? newton_on_piece(patches, piece, ray, sink)
                                         : clip_piece(patches, piece, ray, sink);
}

/// As meet_piece.
template <bool kAnyHit>
TL_HD TL_NO_INLINE inline bool meet_piece_by(PieceMethod method, const PatchesView& patches,
                                             std::uint32_t piece, const PatchRay& ray, float t_max,
                                             Hit& hit) {
    return hit_by<kAnyHit>(patches, piece, t_max, hit, [&](auto& sink) {
        return search_piece_by(method, patches, piece, ray, sink);
    });
}

/// A ray, ready to meet primitives of all kinds.
template <bool kAnyHit>
struct MethodTester {
    const PatchesView& patches;
    PieceMethod method;
    PatchRay patch_ray;
    PrimitiveRay<true> others;

    TL_HD MethodTester(const PatchesView& patches, PieceMethod method, const Ray& ray)
        : patches(patches),
          method(method),
          patch_ray{ray.origin, ray.t_min, ray.direction, ray.from},
          others(ray) {}
    TL_HD bool meets(const Primitive& p, const Ray& ray, float t_max, Hit& hit) const {
        if (p.kind != Primitive::kPatch) return others.meets(p, ray, t_max, hit);
        if (method == PieceMethod::none) return false;
        return meet_piece_by<kAnyHit>(method, patches, p.id, patch_ray, t_max, hit);
    }
};

/// In place of PatchTests.
struct MethodTests {
    static constexpr bool kPatches = true;
    PatchesView patches;
    PieceMethod method = PieceMethod::none;

    template <bool kAnyHit>
    [[nodiscard]] TL_HD MethodTester<kAnyHit> tester(const Ray& ray) const {
        return {patches, method, ray};
    }
};

TL_DEVICE_END
