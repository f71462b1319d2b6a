// A light that a renderer has chosen among many.
#pragma once

#include <cstdint>

namespace tl {

/// A light and the probability with which it is chosen.
struct ChosenLight {
    std::uint32_t index;
    float probability;  ///< 0: no light reaches the point
};

}  // namespace tl
