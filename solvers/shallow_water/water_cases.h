// Starts of shallow water by name, each with what suits it: a time step, a scheme, a duration.
#pragma once

#include <string>
#include <vector>

#include "solvers/shallow_water/water.h"

namespace tl {

struct WaterCase {
    Basin basin;
    WaterConfig config;
    double duration = 1;  ///< s
};

/// A row of the table of starts.
struct WaterCaseRow {
    std::string id;
    std::string help;  ///< one sentence
    int cells;         ///< of a row, unless the configuration has another number
    WaterCase (*make)(int cells);
};
[[nodiscard]] const std::vector<WaterCaseRow>& water_cases();
/// The start `id` with `cells` in a row, or as many as it has of itself if that is 0. Throws
/// UsageError listing the known ids.
[[nodiscard]] WaterCase make_water_case(const std::string& id, int cells);

/// Depth and velocity of an ideal dam break on a level bed at a time t > 0 after the dam at x = 0
/// has gone, with water of depth `left` at x < 0 and `right`, less, at x > 0: Ritter 1892 where
/// that is 0, else Stoker 1957.
struct DamBreakState {
    double depth, velocity;
};
[[nodiscard]] DamBreakState dam_break_at(double left, double right, double gravity, double x,
                                         double t);
/// Depths before and behind the dam of the cases dam-break and dam-break-dry.
inline constexpr double kDamDepth = 10, kDamRest = 2;

}  // namespace tl
