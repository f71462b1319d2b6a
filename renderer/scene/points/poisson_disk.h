// Blue noise on surfaces: places at random of which no two on the same side are closer than a
// distance, which is about as large as so many places allow.
//
// Darts are thrown in an order that is fixed by the seed, and stick where they are far enough from
// all before; when too few stick, the distance is lowered a little (relaxation dart throwing,
// McCool & Fiume 1992). Darts are thrown in batches: those far from earlier ones are found at once,
// by a hash grid, and settled among each other in rounds, of which the result is that of one after
// the other (after Wei 2008, "Parallel Poisson disk sampling"; Blelloch et al. 2012). It does not
// depend on the number of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "accel/parallel/math.h"

namespace tl {

/// A place that is tried.
struct Dart {
    vec3 position{0};
    vec3 normal{0};        ///< of the side that it is on, unit length
    bool is_there = true;  ///< false: in a hole, where there is no surface
};

struct PoissonDisk {
    std::vector<std::uint64_t> darts;  ///< the numbers of those that stick, in ascending order
    float distance = 0;                ///< no two are closer
    double present = 1;                ///< the share of all darts that met no hole
};

/// Throws darts until `n` stick. `dart(number)` gives the same answer for the same number, at all
/// times, and is called from many threads; darts are spread evenly over `area`, m^2. None stick
/// where all of the surface is holes. `progress` is told the share that sticks, and ends the work
/// by what it throws.
[[nodiscard]] PoissonDisk throw_darts(std::size_t n, double area,
                                      const std::function<Dart(std::uint64_t number)>& dart,
                                      const std::function<void(double share)>& progress = {});

}  // namespace tl
