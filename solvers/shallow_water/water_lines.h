// The grid of shallow water as one direction's lines of cells, for kernels.
#pragma once

#include "core/base/macros.h"
#include "core/device/device.h"
#include "solvers/shallow_water/water_config.h"

namespace tl {

/// The grid as the lines of one direction see it: cell s of line t, with face s before it. A
/// system couples the cells of a line.
struct WaterLines {
    int n = 0, m = 0;  ///< cells of a line; lines
    int step = 1;      ///< stride between the cells of a line, in elements
    int across = 1;    ///< stride between lines
    WaterBorder border{}, border_across{};
    Advection advection{};
    const double *z = nullptr, *z_before = nullptr;  ///< level; that of the last such half step
    const double* bed = nullptr;
    const double *w = nullptr, *c = nullptr;  ///< velocity along and across
    double courant = 0, courant_across = 0;   ///< time step over the size of a cell, s/m
    double g = 0;
    double kappa = 0, over_kappa = 0;  ///< velocity gained for a difference of levels; 1 over it
    double weight = 0;                 ///< kappa times the level lost for a flow along
    double pull_before = 0;            ///< like kappa, of z_before
    double drop_along = 0, drop_across = 0;  ///< level lost for the old flows along and across
    double friction = 0;                     ///< dt g / C^2
    double wind = 0;  ///< dt times the wind's stress along, over the density of water
    double rest = 0;  ///< level beyond open borders
    double rain = 0;  ///< rain in dt_level, m

    [[nodiscard]] TL_HD int cell(int s, int t) const { return s * step + t * across; }
};

}  // namespace tl
