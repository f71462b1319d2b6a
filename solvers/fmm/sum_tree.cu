#include "solvers/fmm/sum_tree.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "core/device/parallel_for.h"
#include "core/operators/operators.h"

TL_DEVICE_BEGIN

namespace {

/// Spreads 21 bits to every third bit.
TL_D std::uint64_t every_third_bit(std::uint64_t x) {
    x = (x | x << 32) & 0x001f00000000ffffull;
    x = (x | x << 16) & 0x001f0000ff0000ffull;
    x = (x | x << 8) & 0x100f00f00f00f00full;
    x = (x | x << 4) & 0x10c30c30c30c30c3ull;
    return (x | x << 2) & 0x1249249249249249ull;
}

/// Axis 0 has the lowest bit of each three.
TL_D std::uint64_t sum_code(const SumFrame& frame, const double* position) {
    std::uint64_t code = 0;
    constexpr double kCells = 1 << SumTree::kMostLevel;
    for (int axis = 0; axis < 3; ++axis) {
        double at =
            ((position[axis] - frame.origin[axis]) * frame.scale - frame.corner[axis]) * kCells;
        at = at < 0 ? 0 : at > kCells - 1 ? kCells - 1 : at;
        code |= every_third_bit(static_cast<std::uint64_t>(at)) << axis;
    }
    return code;
}

/// Doubles as integers of the same order.
TL_D std::uint64_t ordered_bits(double x) {
    std::uint64_t bits;
    x += 0.0;  // of -0 as well
    std::memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? ~bits : bits | 1ull << 63;
}

/// Inverse of ordered_bits().
double of_ordered_bits(std::uint64_t bits) {
    bits = bits >> 63 ? bits & ~(1ull << 63) : ~bits;
    double x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}

template <class T>
T downloaded(Stream& stream, const T* at) {
    T value{};
    stream.device().download(stream, &value, at, sizeof value);
    return value;
}

/// Sorts by code, so that `pairs` holds the codes and the indices of the input. Equal positions
/// come one after the other.
void sort_by_code(Scratch& scratch, const SumFrame& frame, View<const double> positions,
                  Pairs<std::uint64_t> pairs) {
    Scratch::Scope scope(scratch);
    Stream& stream = scratch.stream();
    auto n = static_cast<std::uint32_t>(pairs.keys.size);
    Pairs<std::uint64_t> spare{scratch.take<std::uint64_t>(n), scratch.take<std::uint32_t>(n)};
    auto sort = [&](int key) {
        auto keys = pairs.keys;
        auto values = pairs.values;
        parallel_for(
            stream, "keys of points", n, TL_LAMBDA(std::uint32_t i) {
                const double* position = &positions[std::size_t(3) * values[i]];
                keys[i] = key < 3 ? ordered_bits(position[key]) : sum_code(frame, position);
            });
        auto sorted = sort_pairs(scratch, pairs, spare);
        if (sorted.keys.data == pairs.keys.data) return;
        stream.device().copy(stream, pairs.keys.data, sorted.keys.data, n * sizeof(std::uint64_t));
        stream.device().copy(stream, pairs.values.data, sorted.values.data,
                             n * sizeof(std::uint32_t));
    };
    iota(stream, pairs.values);
    sort(3);
    auto flags = scratch.take<std::uint32_t>(n), total = scratch.take<std::uint32_t>(1);
    auto keys = pairs.keys;
    parallel_for(
        stream, "equal codes", n,
        TL_LAMBDA(std::uint32_t i) { flags[i] = i > 0 && keys[i] == keys[i - 1] ? 1 : 0; });
    reduce<std::uint32_t>(scratch, flags, total);
    if (downloaded(stream, total.data) == 0) return;
    for (int key = 0; key <= 3; ++key) sort(key);
}

/// Extends the range of an axis by positions.
void extend_range(Scratch& scratch, View<const double> positions, int axis, double& lo,
                  double& hi) {
    if (positions.empty()) return;
    Scratch::Scope scope(scratch);
    Stream& stream = scratch.stream();
    auto keys = scratch.take<std::uint64_t>(positions.size / 3),
         range = scratch.take<std::uint64_t>(2);
    parallel_for(
        stream, "coordinates", static_cast<std::uint32_t>(keys.size), TL_LAMBDA(std::uint32_t i) {
            keys[i] = ordered_bits(positions[std::size_t(3) * i + axis]);
        });
    reduce<std::uint64_t>(scratch, keys, {&range[0], 1}, Operator::minimum);
    reduce<std::uint64_t>(scratch, keys, {&range[1], 1}, Operator::maximum);
    lo = std::min(lo, of_ordered_bits(downloaded(stream, &range[0])));
    hi = std::max(hi, of_ordered_bits(downloaded(stream, &range[1])));
}

}  // namespace

SumFrame frame_of(Scratch& scratch, View<const double> points, View<const double> targets) {
    constexpr double kFar = std::numeric_limits<double>::infinity();
    std::array<double, 3> lo{kFar, kFar, kFar}, hi{-kFar, -kFar, -kFar};
    for (int axis = 0; axis < 3; ++axis)
        for (const auto& positions : {points, targets})
            extend_range(scratch, positions, axis, lo[axis], hi[axis]);
    return {lo, hi};
}

