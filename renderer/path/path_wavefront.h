// All paths of a picture advance together, bounce by bounce: their rays are traced from a queue
// (accel/bvh/traversal/trace_rays.h), a kernel that traces nothing shades the hits, and the paths
// that go on are compacted (Laine, Karras & Aila 2013, "Megakernels considered harmful: wavefront
// path tracing on GPUs"). Only the device knows the number of rays of a bounce; the host never
// waits. Pictures do not depend on the order in which threads append to the queues.
#pragma once

#include "renderer/path/path_trace.h"

TL_DEVICE_BEGIN

/// Whether the wavefront can render the scene: its queues know no patches, nor holes behind which a
/// ray goes on.
[[nodiscard]] inline bool can_render_wavefront(const SceneView& scene) {
    return scene.tree.patches.empty() && !scene.has_cutouts;
}

/// Takes about 310 bytes of scratch memory for each path of a chunk, and 16 a pixel.
void trace_paths_in_waves(Scratch& scratch, const PathJob& job);

TL_DEVICE_END
