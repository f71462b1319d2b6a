// An end of a line, or a point, that is drawn over the picture. No GL.
#pragma once

#include <cstdint>

#include "accel/parallel/math.h"

namespace tl {

struct OverlayVertex {
    vec3 position;            ///< in the scene's coordinates
    std::uint32_t rgba8 = 0;  ///< r lowest, as displayed
};
static_assert(sizeof(OverlayVertex) == 16);

}  // namespace tl
