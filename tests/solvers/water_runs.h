// Runs of shallow water for tests.
#pragma once

#include <cmath>

#include "solvers/shallow_water/water_cases.h"

namespace tl::test {

/// A case after `duration` seconds.
inline Water moved(Stream& stream, const WaterCase& given, double duration, bool by_tiles = false) {
    Water water(stream, given.basin, given.config);
    water.by_tiles = by_tiles;
    auto n_steps = std::lround(duration / double(given.config.time_step));
    for (long i = 0; i < n_steps; ++i) (void)water.step(stream);
    return water;
}

}  // namespace tl::test
