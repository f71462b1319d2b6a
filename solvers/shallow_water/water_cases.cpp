#include "solvers/shallow_water/water_cases.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/device/registry.h"

namespace tl {
namespace {

/// Sets bed and level of all cells from their middles; a level below the bed becomes that of the
/// bed. `at` returns {bed, level}.
template <class At>
void fill_basin(Basin& basin, At&& at) {
    for (int j = 0; j < basin.ny; ++j)
        for (int i = 0; i < basin.nx; ++i) {
            auto [bed, level] = at((i + 0.5) * basin.dx, (j + 0.5) * basin.dy);
            auto cell = static_cast<std::size_t>(j) * static_cast<std::size_t>(basin.nx) +
                        static_cast<std::size_t>(i);
            basin.bed[cell] = bed;
            basin.level[cell] = std::max(bed, level);
        }
}

struct BedAndLevel {
    double bed, level;
};

double water_bump(double x, double y, double radius) {
    return std::exp(-(x * x + y * y) / (radius * radius));
}

/// 121 x 121 cells of 10 m and steps of 1 s: a wave that is faster to one side, where the water is
/// deeper.
WaterCase thesis_case(int cells) {
    WaterCase made;
    made.basin.resize(cells, cells, 1210.0 / cells);
    fill_basin(made.basin, [](double x, double y) {
        return BedAndLevel{-8 - 4 * x / 1210, water_bump(x - 605, y - 605, 100)};
    });
    made.config.time_step = 1;
    made.duration = 10;
    return made;
}

WaterCase dam_case(int cells, double rest) {
    WaterCase made;
    double length = 1000;
    made.basin.resize(cells, std::max(Water::kLeastCells, cells / 50), length / cells);
    fill_basin(made.basin, [&](double x, double) {
        return BedAndLevel{0, x < 500 ? kDamDepth : rest};
    });
    made.config.advection = Advection::momentum;
    // Water runs at up to 20 m/s: it crosses a third of a cell in a step.
    made.config.time_step = static_cast<float>(length / cells / 60);
    made.duration = 20;
    return made;
}
WaterCase dam_break_case(int cells) {
    return dam_case(cells, kDamRest);
}
WaterCase dry_dam_break_case(int cells) {
    return dam_case(cells, 0);
}

/// A standing wave in a closed basin: linear, undamped.
WaterCase seiche_case(int cells) {
    WaterCase made;
    made.basin.resize(cells, std::max(Water::kLeastCells, cells / 8), 100.0 / cells);
    fill_basin(made.basin, [](double x, double) {
        return BedAndLevel{-1, 1e-4 * std::cos(std::numbers::pi * x / 100)};
    });
    made.config.advection = Advection::none;
    made.config.implicitness = 0.5f;
    made.config.time_step = static_cast<float>(20.0 / cells);
    made.duration = 60;
    return made;
}

/// Hills of which some stand out of a lake that nothing moves.
WaterCase lake_case(int cells) {
    WaterCase made;
    made.basin.resize(cells, cells, 100.0 / cells);
    fill_basin(made.basin, [](double x, double y) {
        double hills = 1.6 * water_bump(x - 35, y - 40, 14) + 2.4 * water_bump(x - 65, y - 62, 10) +
                       0.2 * std::sin(x / 5) * std::cos(y / 4);
        return BedAndLevel{-1.2 + hills, 0};
    });
    made.config.time_step = 0.1f;
    made.duration = 10;
    return made;
}

/// Five humps of water in a square basin.
WaterCase drops_case(int cells) {
    WaterCase made;
    made.basin.resize(cells, cells, 10.0 / cells);
    constexpr double kPlaces[][2] = {{5, 5}, {2, 3}, {7.5, 2.5}, {3, 7.8}, {8, 8}};
    fill_basin(made.basin, [&](double x, double y) {
        double level = 0;
        for (auto& [px, py] : kPlaces) level += 0.08 * water_bump(x - px, y - py, 0.4);
        return BedAndLevel{-1, level};
    });
    made.config.implicitness = 0.55f;
    // Waves of 3.1 m/s cross one cell and a half in a step.
    made.config.time_step = static_cast<float>(10.0 / cells / 2);
    made.duration = 3;
    return made;
}

/// Water above a cone of land, into which waves come from an open side.
WaterCase beach_case(int cells) {
    WaterCase made;
    made.basin.resize(cells, cells, 200.0 / cells);
    fill_basin(made.basin, [](double x, double y) {
        double slope = -6 + 8 * x / 200 + 0.7 * std::sin(y / 14);
        return BedAndLevel{slope, 1.2 * water_bump(x - 40, 0, 12)};
    });
    made.config.border_x = WaterBorder::open;
    made.config.implicitness = 0.6f;
    made.config.chezy = 40;
    made.config.advection = Advection::momentum;
    made.config.time_step = static_cast<float>(200.0 / cells / 20);
    made.duration = 40;
    return made;
}

}  // namespace

const std::vector<WaterCaseRow>& water_cases() {
    static const std::vector<WaterCaseRow> table{
        {"thesis", "a round wave over a sloping bed, after Brodtkorb 2007, figure 5.4", 121,
         &thesis_case},
        {"dam-break", "a wall of 10 m of water falls into 2 m of it", 1000, &dam_break_case},
        {"dam-break-dry", "a wall of 10 m of water falls onto a dry bed", 1000,
         &dry_dam_break_case},
        {"seiche", "a small standing wave between two walls", 128, &seiche_case},
        {"lake", "a lake at rest, with islands", 128, &lake_case},
        {"drops", "five humps in a square basin", 512, &drops_case},
        {"beach", "a wave runs up a beach with an open sea", 256, &beach_case},
    };
    return table;
}

WaterCase make_water_case(const std::string& id, int cells) {
    auto& row = find_row(water_cases(), id, "case of water");
    return row.make(cells > 0 ? std::max(cells, Water::kLeastCells) : row.cells);
}

DamBreakState dam_break_at(double left, double right, double gravity, double x, double t) {
    double c = std::sqrt(gravity * left), speed = x / t;
    double middle = 0, velocity = 2 * c, front = 2 * c;
    if (right > 0) {
        // The depth between the two waves, by bisection: velocity behind the bore as from the
        // rarefaction, 2 (c - sqrt(g h)), and by the jump conditions.
        double low = right, high = left;
        for (int i = 0; i < 200; ++i) {
            middle = (low + high) / 2;
            double jump =
                (middle - right) * std::sqrt(gravity * (middle + right) / (2 * middle * right));
            (2 * (c - std::sqrt(gravity * middle)) > jump ? low : high) = middle;
        }
        velocity = 2 * (c - std::sqrt(gravity * middle));
        front = velocity * middle / (middle - right);
    }
    if (speed <= -c) return {left, 0};
    if (speed >= front) return {right, 0};
    if (right > 0 && speed >= velocity - std::sqrt(gravity * middle)) return {middle, velocity};
    double wave = (2 * c - speed) / 3;
    return {wave * wave / gravity, 2 * (c + speed) / 3};
}

}  // namespace tl
