// The Whitted ray tracer: direct light, shadows, mirror reflection and refraction.
#pragma once

#include <memory>

#include "renderer/renderer.h"

// clang-format off
TL_FOR_DEVICES(
    std::unique_ptr<Renderer> make_whitted_renderer();
)
// clang-format on
