// Reductions on CUDA, by CUB.
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_segmented_reduce.cuh>

#include "core/operators/cub_call.h"
#include "core/operators/instantiate.h"

TL_DEVICE_BEGIN

template <class T>
void reduce(Scratch& scratch, View<const T> in, View<T> out, Operator op) {
    cub_call(scratch, [&](void* storage, std::size_t& bytes, cudaStream_t stream) {
        return cub::DeviceReduce::Reduce(storage, bytes, in.data, out.data, int(in.size),
                                         ApplyOperator<T>{op}, identity_of<T>(op), stream);
    });
}

template <class T>
void segmented_reduce(Scratch& scratch, View<const T> in, View<const std::uint32_t> owner,
                      View<T> out, Operator op) {
    if (out.empty()) return;
    Scratch::Scope scope(scratch);
    auto start = scratch.take<std::uint32_t>(out.size);
    auto end = scratch.take<std::uint32_t>(out.size);
    find_sorted_bounds(scratch.stream(), owner, start, end);
    cub_call(scratch, [&](void* storage, std::size_t& bytes, cudaStream_t stream) {
        return cub::DeviceSegmentedReduce::Reduce(storage, bytes, in.data, out.data, int(out.size),
                                                  start.data, end.data, ApplyOperator<T>{op},
                                                  identity_of<T>(op), stream);
    });
}

TL_FOR_OPERATOR_TYPES(TL_INSTANTIATE_REDUCTIONS)

TL_DEVICE_END
