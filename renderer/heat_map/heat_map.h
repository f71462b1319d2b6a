// False colours for the traversal counts of a pixel's rays: nodes visited, primitives tested.
#pragma once

#include <memory>

#include "renderer/renderer.h"

// clang-format off
TL_FOR_DEVICES(
    std::unique_ptr<Renderer> make_heat_map_renderer();
)
// clang-format on
