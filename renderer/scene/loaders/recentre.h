// Models far from the origin, as those of maps are: floats keep their details only about a point
// nearby, which Scene::offset holds.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "renderer/scene/scene.h"

namespace tl {

/// An axis-aligned box of positions in double; empty when lo > hi.
struct WideBox {
    glm::dvec3 lo{double{kInfinity}}, hi{-double{kInfinity}};

    void extend(const glm::dvec3& p) {
        lo = glm::min(lo, p);
        hi = glm::max(hi, p);
    }
};

/// Offset to subtract from positions within `bounds`, so that floats keep their details. It is near
/// the middle and has few digits. It is 0 on every axis where the spacing of floats is at most two
/// millionths of the longest side anyway.
[[nodiscard]] glm::dvec3 recentring_offset(const WideBox& bounds);

/// Positions as floats, less an offset.
[[nodiscard]] std::vector<vec3> recentred(std::span<const glm::dvec3> positions,
                                          const glm::dvec3& offset);
/// Positions of a model that is added to a scene. They are recentred where they need it, by the
/// value that Scene::offset is set to.
[[nodiscard]] std::vector<vec3> recentred(std::span<const glm::dvec3> positions, Scene& scene);

/// "(4512300, 482300, 0)".
[[nodiscard]] std::string place_text(const glm::dvec3& place);

/// Warns that a scene has an offset, and where its bounds are such that it would need another one.
void note_offset(Scene& scene, const Box& bounds);

}  // namespace tl
