// Blue noise on surfaces: random points of which no two on the same side are closer than a
// distance. The distance is about as large as the number of points allows.
//
// Darts are thrown in an order that is fixed by the seed. They are accepted where they are far
// enough from all accepted before. When too few are accepted, the distance is lowered a little
// (relaxation dart throwing, McCool & Fiume 1992). Darts are thrown in batches. A hash grid rejects
// those near earlier ones in parallel. Conflicts within a batch are resolved in rounds, with the
// same result as one dart after the other (after Wei 2008, "Parallel Poisson disk sampling";
// Blelloch et al. 2012). The result does not depend on the number of threads.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/base/math.h"

namespace tl {

/// Candidate point.
struct Dart {
    vec3 position{0};
    vec3 normal{0};        ///< normal of its side of the surface, unit length
    bool is_there = true;  ///< false: in a hole, where there is no surface
};

struct PoissonDisk {
    std::vector<std::uint64_t> darts;  ///< numbers of the accepted darts, in ascending order
    float distance = 0;                ///< no two points on the same side are closer
    double present = 1;                ///< fraction of all darts that hit no hole
};

/// Throws darts until `n` are accepted. `dart(number)` always returns the same dart for the same
/// number, and is called from many threads. Darts are spread evenly over `area`, m^2. None are
/// accepted where all of the surface is holes. `progress` receives the fraction of accepted darts;
/// an exception that it throws cancels the work.
[[nodiscard]] PoissonDisk throw_darts(std::size_t n, double area,
                                      const std::function<Dart(std::uint64_t number)>& dart,
                                      const std::function<void(double share)>& progress = {});

}  // namespace tl
