// Named initial states of shallow water, each with a suitable time step, scheme and duration.
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

/// A row of the table of initial states.
struct WaterCaseRow {
    std::string id;
    std::string help;  ///< one sentence
    int cells;         ///< cells of a row, unless the configuration has another number
    WaterCase (*make)(int cells);
};
[[nodiscard]] const std::vector<WaterCaseRow>& water_cases();
/// The initial state `id` with `cells` in a row, or with its own number of cells if that is 0.
/// Throws UsageError listing the known ids.
[[nodiscard]] WaterCase make_water_case(const std::string& id, int cells);

/// Exact solution of an ideal dam break on a level bed, at a time t > 0 after the dam at x = 0 has
/// gone. Water has depth `left` at x < 0, and the smaller `right` at x > 0: Ritter 1892 where that
/// is 0, else Stoker 1957.
struct DamBreakState {
    double depth, velocity;
};
[[nodiscard]] DamBreakState dam_break_at(double left, double right, double gravity, double x,
                                         double t);
/// Depths before and behind the dam of the cases dam-break and dam-break-dry.
inline constexpr double kDamDepth = 10, kDamRest = 2;

}  // namespace tl
