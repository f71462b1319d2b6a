// The level of the next step from one system of five points (Casulli 1990, section 3), by conjugate
// gradients with a multigrid cycle as preconditioner.
#pragma once

#include <vector>

#include "core/device/array.h"
#include "solvers/shallow_water/water.h"
#include "solvers/shallow_water/water_lines.h"

namespace tl {

/// One grid of the multigrid cycle. Each cell covers 2^shift by 2^shift cells of the first grid, or
/// fewer at the upper ends.
struct WaterGrid {
    int nx = 0, ny = 0, pitch = 0, shift = 0;
    int fine_nx = 0, fine_ny = 0;
    bool ring_x = false, ring_y = false;
    float *ax = nullptr, *ay = nullptr;  ///< off-diagonal elements, of the faces as of u and v
    float* inverse = nullptr;            ///< one over the diagonal
    float *r = nullptr, *x = nullptr;    ///< residual, and the cycle's correction

    [[nodiscard]] std::size_t size() const {
        return static_cast<std::size_t>(pitch) * static_cast<std::size_t>(ny + 1);
    }
};

/// The scalars of the iteration, in device memory.
struct PcgScalars {
    double rz = 0, pq = 0, rr = 0, rr_start = 0, tolerance = 0;
    float alpha = 0, beta = 0;
    int iterations = 0, most = 0, done = 0, unused = 0;
};

/// Memory of the conjugate gradients, kept between steps.
struct PcgMemory {
    DeviceArray<float> floats;
    DeviceArray<double> partial;  ///< sums of blocks
    DeviceArray<PcgScalars> scalars;
    std::vector<WaterGrid> grids;  ///< the first is the finest
    float *p = nullptr, *p_next = nullptr, *q = nullptr, *e = nullptr;
    int guess = 8;  ///< iterations launched before the host first tests for convergence

    void allocate(Stream& stream, int nx, int ny, int pitch);
    [[nodiscard]] std::size_t bytes() const {
        return floats.bytes() + partial.bytes() + scalars.bytes();
    }
    [[nodiscard]] static std::uint64_t bytes_for(int nx, int ny);
};

/// The inputs of a step: lines along x and along y, of the same old fields, with dt_level and
/// dt_across for a whole step.
struct PcgStep {
    WaterLines x, y;
    double rain = 0;  ///< rain in a step, m
    double *z_new = nullptr, *u_new = nullptr, *v_new = nullptr;
    double* given = nullptr;                        ///< scratch memory, as large as the level
    double *flows_x = nullptr, *flows_y = nullptr;  ///< likewise; null where momentum is not kept
    float tolerance = 1e-6f;
    int most_iterations = 200;
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    // Computes the new fields, in which no cell has given more than its water. Waits for the stream
    // twice, or more often where more iterations are needed than in the last step, or cells fall
    // dry.
    WaterStep pcg_step(Stream& stream, const PcgStep& step, PcgMemory& memory);
)
// clang-format on
