// A light chosen among many, with its selection probability.
#pragma once

#include <cstdint>

namespace tl {

/// A light and the probability of choosing it.
struct ChosenLight {
    std::uint32_t index;
    float probability;  ///< 0: no light reaches the point
};

}  // namespace tl