double largest_magnitude(Scratch& scratch, View<const double> numbers) {
    if (numbers.empty()) return 0;
    Scratch::Scope scope(scratch);
    Stream& stream = scratch.stream();
    auto keys = scratch.take<std::uint64_t>(numbers.size), most = scratch.take<std::uint64_t>(1);
    parallel_for(
        stream, "magnitudes", static_cast<std::uint32_t>(keys.size),
        TL_LAMBDA(std::uint32_t i) { keys[i] = ordered_bits(fabs(numbers[i])); });
    reduce<std::uint64_t>(scratch, keys, most, Operator::maximum);
    return of_ordered_bits(downloaded(stream, most.data));
}

template <class Real>
void sort_places(Scratch& scratch, const SumFrame& frame, View<const double> input,
                 Places<Real>& places) {
    Scratch::Scope scope(scratch);
    Stream& stream = scratch.stream();
    auto n = static_cast<std::uint32_t>(input.size / 3);
    places.order.resize_discard(stream, n);
    places.place_of.resize_discard(stream, n);
    auto order = places.order.view(), place_of = places.place_of.view();
    auto codes = scratch.take<std::uint64_t>(n);
    sort_by_code(scratch, frame, input, {codes, order});
    parallel_for(
        stream, "distinct points", n, TL_LAMBDA(std::uint32_t i) {
            bool differs = i > 0 && codes[i] != codes[i - 1];
            for (int axis = 0; axis < 3 && i > 0 && !differs; ++axis)
                differs = input[std::size_t(3) * order[i] + axis] !=
                          input[std::size_t(3) * order[i - 1] + axis];
            place_of[i] = differs ? 1 : 0;
        });
    inclusive_scan<std::uint32_t>(scratch, place_of, place_of);
    places.count = downloaded(stream, &place_of[n - 1]) + 1;
    places.codes.resize_discard(stream, places.count);
    places.points.resize_discard(stream, places.count);
    places.first.resize_discard(stream, places.count + 1);
    auto place_codes = places.codes.view();
    auto points = places.points.view();
    auto first = places.first.view();
    parallel_for(
        stream, "places", n, TL_LAMBDA(std::uint32_t i) {
            std::uint32_t place = place_of[i];
            if (i + 1 == n) first[place + 1] = n;
            if (i > 0 && place_of[i - 1] == place) return;
            first[place] = i;
            place_codes[place] = codes[i];
            const double* at = &input[std::size_t(3) * order[i]];
            auto scaled = [&](int axis) {
                return static_cast<Real>((at[axis] - frame.origin[axis]) * frame.scale);
            };
            points[place] = {scaled(0), scaled(1), scaled(2), Real(0)};
        });
}

