// Packet tracing on the CPU, instead of the single kernel: rays are traced and shaded eight at a
// time, one per lane of an AVX2 register. Between steps, rays are queued in bins by their next step
// (trace, shade, or reflect and refract), so that lanes are seldom idle. The picture equals the
// single kernel's, to float rounding, with the same number of rays.
#pragma once

#include "renderer/whitted/whitted_job.h"

namespace tl::cpu {

/// Whether packets can render the frame: no patches, textures, vertex colours, instances or glossy
/// surfaces, and a simd8 tree that is not robust.
[[nodiscard]] bool can_render_packets(const WhittedFrame& frame);

/// Renders one sample for every pixel. Throws Cancelled when the stream is cancelled.
void render_packets(Stream& stream, const WhittedJob& job);

}  // namespace tl::cpu
