// False colours for what a pixel's rays met in the tree: nodes visited, primitives tested.
#pragma once

#include <memory>

#include "renderer/renderer.h"

// clang-format off
TL_FOR_DEVICES(
    std::unique_ptr<Renderer> make_heat_map_renderer();
)
// clang-format on
