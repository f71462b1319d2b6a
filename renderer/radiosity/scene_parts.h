// What stands between the points of a scene, part by part, to tell where something has moved.
#pragma once

#include <span>
#include <vector>

#include "renderer/scene/scene.h"

namespace tl {

/// A mesh or a set of patches, an instance, a sphere, a splat, or the surface of a lamp.
struct ScenePart {
    std::uint64_t print;  ///< of all that rays between points notice of it
    Box box;              ///< of its surface
};

/// All parts as they are at `time`, seconds, by ascending prints.
[[nodiscard]] std::vector<ScenePart> parts_of(const Scene& scene, float time);

/// Boxes that hold all parts which are only one time among those, where they have been and where
/// they are now: none where nothing has changed, and at most `most`, with those that lie together
/// in one.
[[nodiscard]] std::vector<Box> changed_boxes(std::span<const ScenePart> before,
                                             std::span<const ScenePart> now, std::size_t most);

}  // namespace tl
