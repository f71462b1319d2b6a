// First stages of the octree builders: bounds, keys, and the points sorted by their keys.
#pragma once

#include "accel/octree/octree_builder.h"
#include "accel/octree/octree_keys.h"
#include "core/operators/operators.h"

TL_DEVICE_BEGIN

/// Output of keys: either keys and the points' numbers in separate arrays, or words that combine
/// both. A word has the number below the upper levels of the key.
struct KeysToWrite {
    View<std::uint64_t> keys;
    View<std::uint32_t> numbers;
    View<std::uint64_t> words{};
    int n_left_out = 0, n_number_bits = 0;  ///< in words: omitted bits of keys, bits of numbers

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

/// Reserves capacity in the tree, and sets the header's bounds, counts of points and grid.
void find_grid(Scratch& scratch, View<const Surfel> points, const OctreeConfig& config,
               Octree& tree, StageTimer& timer);
/// Writes the keys of all points in input order; find_grid() must have set the grid.
void write_keys(Stream& stream, View<const Surfel> points, const KeysToWrite& to, Octree& tree,
                StageTimer& timer);
/// Combines find_grid() and write_keys() for points that have moved since the tree was built.
/// Usually reads the points once: keys are written by the tree's current grid, and again only if
/// the grid has changed.
void find_grid_and_keys(Scratch& scratch, View<const Surfel> points, const OctreeConfig& config,
                        const KeysToWrite& to, Octree& tree, StageTimer& timer);
/// Returns the tree's key buffer, with numbers in scratch memory of the caller's scope.
[[nodiscard]] Pairs<std::uint64_t> take_keys(Scratch& scratch, std::size_t n, Octree& tree);
/// Sets the points of the tree to `points` in the given order, each as cleaned().
void gather_points(Stream& stream, View<const Surfel> points, View<const std::uint32_t> order,
                   Octree& tree, StageTimer& timer);
/// Sorts points by their keys with a radix sort, and gathers them in that order.
void sort_points(Scratch& scratch, View<const Surfel> points, const OctreeConfig& config,
                 Octree& tree, StageTimer& timer);

TL_DEVICE_END
