// Radix sorts on CUDA, by CUB over double buffers: it then needs temporary storage only
// for its histograms.
#include <cub/device/device_radix_sort.cuh>

#include "core/operators/cub_call.h"
#include "core/operators/instantiate.h"
#include "core/operators/sort_keys.h"

TL_DEVICE_BEGIN

template <class K>
Pairs<K> sort_pairs(Scratch& scratch, Pairs<K> pairs, Pairs<K> spare, int begin_bit, int end_bit) {
    if (pairs.keys.empty()) return pairs;
    cub::DoubleBuffer<K> keys(pairs.keys.data, spare.keys.data);
    cub::DoubleBuffer<std::uint32_t> values(pairs.values.data, spare.values.data);
    cub_call(scratch, [&](void* storage, std::size_t& bytes, cudaStream_t stream) {
        return cub::DeviceRadixSort::SortPairs(storage, bytes, keys, values, int(pairs.keys.size),
                                               begin_bit, end_bit, stream);
    });
    return {{keys.Current(), pairs.keys.size}, {values.Current(), pairs.values.size}};
}

View<std::uint64_t> sort_keys(Scratch& scratch, View<std::uint64_t> keys, View<std::uint64_t> spare,
                              int begin_bit, int end_bit) {
    if (keys.empty()) return keys;
    cub::DoubleBuffer<std::uint64_t> both(keys.data, spare.data);
    cub_call(scratch, [&](void* storage, std::size_t& bytes, cudaStream_t stream) {
        return cub::DeviceRadixSort::SortKeys(storage, bytes, both, int(keys.size), begin_bit,
                                              end_bit, stream);
    });
    return {both.Current(), keys.size};
}

TL_INSTANTIATE_SORT(std::uint32_t)
TL_INSTANTIATE_SORT(std::uint64_t)

TL_DEVICE_END
