// The grid of shallow water as one direction's lines of cells, for kernels.
#pragma once

#include "accel/parallel/device.h"
#include "accel/parallel/macros.h"
#include "solvers/shallow_water/water_config.h"

namespace tl {

/// The grid as the lines of one direction see it: cell s of line t, with face s before it. A
/// system couples the cells of a line.
struct WaterLines {
    int n = 0, m = 0;      ///< cells of a line; lines
    int step = 1;          ///< from a cell of a line to the next, in elements
    int across = 1;        ///< from a line to the next
    double d = 1, dc = 1;  ///< size of a cell along and across
    WaterBorder border{}, border_across{};
    Advection advection{};
    const double *z = nullptr, *z_before = nullptr;  ///< level; that of the last such half step
    const double* bed = nullptr;
    const double *w = nullptr, *c = nullptr;  ///< velocity along and across
    double dt = 0;                            ///< for velocities
    double dt_level = 0;                      ///< times the new flow along: what the level loses
    double dt_across = 0;                     ///< times the flow across
    double g = 0, implicitness = 1;
    double lag = 0;       ///< share of z_before in the slope; with `implicitness` 1, but at a start
    double friction = 0;  ///< dt g / C^2
    double wind = 0;      ///< dt times the wind's stress along, over the density of water
    double rest = 0;      ///< level beyond open borders
    double rain = 0;      ///< that falls in dt_level, m

    /// The pull of a slope: velocity gained is kappa times the difference of two cells' levels.
    [[nodiscard]] TL_HD double kappa() const { return implicitness * g * dt / d; }
    [[nodiscard]] TL_HD int cell(int s, int t) const { return s * step + t * across; }
};

}  // namespace tl
