// Occluders of a scene, part by part, to detect where something has moved.
#pragma once

#include <span>
#include <vector>

#include "renderer/scene/scene.h"

namespace tl {

/// A mesh or a set of patches, an instance, a sphere, a splat, or the surface of a lamp.
struct ScenePart {
    std::uint64_t hash;  ///< of everything in the part that affects visibility between points
    Box box;             ///< bounding box of its surface
};

/// Returns all parts at `time`, in seconds, sorted by ascending hash.
[[nodiscard]] std::vector<ScenePart> parts_of(const Scene& scene, float time);

/// Returns at most `most` boxes that contain all parts of only one of the lists: where moved parts
/// were and where they are now. Nearby parts share a box. Empty where nothing has changed.
[[nodiscard]] std::vector<Box> changed_boxes(std::span<const ScenePart> before,
                                             std::span<const ScenePart> now, std::size_t most);

}  // namespace tl
