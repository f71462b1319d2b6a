// Pictures of Bezier patches by any of several intersection methods, stage by stage, to show what
// each costs and misses. Lights and mirrors as in the Whitted tracer; but a hit spawns one ray at
// most, alpha cutouts are ignored, and glass casts full shadows.
#pragma once

#include <memory>

#include "renderer/renderer.h"

// clang-format off
TL_FOR_DEVICES(
    std::unique_ptr<Renderer> make_bezier_renderer();
)
// clang-format on
