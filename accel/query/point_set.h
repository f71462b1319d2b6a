// Points of a caller's own array in a kd-tree: nearest neighbours, and points within a radius.
#pragma once

#include <memory>
#include <vector>

#include "accel/points/point_tree.h"
#include "accel/query/shapes.h"

namespace tl {

/// All that a search's kernel needs.
struct PointSetView {
    PointTreeView tree;
    const std::uint32_t* ids = nullptr;  ///< index of each of the tree's points in the array
};

/// Output arrays of neighbours, k for each query and nearest first; null members are not written.
struct NeighboursOut {
    std::uint32_t* indices = nullptr;  ///< Hit::kNone where there are fewer
    float* distances = nullptr;        ///< then infinite
};

/// Owns the finite points of an array, and their tree.
class PointSet {
  public:
    virtual ~PointSet() = default;
    /// Rebuilds the tree on the scratch's stream, without waiting.
    virtual void build(Scratch& scratch, const StridedFloats& positions, std::uint32_t count) = 0;
    [[nodiscard]] virtual PointSetView view() const = 0;
    /// Bytes of device memory.
    [[nodiscard]] virtual std::size_t bytes() const = 0;

    /// The number of points of the array.
    [[nodiscard]] std::uint32_t count() const { return count_; }
    /// The number of points that are finite. Waits.
    [[nodiscard]] std::uint32_t read_n_valid(Stream& stream) const;
    /// In the device's memory: the points that are finite, first of all, and their indices.
    [[nodiscard]] View<const vec3> positions() const { return positions_.view(); }
    [[nodiscard]] View<const std::uint32_t> ids() const { return ids_.view(); }
    /// The points that are finite, and their indices in the array. Waits.
    [[nodiscard]] std::vector<vec3> download(Stream& stream) const;
    [[nodiscard]] std::vector<std::uint32_t> download_ids(Stream& stream) const;

  protected:
    DeviceArray<vec3> positions_;
    DeviceArray<std::uint32_t> ids_, n_valid_;
    std::uint32_t count_ = 0;
};

}  // namespace tl

// clang-format off
TL_FOR_DEVICES(
    [[nodiscard]] std::unique_ptr<PointSet> make_point_set();
    /// Finds the k (1 to NearestPoints::kMost) nearest points closer than `radius`. Never waits.
    void find_neighbours(Scratch& scratch, const PointSetView& points, const StridedFloats& queries,
                         std::uint32_t count, int k, float radius, const NeighboursOut& out);
    void count_neighbours(Scratch& scratch, const PointSetView& points,
                          const StridedFloats& queries, std::uint32_t count, float radius,
                          std::uint32_t* counts);
    /// Writes the points closer than `radius` from element offsets[i] on, at most offsets[i + 1] -
    /// offsets[i] and in no order; Hit::kNone where there are fewer.
    void list_neighbours(Scratch& scratch, const PointSetView& points, const StridedFloats& queries,
                         std::uint32_t count, float radius, const ListOffsets& offsets,
                         const NeighboursOut& out);
    /// Sets densities[i] to k points per volume of the ball to the k-th nearest.
    void find_densities(Scratch& scratch, const PointSetView& points, const StridedFloats& queries,
                        std::uint32_t count, int k, float* densities);
)
// clang-format on
