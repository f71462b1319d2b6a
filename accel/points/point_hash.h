// Approximate nearest neighbours by locality-sensitive hashing (Datar et al. 2004; for photons: Ma
// & McCool 2002; Goradia 2008, chapter 7). Points that share a cell of a grid share an entry of its
// hash table. Several grids, rotated and shifted against each other, make it likely that near
// points share a cell of one of them. Compared with the trees, which find the nearest points
// exactly, it shows the gain of an approximate search.
#pragma once

#include "accel/points/find_nearest.h"
#include "core/base/fused.h"

namespace tl {

/// Rotated grid of cubes. The cell of a point is the integer part of its coordinates along three
/// directions.
struct TurnedGrid {
    vec3 directions[3];  ///< orthogonal; their length is the number of cells per metre
    vec3 shift;          ///< offset of the grid, in cells

    /// Returns the coordinate of `p` along an axis of the grid, in cells.
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

/// View of the tables, passed to kernels by value.
struct PointHashView {
    /// Marks approximate searches: distances found for one query point do not bound the next
    /// search.
    static constexpr bool kMayMiss = true;
    static constexpr int kMostTables = 8;
    TurnedGrid grids[kMostTables];
    int n_tables = 0;
    std::uint32_t n_entries = 0;       ///< entries of one table, a power of two
    View<const std::uint32_t> starts;  ///< per table and entry: begin of its points in the table
    View<const std::uint32_t> ends;    ///< per table and entry: end of its points in the table
    View<const TreePoint> points;      ///< all points, once for each table

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
    /// Owns the memory of the tables, which rebuilds reuse.
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
    /// Finds nearest points, as find_nearest() of a tree, among the points that share a cell with
    /// the query point in some table.
    void find_nearest(Stream& stream, const PointHashView& hash, View<const vec3> places, int k,
                      float radius, const NearestPoints& out);
    /// Sets counts[q] to the number of such points closer than `radius` to query point q.
    void count_within(Stream& stream, const PointHashView& hash, View<const vec3> places,
                      float radius, View<std::uint32_t> counts);
)
// clang-format on
