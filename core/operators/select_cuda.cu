// Compaction on CUDA, by CUB.
#include <cub/device/device_select.cuh>

#include "core/operators/cub_call.h"
#include "core/operators/instantiate.h"

TL_DEVICE_BEGIN

template <class T>
void compact(Scratch& scratch, View<const T> in, View<const std::uint32_t> flags, View<T> out,
             View<std::uint32_t> count) {
    if (in.empty()) {
        auto& stream = scratch.stream();
        stream.device().fill_zero(stream, count.data, sizeof(std::uint32_t));
        return;
    }
    cub_call(scratch, [&](void* storage, std::size_t& bytes, cudaStream_t stream) {
        return cub::DeviceSelect::Flagged(storage, bytes, in.data, flags.data, out.data, count.data,
                                          int(in.size), stream);
    });
}

TL_FOR_OPERATOR_TYPES(TL_INSTANTIATE_COMPACT)

TL_DEVICE_END
