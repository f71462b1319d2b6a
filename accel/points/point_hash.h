// Several hash tables over points, for neighbours that are near but not always the nearest: points
// that share a cell of a grid share an entry of its table, and several grids, turned and shifted
// against each other, make it likely that near points share a cell of one (locality-sensitive
// hashing: Datar et al. 2004; for photons: Ma & McCool 2002; Goradia 2008, chapter 7). Beside the
// trees, which find the nearest points exactly, it shows what is gained by leaving some out.
#pragma once

#include "accel/parallel/fused.h"
#include "accel/points/find_nearest.h"

namespace tl {

/// A grid of cubes: a place's cell is the whole part of its place along three directions.
struct TurnedGrid {
    vec3 directions[3];  ///< at right angles, as long as cells are per metre
    vec3 shift;          ///< in cells

    /// In cells.
    [[nodiscard]] TL_HD float along(int axis, vec3 p) const {
        return fused_dot(directions[axis], p) + shift[axis];
    }
    [[nodiscard]] TL_HD glm::ivec3 cell(vec3 p) const {
        constexpr float kFarthest = 1e9f;
        glm::ivec3 cell;
        for (int axis = 0; axis < 3; ++axis)
            cell[axis] =
                static_cast<int>(minimum(maximum(floorf(along(axis, p)), -kFarthest), kFarthest));
        return cell;
    }
};

/// The tables as kernels see them.
struct PointHashView {
    /// The nearest points of a place are no bound for those of the next.
    static constexpr bool kMayMiss = true;
    static constexpr int kMostTables = 8;
    TurnedGrid grids[kMostTables];
    int n_tables = 0;
    std::uint32_t n_entries = 0;       ///< of a table, a power of two
    View<const std::uint32_t> starts;  ///< of each entry's points among `points`, table by table
    View<const std::uint32_t> ends;
    View<const TreePoint> points;  ///< all points once for each table

    [[nodiscard]] TL_HD std::uint32_t entry_of(glm::ivec3 cell) const {
        std::uint32_t hash = static_cast<std::uint32_t>(cell.x) * 0x8da6b343u ^
                             static_cast<std::uint32_t>(cell.y) * 0xd8163841u ^
                             static_cast<std::uint32_t>(cell.z) * 0xcb1ab31fu;
        hash = (hash ^ (hash >> 16)) * 0x7feb352du;
        hash = (hash ^ (hash >> 15)) * 0x846ca68bu;
        return (hash ^ (hash >> 16)) & (n_entries - 1);
    }
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// The tables' memory, which is used again.
    class PointHash {
      public:
        /// Builds `n_tables` tables, 1 to PointHashView::kMostTables, with cells of `width` metres,
        /// over points whose coordinates are finite. Never waits.
        void build(Scratch& scratch, View<const vec3> points, float width, int n_tables);
        [[nodiscard]] PointHashView view() const;

      private:
        int n_tables_ = 0;
        float width_ = 1;
        std::uint32_t n_entries_ = 0;
        DeviceArray<std::uint32_t> starts_, ends_;
        DeviceArray<TreePoint> points_;
    };
    /// As find_nearest() of a tree, among the points that share a cell with the place in some table.
    void find_nearest(Stream& stream, const PointHashView& hash, View<const vec3> places, int k,
                      float radius, const NearestPoints& out);
    /// How many such points are closer to each place than `radius`.
    void count_within(Stream& stream, const PointHashView& hash, View<const vec3> places,
                      float radius, View<std::uint32_t> counts);
)
// clang-format on
