// Hashed uniform grid over points: exact nearest neighbours. It suits points whose density is about
// uniform and matches the width of the cells.
#pragma once

#include "accel/points/point_hash.h"

namespace tl {

/// View of a grid, passed to kernels by value: a hash of one table.
struct PointGridView {
    PointHashView table;
    float width = 1;  ///< width of a cell, m
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// Owns the memory of a grid, which rebuilds reuse.
    class PointGrid {
      public:
        /// Builds cells of `width` metres over points whose coordinates are finite. Never waits.
        void build(Scratch& scratch, View<const vec3> points, float width) {
            width_ = width;
            table_.build(scratch, points, width, 1);
        }
        [[nodiscard]] PointGridView view() const { return {table_.view(), width_}; }

      private:
        PointHash table_;
        float width_ = 1;
    };
    /// Finds nearest points, as find_nearest() of a tree. Searches one ring of cells after another
    /// around a query point. If the k nearest points are farther away than four rings, tests all
    /// points.
    void find_nearest(Stream& stream, const PointGridView& grid, View<const vec3> places, int k,
                      float radius, const NearestPoints& out);
    /// Counts points, as count_within() of a tree; `radius` must be at most the width of the cells.
    void count_within(Stream& stream, const PointGridView& grid, View<const vec3> places,
                      float radius, View<std::uint32_t> counts);
)
// clang-format on
