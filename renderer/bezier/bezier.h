// Pictures of Bezier patches by any of several methods of intersection, stage by stage: what they
// cost, and what they miss. Lights and mirrors as in the Whitted tracer; a ray sends on one ray at
// most, surfaces with holes are whole, and glass casts full shadows.
#pragma once

#include <memory>

#include "renderer/renderer.h"

// clang-format off
TL_FOR_DEVICES(
    std::unique_ptr<Renderer> make_bezier_renderer();
)
// clang-format on
