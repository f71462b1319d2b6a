// Vertex of an overlay: the end of a line segment, or a point. Includes no OpenGL header.
#pragma once

#include <cstdint>

#include "core/base/math.h"

namespace tl {

struct OverlayVertex {
    vec3 position;            ///< in the scene's coordinates
    std::uint32_t rgba8 = 0;  ///< sRGB-encoded; red in the lowest byte
};
static_assert(sizeof(OverlayVertex) == 16);

}  // namespace tl
