// Shared by the files of the wavefront pipelines: the buffers of a chunk, and the passes that
// depend on the kind of tracer.
#pragma once

#include "core/device/parallel_for.h"
#include "core/operators/operators.h"
#include "renderer/whitted/follow_rays.h"
#include "renderer/whitted/wavefront.h"

TL_DEVICE_BEGIN

/// Pixel of an unused queue entry: an item outside the picture, or an entry left empty.
inline constexpr std::uint32_t kNoPixel = 0xffffffffu;

/// The class of a ray's hit, packed so that one scan counts all fields: number of children, whether
/// there are two, whether it is a leaf of its pixel's tree.
struct HitClass {
    static constexpr int kTwoShift = 22, kLeafShift = 43;
    std::uint64_t bits = 0;

    TL_HD static HitClass of_leaf() { return {std::uint64_t(1) << kLeafShift}; }
    TL_HD static HitClass of_children(std::uint32_t n) {
        return {n | std::uint64_t(n == 2) << kTwoShift};
    }
    [[nodiscard]] TL_HD std::uint32_t n_children() const {
        return static_cast<std::uint32_t>(bits & ((1u << kTwoShift) - 1));
    }
    [[nodiscard]] TL_HD std::uint32_t n_two() const {
        return static_cast<std::uint32_t>(bits >> kTwoShift &
                                          ((1u << (kLeafShift - kTwoShift)) - 1));
    }
    [[nodiscard]] TL_HD std::uint32_t n_leaves() const {
        return static_cast<std::uint32_t>(bits >> kLeafShift);
    }
};

/// A level's rays and hits.
struct WaveLevel {
    std::uint32_t capacity = 0;
    std::uint32_t index = 0;  ///< bounces from the camera
    View<PathRay> rays;
    View<Hit> hits;
    View<std::uint64_t> classes, scan;
};

/// Rays with their hits, to be shaded, and the output: radiance, and the number of rays traced for
/// it.
struct LeafPass {
    View<const PathRay> rays;
    View<const Hit> hits;
    View<const std::uint32_t> list;  ///< indices of the rays to shade; empty: all, in order
    const std::uint32_t* count = nullptr;
    View<vec4> values;
    bool weighted = false;  ///< multiply by the ray's throughput
    bool follow = false;    ///< trace the ray again, with all that it spawns
};

/// Traces the rays of a level into hits[i]; only the device knows their number.
void trace_level(Scratch& scratch, const WhittedFrame& frame, const WaveLevel& level,
                 const WavefrontCounts* counts);
/// Computes values[i] of at most `capacity` rays.
void shade_leaves(Stream& stream, const WhittedFrame& frame, const LeafPass& pass,
                  std::uint32_t capacity);

TL_DEVICE_END
