// Shallow water on a grid, by the semi-implicit schemes of Casulli (1990): level z over a bed b,
// and velocities u and v on the faces of cells, as in Brodtkorb 2007, chapter 5. Lengths are in
// metres, times in seconds.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/device/array.h"
#include "solvers/shallow_water/water_config.h"
#include "solvers/solver.h"

namespace tl {

/// Bed and level of a basin, in host memory: row-major, one number for each cell, x first.
struct Basin {
    int nx = 0, ny = 0;
    double dx = 1, dy = 1;           ///< size of a cell
    std::vector<double> bed, level;  ///< the level is that of the bed where the cell is dry

    [[nodiscard]] std::size_t size() const {
        return static_cast<std::size_t>(nx) * static_cast<std::size_t>(ny);
    }
    /// Makes all cells, dry up to `still` metres.
    void resize(int columns, int rows, double cell, double still = 0);
};

/// Sums over all cells, and the highest speed on a face.
struct WaterTotals {
    double volume = 0;         ///< volume of water, m^3
    double energy = 0;         ///< potential above the bed's lowest cell and kinetic, J per kg/m^3
    double lowest_depth = 0;   ///< m
    double highest_speed = 0;  ///< m/s
    double highest_level = 0;  ///< highest level of a wet cell, m
    std::uint64_t n_wet = 0;   ///< cells deeper than a micrometre
};

/// Statistics of one step.
struct WaterStep {
    int iterations = 0;   ///< iterations of conjugate gradients
    double residual = 0;  ///< final over initial residual
};

/// Fields for kernels. Cell (i, j) of z and b is at i + j * pitch. Face i of u lies left of cell i
/// (0 to nx); face j of v lies below cell j (0 to ny).
struct WaterFields {
    int nx = 0, ny = 0, pitch = 0;
    double dx = 1, dy = 1;
    const double *z = nullptr, *bed = nullptr, *u = nullptr, *v = nullptr;
};

class Queue;

/// A device's part of the systems of mode plu.
struct WaterShare {
    DeviceKind device{};
    std::uint64_t systems = 0;  ///< that it has solved
    double seconds = 0;         ///< time in which it did
};

/// Simulation of shallow water with its fields on one device. One stream at a time.
class Water {
  public:
    /// Copies the basin to the stream's device. Throws UserError if it is smaller than kLeastCells
    /// a side, has a number that is not finite or water below its bed, or does not fit into memory.
    Water(Stream& stream, const Basin& basin, const WaterConfig& config);
    ~Water();
    Water(Water&&) noexcept;
    Water& operator=(Water&&) noexcept;

    static constexpr int kLeastCells = 8;

    /// Advances by the config's time step. Does not wait for the device in mode adi; waits once or
    /// twice in mode pcg, and for all systems of a direction in mode plu. Throws UserError.
    WaterStep step(Stream& stream);
    /// Adds a drop: a hump of water with that height and radius about a point.
    void drop(Stream& stream, double x, double y, double height, double radius);
    /// Puts the basin back to its start.
    void restart(Stream& stream);

    /// Queues between which mode plu shares its systems from now on, instead of one for each
    /// device.
    void share_between(std::vector<std::unique_ptr<Queue>> queues);
    /// A row for each queue since the first step that was shared; none before.
    [[nodiscard]] std::vector<WaterShare> shares() const;

    /// May be changed between steps.
    [[nodiscard]] WaterConfig& config();
    [[nodiscard]] double time() const;
    [[nodiscard]] WaterFields fields() const;
    /// Waits for the stream.
    [[nodiscard]] WaterTotals totals(Stream& stream) const;
    /// The level, and velocities at the faces: nx x ny, (nx + 1) x ny and nx x (ny + 1) numbers,
    /// row-major. Waits for the stream.
    struct Host {
        std::vector<double> z, u, v;
    };
    [[nodiscard]] Host download(Stream& stream) const;
    /// Device memory.
    [[nodiscard]] std::size_t bytes() const;

    /// ADI by tiles of lines on any device, as GPUs do it; otherwise the CPU takes whole lines.
    bool by_tiles = false;

  private:
    struct State;
    std::unique_ptr<State> state_;
};

/// Throws UserError for a basin that the mode cannot take, or devices that cannot share it.
void check_water_mode(int nx, int ny, const WaterConfig& config);
/// Bytes of memory that a device of this kind needs for a basin of this many cells.
[[nodiscard]] std::uint64_t water_bytes(int nx, int ny, WaterMode mode, DeviceKind kind);

}  // namespace tl
