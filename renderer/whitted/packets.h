// The single kernel's place on the CPU: rays go on eight at a time, one to a lane of an AVX2
// register, and so does what happens where they end. Between steps they wait in bins by what is
// next for them (meet the scene, be lit, be reflected and refracted), so that lanes are seldom
// idle. It gives the picture of the single kernel, to float rounding, with as many rays.
#pragma once

#include "renderer/whitted/whitted_job.h"

namespace tl::cpu {

/// Whether packets can render the scene: no textures, no instances, a simd8 tree that is not
/// robust.
[[nodiscard]] bool can_render_packets(const SceneView& scene);

/// One sample for every pixel.
void render_packets(const WhittedJob& job);

}  // namespace tl::cpu
