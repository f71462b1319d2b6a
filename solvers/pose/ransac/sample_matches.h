// Random samples of matches that do not repeat, each from the seed and its number alone (Floyd's
// algorithm; Bentley and Floyd 1987).
#pragma once

#include "core/base/random.h"

namespace tl {

/// Draws kSample different indices below `count`, which is at least kSample.
template <int kSample>
TL_HD void draw_sample(std::uint64_t seed, std::uint64_t number, std::uint32_t count,
                       std::uint32_t* indices) {
    RandomStream random(seed, static_cast<std::uint32_t>(number),
                        static_cast<std::uint32_t>(number >> 32));
    for (int i = 0; i < kSample; ++i) {
        std::uint32_t last = count - kSample + static_cast<std::uint32_t>(i);
        auto index =
            static_cast<std::uint32_t>((random.next_uint() * (std::uint64_t{last} + 1)) >> 32);
        for (int k = 0; k < i; ++k)
            if (indices[k] == index) {
                index = last;
                break;
            }
        indices[i] = index;
    }
}

}  // namespace tl
