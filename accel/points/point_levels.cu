#include "accel/points/point_levels.h"

#include "core/device/atomics.h"
#include "core/device/parallel_for.h"
#include "core/operators/operators.h"

TL_DEVICE_BEGIN

namespace {

/// Three orders of all points: the points of each node are contiguous, and sorted along x, y or z.
struct PointOrders {
    View<std::uint32_t> along[3];
};

/// Splits the nodes of a level, and partitions the three orders.
struct SplitPass {
    PointLevels levels;
    int level;
    View<const vec3> positions;
    View<PointSplit> splits;       ///< splits of all levels
    View<std::uint8_t> is_left;    ///< per point: whether it goes left
    View<std::uint32_t> flags;     ///< is_left at each position of the orders that are kept
    View<std::uint32_t> n_before;  ///< exclusive prefix sums of `flags`
    PointOrders from, to;

    [[nodiscard]] TL_D std::uint32_t middle_of(std::uint32_t n, std::uint32_t j) const {
        return PointLevels::first_of(n, level + 1, 2 * j + 1);
    }
    /// Splits node j at the median of its longest side.
    TL_D void split(std::uint32_t j) const {
        std::uint32_t n = levels.n_points();
        std::uint32_t first = PointLevels::first_of(n, level, j);
        std::uint32_t end = PointLevels::first_of(n, level, j + 1);
        PointSplit split{0, 0};
        float longest = -1;
        for (int axis = 0; axis < 3 && first < end; ++axis) {
            float lo = positions[from.along[axis][first]][axis];
            float hi = positions[from.along[axis][end - 1]][axis];
            if (hi - lo > longest) {
                longest = hi - lo;
                split.axis = static_cast<std::uint32_t>(axis);
            }
        }
        if (first < end) {
            std::uint32_t middle = middle_of(n, j);
            std::uint32_t at = middle < end ? middle : end - 1;
            split.plane = positions[from.along[split.axis][at]][static_cast<int>(split.axis)];
        }
        splits[PointLevels::number_of(level, j)] = split;
    }
    /// Sets is_left of the point at position i of the order along its node's axis.
    TL_D void choose_side(std::uint32_t i) const {
        std::uint32_t n = levels.n_points();
        if (i >= n) return;
        std::uint32_t j = PointLevels::node_of(n, level, i);
        std::uint32_t axis = splits[PointLevels::number_of(level, j)].axis;
        is_left[from.along[axis][i]] = i < middle_of(n, j);
    }
    TL_D void set_flag(std::uint32_t k) const {
        std::uint32_t i = k % levels.capacity, axis = k / levels.capacity;
        flags[k] = i < levels.n_points() ? is_left[from.along[axis][i]] : 0;
    }
    /// Moves the point at position k of the concatenated orders to its child. Points on the same
    /// side keep their order.
    TL_D void move(std::uint32_t k) const {
        std::uint32_t i = k % levels.capacity, axis = k / levels.capacity;
        std::uint32_t n = levels.n_points();
        if (i >= n) return;
        std::uint32_t j = PointLevels::node_of(n, level, i);
        std::uint32_t first = PointLevels::first_of(n, level, j);
        std::uint32_t n_left = n_before[k] - n_before[axis * levels.capacity + first];
        std::uint32_t point = from.along[axis][i];
        std::uint32_t place =
            is_left[point] ? first + n_left : middle_of(n, j) + (i - first - n_left);
        to.along[axis][place] = point;
    }
};

/// Sorts all points along an axis.
void sort_along(Scratch& scratch, View<const vec3> positions, const PointLevels& levels, int axis,
                View<std::uint32_t> order) {
    Scratch::Scope scope(scratch);
    std::size_t n = levels.capacity;
    Pairs<std::uint32_t> pairs{scratch.take<std::uint32_t>(n), scratch.take<std::uint32_t>(n)};
    Pairs<std::uint32_t> spare{scratch.take<std::uint32_t>(n), scratch.take<std::uint32_t>(n)};
    PointLevels given = levels;
    auto& stream = scratch.stream();
    parallel_for(
        stream, "point keys", levels.capacity, TL_LAMBDA(std::uint32_t i) {
            bool exists = i < given.n_points();
            pairs.keys[i] = exists ? ordered_from_float(positions[i][axis]) : ~0u;
            pairs.values[i] = i;
        });
    Pairs<std::uint32_t> sorted = sort_pairs(scratch, pairs, spare);
    stream.device().copy(stream, order.data, sorted.values.data, n * sizeof(std::uint32_t));
}

}  // namespace

View<const std::uint32_t> split_large_points(Scratch& scratch, View<const vec3> positions,
                                             const PointLevels& levels, View<PointSplit> splits) {
    auto& stream = scratch.stream();
    std::uint32_t n = levels.capacity;
    PointOrders orders[2];
    for (auto& order : orders)
        for (auto& along : order.along) along = scratch.take<std::uint32_t>(n);
    auto flags = scratch.take<std::uint32_t>(std::size_t(3) * n);
    auto n_before = scratch.take<std::uint32_t>(std::size_t(3) * n);
    auto is_left = scratch.take<std::uint8_t>(n);
    for (int axis = 0; axis < 3; ++axis)
        sort_along(scratch, positions, levels, axis, orders[0].along[axis]);
    for (int level = 0; level < levels.n_levels; ++level) {
        // Small nodes need one order.
        std::uint32_t n_kept = level + 1 < levels.n_levels ? 3 : 1;
        const SplitPass pass{levels,
                             level,
                             positions,
                             splits,
                             is_left,
                             {flags.data, std::size_t(n_kept) * n},
                             {n_before.data, std::size_t(n_kept) * n},
                             orders[level % 2],
                             orders[(level + 1) % 2]};
        parallel_for(
            stream, "split points", 1u << level, TL_LAMBDA(std::uint32_t j) { pass.split(j); });
        parallel_for(
            stream, "sides of points", n, TL_LAMBDA(std::uint32_t i) { pass.choose_side(i); });
        parallel_for(
            stream, "flags of points", n_kept * n,
            TL_LAMBDA(std::uint32_t k) { pass.set_flag(k); });
        exclusive_scan<std::uint32_t>(scratch, pass.flags, pass.n_before);
        parallel_for(
            stream, "move points", n_kept * n, TL_LAMBDA(std::uint32_t k) { pass.move(k); });
    }
    return orders[levels.n_levels % 2].along[0];
}

TL_DEVICE_END
