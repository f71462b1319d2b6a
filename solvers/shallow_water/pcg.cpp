#include "solvers/shallow_water/pcg.h"

namespace tl {
namespace {

/// Coarsens grids down to one whose cells a single block smooths.
std::vector<WaterGrid> grids_of(int nx, int ny, int pitch) {
    constexpr int kFewCells = 64;
    std::vector<WaterGrid> grids;
    WaterGrid grid{.nx = nx, .ny = ny, .pitch = pitch, .fine_nx = nx, .fine_ny = ny};
    grids.push_back(grid);
    while (grid.nx * grid.ny > kFewCells) {
        grid.nx = (grid.nx + 1) / 2;
        grid.ny = (grid.ny + 1) / 2;
        grid.pitch = (grid.nx + 1 + 31) / 32 * 32;
        ++grid.shift;
        grids.push_back(grid);
    }
    return grids;
}

constexpr std::size_t kArraysOfGrid = 5, kMoreOfFinest = 4;

std::size_t floats_of(const std::vector<WaterGrid>& grids) {
    std::size_t n = kMoreOfFinest * grids[0].size();
    for (auto& grid : grids) n += kArraysOfGrid * grid.size();
    return n;
}

}  // namespace

void PcgMemory::allocate(Stream& stream, int nx, int ny, int pitch) {
    if (!grids.empty()) return;
    auto made = grids_of(nx, ny, pitch);
    floats.resize_discard(stream, floats_of(made));
    floats.fill_zero(stream);
    float* next = floats.data();
    auto take = [&](std::size_t n) { return std::exchange(next, next + n); };
    for (auto& grid : made)
        for (float** part : {&grid.ax, &grid.ay, &grid.inverse, &grid.r, &grid.x})
            *part = take(grid.size());
    for (float** part : {&p, &p_next, &q, &e}) *part = take(made[0].size());
    auto n_blocks = static_cast<std::size_t>(ny) * (static_cast<std::size_t>(nx) / 1024 + 1);
    partial.resize_discard(stream, 2 * n_blocks);
    scalars.resize_discard(stream, 1);
    grids = std::move(made);
}

std::uint64_t PcgMemory::bytes_for(int nx, int ny) {
    return sizeof(float) * floats_of(grids_of(nx, ny, nx + 16));
}

}  // namespace tl
