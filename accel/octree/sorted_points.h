// The first stages of builders: bounds, keys, and the points in the order of their keys.
#pragma once

#include "accel/octree/octree_builder.h"
#include "accel/octree/octree_keys.h"
#include "accel/parallel/operators/operators.h"

TL_DEVICE_BEGIN

/// Where the keys of points are written: either with the numbers of points beside them, or as words
/// that have the number below the upper levels of the key.
struct KeysToWrite {
    View<std::uint64_t> keys;
    View<std::uint32_t> numbers;
    View<std::uint64_t> words{};
    int n_left_out = 0, n_number_bits = 0;  ///< of words: bits of keys, and of numbers

    TL_D void write(const OctreeGrid& grid, std::uint32_t i, const Surfel& point) const {
        std::uint64_t key = key_of(grid, point);
        if (!words.empty()) {
            words[i] = key >> n_left_out << n_number_bits | i;
        } else {
            keys[i] = key;
            numbers[i] = i;
        }
    }
};

/// Makes room in the tree, and sets the header's bounds, counts of points and grid.
void find_grid(Scratch& scratch, View<const Surfel> points, const OctreeConfig& config,
               Octree& tree, StageTimer& timer);
/// Then: keys of all points as given.
void write_keys(Stream& stream, View<const Surfel> points, const KeysToWrite& to, Octree& tree,
                StageTimer& timer);
/// Both for points that have moved since the tree was built, which read these once: keys are
/// written by the grid that the tree has, and again only if it turns out to be another one now.
void find_grid_and_keys(Scratch& scratch, View<const Surfel> points, const OctreeConfig& config,
                        const KeysToWrite& to, Octree& tree, StageTimer& timer);
/// Keys in the tree's buffer, with numbers in scratch memory of the caller's scope.
[[nodiscard]] Pairs<std::uint64_t> take_keys(Scratch& scratch, std::size_t n, Octree& tree);
/// Sets the points of the tree to those of `order`, as they count.
void gather_points(Stream& stream, View<const Surfel> points, View<const std::uint32_t> order,
                   Octree& tree, StageTimer& timer);
/// Sorts points: keys, a radix sort, and points in that order.
void sort_points(Scratch& scratch, View<const Surfel> points, const OctreeConfig& config,
                 Octree& tree, StageTimer& timer);

TL_DEVICE_END
