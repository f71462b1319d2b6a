// Key-value radix sort on CUDA, by CUB over double buffers: it then needs temporary storage for its
// histograms only.
#include <cub/device/device_radix_sort.cuh>

#include "accel/parallel/cub_call.h"

TL_DEVICE_BEGIN

template <class K>
void sort_pairs(Scratch& scratch, View<K> keys, View<K> keys_out, View<std::uint32_t> values,
                View<std::uint32_t> values_out, int begin_bit, int end_bit) {
    if (keys.empty()) return;
    cub::DoubleBuffer<K> key_buffer(keys.data, keys_out.data);
    cub::DoubleBuffer<std::uint32_t> value_buffer(values.data, values_out.data);
    cub_call(scratch, [&](void* storage, std::size_t& bytes, cudaStream_t stream) {
        return cub::DeviceRadixSort::SortPairs(storage, bytes, key_buffer, value_buffer,
                                               int(keys.size), begin_bit, end_bit, stream);
    });
    auto& stream = scratch.stream();
    if (key_buffer.Current() != keys_out.data)
        stream.device().copy(stream, keys_out.data, keys.data, keys.size * sizeof(K));
    if (value_buffer.Current() != values_out.data)
        stream.device().copy(stream, values_out.data, values.data,
                             values.size * sizeof(std::uint32_t));
}

template void sort_pairs<std::uint32_t>(Scratch&, View<std::uint32_t>, View<std::uint32_t>,
                                        View<std::uint32_t>, View<std::uint32_t>, int, int);
template void sort_pairs<std::uint64_t>(Scratch&, View<std::uint64_t>, View<std::uint64_t>,
                                        View<std::uint32_t>, View<std::uint32_t>, int, int);

TL_DEVICE_END
