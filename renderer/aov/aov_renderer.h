// One auxiliary picture as false colours, live.
#pragma once

#include <memory>

#include "renderer/renderer.h"

// clang-format off
TL_FOR_DEVICES(
    std::unique_ptr<Renderer> make_aov_renderer();
)
// clang-format on
