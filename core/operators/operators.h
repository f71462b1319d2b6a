// Data-parallel utilities (Zeidan 2011, table 4.1 and appendices A and B): CUB on CUDA, oneTBB on
// the CPU, instantiated in one file. All run asynchronously on the scratch's stream; input and
// output must not overlap unless said so. T is std::uint32_t, std::uint64_t or float.
#pragma once

#include <cstdint>

#include "core/base/macros.h"
#include "core/device/array.h"

namespace tl {

/// The associative operators of reductions and scans.
enum class Operator { sum, minimum, maximum };
/// A backward scan's result at i covers [i, n) instead of [0, i].
enum class Direction { forward, backward };

}  // namespace tl

TL_DEVICE_BEGIN

/// The neutral element of `op`.
template <class T>
TL_HD constexpr T identity_of(Operator op);
/// a `op` b.
template <class T>
TL_HD constexpr T apply(Operator op, T a, T b);

/// out[0] = in[0] op in[1] op ...; the identity for an empty input.
template <class T>
void reduce(Scratch& scratch, View<const T> in, View<T> out, Operator op = Operator::sum);

/// out[s] = reduction of the elements whose owner is s. `owner` is non-decreasing, as long as `in`,
/// with values below out.size; a segment without elements gets the identity.
template <class T>
void segmented_reduce(Scratch& scratch, View<const T> in, View<const std::uint32_t> owner,
                      View<T> out, Operator op = Operator::sum);

/// out[i] = in[0] op ... op in[i-1] (exclusive) or ... op in[i] (inclusive). `out` may be `in`.
template <class T>
void exclusive_scan(Scratch& scratch, View<const T> in, View<T> out, Operator op = Operator::sum,
                    Direction direction = Direction::forward);
template <class T>
void inclusive_scan(Scratch& scratch, View<const T> in, View<T> out, Operator op = Operator::sum,
                    Direction direction = Direction::forward);

/// Segmented scans, which restart wherever head_flags[i] is 1 (the first element is always a head).
template <class T>
void segmented_exclusive_scan(Scratch& scratch, View<const T> in,
                              View<const std::uint32_t> head_flags, View<T> out,
                              Operator op = Operator::sum);
template <class T>
void segmented_inclusive_scan(Scratch& scratch, View<const T> in,
                              View<const std::uint32_t> head_flags, View<T> out,
                              Operator op = Operator::sum);

/// out[0] = the reduction of `in`, taken from the end of its forward scan: from an exclusive scan,
/// scan[n-1] op in[n-1]; from an inclusive one, scan[n-1]. The identity for an empty input.
template <class T>
void exclusive_scan_tail(Stream& stream, View<const T> in, View<const T> scan, View<T> out,
                         Operator op = Operator::sum);
template <class T>
void inclusive_scan_tail(Stream& stream, View<const T> scan, View<T> out,
                         Operator op = Operator::sum);

/// Reduction of each segment s of a segmented scan, in the same way; its last element is at
/// segment_last[s].
template <class T>
void segmented_exclusive_scan_tails(Stream& stream, View<const T> in, View<const T> scan,
                                    View<const std::uint32_t> segment_last, View<T> out,
                                    Operator op = Operator::sum);
template <class T>
void segmented_inclusive_scan_tails(Stream& stream, View<const T> scan,
                                    View<const std::uint32_t> segment_last, View<T> out);

/// Appends `in` to the first size[0] elements of `to` and adds in.size to size[0]. If `to` is too
/// small, the elements that do not fit are not written and size[0] becomes to.size.
template <class T>
void append(Stream& stream, View<T> to, View<std::uint32_t> size, View<const T> in);

/// out[0..count[0]) = the elements whose flag is 1, in order. `out` must have the capacity for
/// them.
template <class T>
void compact(Scratch& scratch, View<const T> in, View<const std::uint32_t> flags, View<T> out,
             View<std::uint32_t> count);

/// Zeidan's Split into one list: elements with flag 1 first, then those with flag 0, both in their
/// original order; count[0] = the number with flag 1.
template <class T>
void partition(Scratch& scratch, View<const T> in, View<const std::uint32_t> flags, View<T> out,
               View<std::uint32_t> count);
/// Splits into two lists.
template <class T>
void partition(Scratch& scratch, View<const T> in, View<const std::uint32_t> flags,
               View<T> out_true, View<T> out_false, View<std::uint32_t> count);
/// Zeidan's SegSplit: splits each segment in itself. Segment s is the elements with owner s
/// (non-decreasing, below count.size); count[s] = its number of elements with flag 1.
template <class T>
void segmented_partition(Scratch& scratch, View<const T> in, View<const std::uint32_t> flags,
                         View<const std::uint32_t> owner, View<T> out, View<std::uint32_t> count);

/// Keys and values of a sort.
template <class K>
struct Pairs {
    View<K> keys;
    View<std::uint32_t> values;
};
/// Stable radix sort by bits [begin_bit, end_bit) of the keys (K is 32 or 64 bits). Returns `pairs`
/// or `spare`, whichever holds the result; the other one is overwritten.
template <class K>
[[nodiscard]] Pairs<K> sort_pairs(Scratch& scratch, Pairs<K> pairs, Pairs<K> spare,
                                  int begin_bit = 0, int end_bit = 8 * sizeof(K));

/// For each value v below start.size: sorted[start[v] .. end[v]) are the elements equal to v; both
/// are 0 where v does not appear. Values must be below start.size.
void find_sorted_bounds(Stream& stream, View<const std::uint32_t> sorted, View<std::uint32_t> start,
                        View<std::uint32_t> end);

/// Divides nodes into chunks of at most `chunk_size` elements, in node order: appendix B, by one
/// scan. The outputs need sum(ceil(size/chunk_size)) entries; further chunks are not written, while
/// count[0] still gives their number. Nodes of size 0 have no chunk.
struct ChunkViews {
    View<std::uint32_t> owner;  ///< node of each chunk
    View<std::uint32_t> start;  ///< first element of each chunk
    View<std::uint32_t> size;   ///< elements in each chunk
    View<std::uint32_t> count;  ///< count[0]: number of chunks
};
void create_chunks(Scratch& scratch, View<const std::uint32_t> node_start,
                   View<const std::uint32_t> node_size, std::uint32_t chunk_size,
                   ChunkViews chunks);

/// Zeidan's Distribute: sets each element to `value`.
template <class T>
void fill(Stream& stream, View<T> out, T value);
/// out[i] = i.
void iota(Stream& stream, View<std::uint32_t> out);

// ---------------------------------------------------------------------------------------------

template <class T>
TL_HD constexpr T identity_of(Operator op) {
    if (op == Operator::sum) return T(0);
    if constexpr (sizeof(T) == 4 && T(0.5f) != T(0))
        return op == Operator::minimum ? T(__builtin_inff()) : T(-__builtin_inff());
    else
        return op == Operator::minimum ? T(~0ull) : T(0);
}

template <class T>
TL_HD constexpr T apply(Operator op, T a, T b) {
    if (op == Operator::sum) return a + b;
    return (op == Operator::minimum) == (b < a) ? b : a;
}

TL_DEVICE_END

/// Instantiates F explicitly for the types that the utilities support.
#define TL_FOR_OPERATOR_TYPES(F) \
    F(std::uint32_t)             \
    F(std::uint64_t)             \
    F(float)