namespace {

/// The first of [begin, end) whose octant at this shift is at least `octant`.
TL_D std::uint32_t octant_begin(View<const std::uint64_t> codes, std::uint32_t begin,
                                std::uint32_t end, int shift, std::uint32_t octant) {
    while (begin < end) {
        std::uint32_t middle = begin + (end - begin) / 2;
        if ((codes[middle] >> shift & 7) < octant)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

/// Makes nodes of a level's children.
struct SplitNodes {
    View<SumNode> nodes;
    View<const std::uint64_t> sources, targets;
    std::uint32_t first, leaf;  ///< first node of the level
    int shift;                  ///< of the children's octants in codes

    TL_D void bounds(const SumNode& node, std::uint32_t (&source)[9],
                     std::uint32_t (&target)[9]) const {
        source[0] = node.source_begin;
        target[0] = node.target_begin;
        for (int o = 1; o < 8; ++o) {
            auto octant = static_cast<std::uint32_t>(o);
            source[o] = octant_begin(sources, source[o - 1], node.source_end, shift, octant);
            target[o] = octant_begin(targets, target[o - 1], node.target_end, shift, octant);
        }
        source[8] = node.source_end;
        target[8] = node.target_end;
    }
    /// Sets the masks of a node's children; returns their number.
    TL_D std::uint32_t count(std::uint32_t i) const {
        SumNode& node = nodes[first + i];
        if (node.n_sources() <= leaf && node.n_targets() <= leaf) return 0;
        std::uint32_t source[9], target[9], n = 0;
        bounds(node, source, target);
        for (int o = 0; o < 8; ++o) {
            bool has_source = source[o + 1] > source[o], has_target = target[o + 1] > target[o];
            if (!has_source && !has_target) continue;
            ++n;
            node.children = static_cast<std::uint8_t>(node.children | 1 << o);
            if (has_source)
                node.source_children = static_cast<std::uint8_t>(node.source_children | 1 << o);
            if (has_target)
                node.target_children = static_cast<std::uint8_t>(node.target_children | 1 << o);
        }
        return n;
    }
    TL_D void make(std::uint32_t i, std::uint32_t first_child, std::uint32_t family) const {
        SumNode& node = nodes[first + i];
        if (node.is_leaf()) return;
        std::uint32_t source[9], target[9];
        bounds(node, source, target);
        node.first_child = first_child;
        node.family = family;
        for (int o = 0; o < 8; ++o) {
            if (!(node.children >> o & 1)) continue;
            SumNode child{};
            child.source_begin = source[o];
            child.source_end = source[o + 1];
            child.target_begin = target[o];
            child.target_end = target[o + 1];
            child.parent = first + i;
            child.family = kNoNode;
            child.level = static_cast<std::uint8_t>(node.level + 1);
            for (int axis = 0; axis < 3; ++axis)
                child.cell[axis] = 2 * node.cell[axis] + static_cast<std::uint32_t>(o >> axis & 1);
            nodes[first_child++] = child;
        }
    }
};

/// Makes room for more nodes and keeps the first ones.
template <class T>
void grow(Stream& stream, DeviceArray<T>& array, std::size_t kept, std::size_t size) {
    if (size <= array.size()) return;
    DeviceArray<T> larger(stream, std::max(size, 2 * array.size()));
    stream.device().copy(stream, larger.data(), array.data(), kept * sizeof(T));
    array = std::move(larger);
}

void find_neighbours(Stream& stream, SumTree& tree) {
    tree.neighbours.resize_discard(stream, std::size_t(27) * tree.n_nodes());
    auto neighbours = tree.neighbours.view();
    auto nodes = tree.nodes.view();
    for (int level = 0; level < tree.n_levels(); ++level) {
        std::uint32_t first = tree.level_begin[level];
        parallel_for(
            stream, "neighbours", 27 * tree.level_size(level), TL_LAMBDA(std::uint32_t i) {
                std::uint32_t k = first + i / 27, d = i % 27, found = kNoNode;
                const SumNode& node = nodes[k];
                int step[3] = {int(d % 3) - 1, int(d / 3 % 3) - 1, int(d / 9) - 1};
                if (level == 0) {
                    found = d == 13 ? 0 : kNoNode;
                } else {
                    int octant = 0, of_parent = 0, scale = 1;
                    for (int axis = 0; axis < 3; ++axis, scale *= 3) {
                        int at = int(node.cell[axis] & 1) + step[axis] + 2;  // from 1 to 4
                        octant |= (at & 1) << axis;
                        of_parent += (at >> 1) * scale;
                    }
                    std::uint32_t parent = neighbours[std::size_t(27) * node.parent + of_parent];
                    if (parent != kNoNode && nodes[parent].children >> octant & 1)
                        found = nodes[parent].child(octant);
                }
                neighbours[std::size_t(27) * k + d] = found;
            });
    }
}

}  // namespace

void build_sum_tree(Scratch& scratch, View<const std::uint64_t> sources,
                    View<const std::uint64_t> targets, std::uint32_t leaf, SumTree& tree) {
    Stream& stream = scratch.stream();
    SumNode root{};
    root.source_end = static_cast<std::uint32_t>(sources.size);
    root.target_end = static_cast<std::uint32_t>(targets.size);
    root.parent = root.family = kNoNode;
    tree.nodes.assign(stream, std::span<const SumNode>(&root, 1));
    tree.level_begin = {0, 1};
    tree.family_begin = {0};
    for (int level = 0;; ++level) {
        Scratch::Scope scope(scratch);
        std::uint32_t n = tree.level_size(level), first = tree.level_begin[level];
        std::uint32_t n_children = 0, n_split = 0;
        auto children = scratch.take<std::uint32_t>(n + 1),
             split = scratch.take<std::uint32_t>(n + 1);
        SplitNodes step{tree.nodes.view(),
                        sources,
                        targets,
                        first,
                        leaf,
                        3 * (SumTree::kMostLevel - 1 - level)};
        if (level < SumTree::kMostLevel) {
            parallel_for(
                stream, "count children", n + 1,
                TL_LAMBDA(std::uint32_t i) {
                    children[i] = i < n ? step.count(i) : 0;
                    split[i] = children[i] > 0 ? 1 : 0;
                },
                64);
            exclusive_scan<std::uint32_t>(scratch, children, children);
            exclusive_scan<std::uint32_t>(scratch, split, split);
            n_children = downloaded(stream, &children[n]);
            n_split = downloaded(stream, &split[n]);
        }
        std::uint32_t family = tree.family_begin.back();
        tree.family_begin.push_back(family + n_split);
        if (n_children == 0) break;
        std::uint32_t end = tree.level_begin.back();
        grow(stream, tree.nodes, end, std::size_t(end) + n_children);
        grow(stream, tree.families, family, std::size_t(family) + n_split);
        step.nodes = tree.nodes.view();
        auto families = tree.families.view();
        parallel_for(
            stream, "make children", n,
            TL_LAMBDA(std::uint32_t i) {
                step.make(i, end + children[i], family + split[i]);
                if (!step.nodes[first + i].is_leaf()) families[family + split[i]] = first + i;
            },
            64);
        tree.level_begin.push_back(end + n_children);
    }
    find_neighbours(stream, tree);
}

template void sort_places(Scratch&, const SumFrame&, View<const double>, Places<float>&);
template void sort_places(Scratch&, const SumFrame&, View<const double>, Places<double>&);

TL_DEVICE_END
