// Reductions, scans and compaction on the CPU, over oneTBB.
#define TL_DEVICE_CPU 1
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>
#include <tbb/parallel_reduce.h>
#include <tbb/parallel_scan.h>

#include <cstddef>

#include "core/operators/instantiate.h"

TL_DEVICE_BEGIN

namespace {

constexpr std::size_t kGrain = 8192;
using Range = tbb::blocked_range<std::size_t>;

/// body(value, i, is_final) folds element i into value; the order in which the scan applies it is
/// deterministic, the grouping is not.
template <class V, class Body, class Combine>
V scan_over(std::size_t n, V identity, Body body, Combine combine) {
    return tbb::parallel_scan(
        Range(0, n, kGrain), identity,
        [&](const Range& range, V value, bool is_final) {
            for (std::size_t i = range.begin(); i < range.end(); ++i)
                value = body(value, i, is_final);
            return value;
        },
        combine);
}

template <class T, bool kInclusive>
void scan(View<const T> in, View<T> out, Operator op, Direction direction) {
    TL_ASSERT_OP(out.size, >=, in.size);
    std::size_t n = in.size;
    bool backward = direction == Direction::backward;
    scan_over<T>(
        n, identity_of<T>(op),
        [&](T value, std::size_t k, bool is_final) {
            std::size_t i = backward ? n - 1 - k : k;
            T next = apply(op, value, in[i]);
            if (is_final) out[i] = kInclusive ? next : value;
            return next;
        },
        [op](T a, T b) { return apply(op, a, b); });
}

template <class T, bool kInclusive>
void segmented_scan(View<const T> in, View<const std::uint32_t> head_flags, View<T> out,
                    Operator op) {
    TL_ASSERT_OP(head_flags.size, >=, in.size);
    TL_ASSERT_OP(out.size, >=, in.size);
    struct Run {
        T value;
        bool has_head;
    };
    scan_over<Run>(
        in.size, {identity_of<T>(op), false},
        [&](Run run, std::size_t i, bool is_final) {
            if (head_flags[i]) run = {identity_of<T>(op), true};
            T next = apply(op, run.value, in[i]);
            if (is_final) out[i] = kInclusive ? next : run.value;
            return Run{next, run.has_head};
        },
        [op](Run a, Run b) {
            return Run{b.has_head ? b.value : apply(op, a.value, b.value),
                       a.has_head || b.has_head};
        });
}

/// Reduces elements [first, last), with the same grouping every time.
template <class T>
T reduce_range(View<const T> in, std::size_t first, std::size_t last, Operator op) {
    return tbb::parallel_deterministic_reduce(
        Range(first, last, kGrain), identity_of<T>(op),
        [&](const Range& range, T value) {
            for (std::size_t i = range.begin(); i < range.end(); ++i)
                value = apply(op, value, in[i]);
            return value;
        },
        [op](T a, T b) { return apply(op, a, b); });
}

}  // namespace

template <class T>
void reduce(Scratch&, View<const T> in, View<T> out, Operator op) {
    out[0] = reduce_range(in, 0, in.size, op);
}

template <class T>
void segmented_reduce(Scratch& scratch, View<const T> in, View<const std::uint32_t> owner,
                      View<T> out, Operator op) {
    TL_ASSERT_OP(owner.size, ==, in.size);
    Scratch::Scope scope(scratch);
    auto start = scratch.take<std::uint32_t>(out.size);
    auto end = scratch.take<std::uint32_t>(out.size);
    find_sorted_bounds(scratch.stream(), owner, start, end);
    tbb::parallel_for(Range(0, out.size, 64), [&](const Range& segments) {
        for (std::size_t s = segments.begin(); s < segments.end(); ++s)
            out[s] = reduce_range(in, start[s], end[s], op);
    });
}

template <class T>
void exclusive_scan(Scratch&, View<const T> in, View<T> out, Operator op, Direction direction) {
    scan<T, false>(in, out, op, direction);
}

template <class T>
void inclusive_scan(Scratch&, View<const T> in, View<T> out, Operator op, Direction direction) {
    scan<T, true>(in, out, op, direction);
}

template <class T>
void segmented_exclusive_scan(Scratch&, View<const T> in, View<const std::uint32_t> head_flags,
                              View<T> out, Operator op) {
    segmented_scan<T, false>(in, head_flags, out, op);
}

template <class T>
void segmented_inclusive_scan(Scratch&, View<const T> in, View<const std::uint32_t> head_flags,
                              View<T> out, Operator op) {
    segmented_scan<T, true>(in, head_flags, out, op);
}

template <class T>
void compact(Scratch&, View<const T> in, View<const std::uint32_t> flags, View<T> out,
             View<std::uint32_t> count) {
    TL_ASSERT_OP(flags.size, >=, in.size);
    count[0] = scan_over<std::uint32_t>(
        in.size, 0,
        [&](std::uint32_t before, std::size_t i, bool is_final) {
            if (!flags[i]) return before;
            if (is_final) out[before] = in[i];
            return before + 1;
        },
        [](std::uint32_t a, std::uint32_t b) { return a + b; });
}

TL_FOR_OPERATOR_TYPES(TL_INSTANTIATE_REDUCTIONS)
TL_FOR_OPERATOR_TYPES(TL_INSTANTIATE_SCANS)
TL_FOR_OPERATOR_TYPES(TL_INSTANTIATE_SEGMENTED_SCANS)
TL_FOR_OPERATOR_TYPES(TL_INSTANTIATE_COMPACT)

TL_DEVICE_END
