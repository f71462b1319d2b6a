// Steps of water whose dense systems the CPU, the GPU, and both solve.
#pragma once

#include <nlohmann/json.hpp>

#include "app/solve/solver_bench.h"
#include "solvers/shallow_water/water_cases.h"

namespace tl {

/// Measures steps of mode plu whose systems each device solves alone, and all together: a row for
/// each, with the part of the systems that each device took, and the differences that Brodtkorb
/// 2007 has in table 5.1. The fields of the last row are on the stream's device. Throws UserError
/// where there is no GPU.
[[nodiscard]] nlohmann::ordered_json measure_shared_water(Stream& stream, const WaterCase& given,
                                                          const SolverBench& bench,
                                                          const ReadProgress& progress);
/// Prints that report.
void print_shared_water(const nlohmann::ordered_json& report);

}  // namespace tl
