// Explicit instantiations of the operators that every device has in files of its own.
#pragma once

#include "core/operators/operators.h"

// clang-format off
#define TL_INSTANTIATE_REDUCTIONS(T)                                                             \
    template void reduce(Scratch&, View<const T>, View<T>, Operator);                            \
    template void segmented_reduce(Scratch&, View<const T>, View<const std::uint32_t>, View<T>,  \
                                   Operator);
#define TL_INSTANTIATE_SCANS(T)                                                                  \
    template void exclusive_scan(Scratch&, View<const T>, View<T>, Operator, Direction);         \
    template void inclusive_scan(Scratch&, View<const T>, View<T>, Operator, Direction);
#define TL_INSTANTIATE_SEGMENTED_SCANS(T)                                                        \
    template void segmented_exclusive_scan(Scratch&, View<const T>, View<const std::uint32_t>,   \
                                           View<T>, Operator);                                   \
    template void segmented_inclusive_scan(Scratch&, View<const T>, View<const std::uint32_t>,   \
                                           View<T>, Operator);
#define TL_INSTANTIATE_COMPACT(T)                                                                \
    template void compact(Scratch&, View<const T>, View<const std::uint32_t>, View<T>,           \
                          View<std::uint32_t>);
#define TL_INSTANTIATE_SORT(K)                                                                   \
    template Pairs<K> sort_pairs(Scratch&, Pairs<K>, Pairs<K>, int, int);
// clang-format on
