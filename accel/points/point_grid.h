// A grid of cubes over points, in a table by a hash of the cells: exact neighbours where points lie
// about as densely everywhere as the cells ask for.
#pragma once

#include "accel/points/point_hash.h"

namespace tl {

/// The grid as kernels see it: the only table of a hash.
struct PointGridView {
    PointHashView table;
    float width = 1;  ///< of a cell, m
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    /// The grid's memory, which is used again.
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
    /// As find_nearest() of a tree. Looks at one ring of cells after another around a place; where
    /// the k nearest are farther away than four rings, at all points.
    void find_nearest(Stream& stream, const PointGridView& grid, View<const vec3> places, int k,
                      float radius, const NearestPoints& out);
    /// As count_within() of a tree, for a radius no larger than the width of the cells.
    void count_within(Stream& stream, const PointGridView& grid, View<const vec3> places,
                      float radius, View<std::uint32_t> counts);
)
// clang-format on
