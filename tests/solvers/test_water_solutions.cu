// Shallow water against closed-form solutions: standing waves and dam breaks, on every device.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "tests/device_test.h"
#include "tests/long_test.h"
#include "tests/solvers/water_runs.h"

namespace tl::TL_DEVICE_NAME {
namespace water_solutions_tests {

using test::moved;

/// Mean error of the depth over the middle row, relative to the dam's depth.
double dam_break_error(Stream& stream, const char* id, int cells, WaterMode mode, double rest) {
    auto made = make_water_case(id, cells);
    made.config.mode = mode;
    Water water = moved(stream, made, made.duration);
    auto z = water.download(stream).z;
    double sum = 0;
    for (int i = 0; i < cells; ++i) {
        double x = (i + 0.5) * made.basin.dx - 500;
        auto truth = dam_break_at(kDamDepth, rest, 9.81, x, water.time());
        sum += std::abs(z[static_cast<std::size_t>(i)] - truth.depth);
    }
    return sum / cells / kDamDepth;
}

/// Error of the level behind the bore of a dam break, m, on the middle line, which runs along x or
/// y. Backwards, the water runs to lower coordinates.
double bore_error(Stream& stream, int cells, WaterMode mode, bool by_tiles, bool along_y,
                  bool backwards) {
    auto made = make_water_case("dam-break", cells);
    Basin& basin = made.basin;
    if (along_y) std::swap(basin.nx, basin.ny);
    for (std::size_t i = 0; i < basin.size(); ++i) {
        auto nx = static_cast<std::size_t>(basin.nx);
        bool first = static_cast<int>(along_y ? i / nx : i % nx) < cells / 2;
        basin.level[i] = first != backwards ? kDamDepth : kDamRest;
    }
    made.config.mode = mode;
    Water water = moved(stream, made, made.duration, by_tiles);
    auto z = water.download(stream).z;
    double sum = 0;
    int n_cells = 0;
    for (int i = 0; i < cells; ++i) {
        double x = (i + 0.5) * 1000 / cells - 500;
        if (x < 60 || x > 150) continue;  // from the rarefaction's end, at 26 m, to the bore at 211
        int at = backwards ? cells - 1 - i : i;
        sum += z[static_cast<std::size_t>(along_y ? at * basin.nx + basin.nx / 2
                                                  : basin.ny / 2 * basin.nx + at)];
        ++n_cells;
    }
    double truth = dam_break_at(kDamDepth, kDamRest, 9.81, 100, water.time()).depth;
    return std::abs(sum / n_cells - truth);
}

/// Largest error of a standing wave's level after 20 seconds, relative to its height.
double seiche_error(Stream& stream, int cells, WaterMode mode) {
    auto made = make_water_case("seiche", cells);
    made.config.mode = mode;
    Water water = moved(stream, made, 20);
    double frequency = std::numbers::pi / 100 * std::sqrt(double(made.config.gravity));
    auto z = water.download(stream).z;
    double largest = 0;
    for (int i = 0; i < cells; ++i) {
        double x = (i + 0.5) * made.basin.dx;
        double truth =
            1e-4 * std::cos(std::numbers::pi * x / 100) * std::cos(frequency * water.time());
        largest = std::max(largest, std::abs(z[static_cast<std::size_t>(i)] - truth));
    }
    return largest / 1e-4;
}

}  // namespace water_solutions_tests
}  // namespace tl::TL_DEVICE_NAME

using namespace tl::TL_DEVICE_NAME::water_solutions_tests;

TL_DEVICE_TEST(WaterSolutions, ErrorsOfAStandingWaveFallWithTheSquareOfTheCell) {
    for (auto mode : {WaterMode::adi, WaterMode::pcg}) {
        double coarse = seiche_error(stream, 32, mode), fine = seiche_error(stream, 64, mode);
        EXPECT_LT(fine, 0.01);
        EXPECT_GT(std::log2(coarse / fine), 1.8);
        EXPECT_LT(std::log2(coarse / fine), 2.3);
    }
}

TL_DEVICE_TEST(WaterSolutions, DamBreaksApproachTheirClosedSolutions) {
    // The scheme is of first order, and the errors where the solutions have corners of less: with a
    // quarter of the cells' size, at most half of the error remains.
    for (auto mode : {WaterMode::adi, WaterMode::pcg})
        for (auto [id, rest] : {std::pair{"dam-break", kDamRest}, {"dam-break-dry", 0.0}}) {
            double coarse = dam_break_error(stream, id, 64, mode, rest);
            double fine = dam_break_error(stream, id, 256, mode, rest);
            EXPECT_LT(fine, 0.007) << id;
            EXPECT_LT(fine, 0.5 * coarse) << id;
        }
}

TL_DEVICE_TEST(WaterSolutions, BoresHaveTheHeightsOfTheirClosedSolutions) {
    TL_LONG_TEST();
    struct Way {
        WaterMode mode;
        bool by_tiles, along_y, backwards;
    };
    const Way ways[] = {{WaterMode::adi, false, false, false}, {WaterMode::adi, false, true, true},
                        {WaterMode::adi, true, true, false},   {WaterMode::adi, true, false, true},
                        {WaterMode::pcg, false, false, false}, {WaterMode::pcg, false, true, true}};
    for (auto way : ways) {
        SCOPED_TRACE(std::to_string(static_cast<int>(way.mode)) + (way.along_y ? ", y" : ", x"));
        auto error = [&](int cells) {
            return bore_error(stream, cells, way.mode, way.by_tiles, way.along_y, way.backwards);
        };
        // The scheme is of first order: errors of 0.02 and 0.01 m were seen, of 5.08 m.
        double coarse = error(96), fine = error(192);
        EXPECT_LT(fine, 0.02);
        EXPECT_LT(fine, 0.65 * coarse);
    }
}
