// Segmented scans on CUDA: a CUB scan of (head, value) pairs (Blelloch 1990, section 1.5).
#include <cub/device/device_scan.cuh>

#include "core/device/parallel_for.h"
#include "core/operators/cub_call.h"
#include "core/operators/instantiate.h"

TL_DEVICE_BEGIN

namespace {

template <class T>
struct Run {
    T value;
    std::uint32_t has_head;
};

template <class T>
struct JoinRuns {
    Operator op;
    TL_HD Run<T> operator()(Run<T> a, Run<T> b) const {
        return {b.has_head ? b.value : apply(op, a.value, b.value), a.has_head | b.has_head};
    }
};

template <bool kInclusive, class T>
void segmented_scan(Scratch& scratch, View<const T> in, View<const std::uint32_t> head_flags,
                    View<T> out, Operator op) {
    if (in.empty()) return;
    Scratch::Scope scope(scratch);
    auto n = std::uint32_t(in.size);
    auto runs = scratch.take<Run<T>>(n);
    parallel_for(
        scratch.stream(), "segmented scan input", n, TL_LAMBDA(std::uint32_t i) {
            runs[i] = {in[i], head_flags[i]};
        });
    cub_call(scratch, [&](void* storage, std::size_t& bytes, cudaStream_t stream) {
        return cub::DeviceScan::InclusiveScan(storage, bytes, runs.data, runs.data, JoinRuns<T>{op},
                                              int(n), stream);
    });
    parallel_for(
        scratch.stream(), "segmented scan output", n, TL_LAMBDA(std::uint32_t i) {
            bool is_first = !kInclusive && (i == 0 || head_flags[i]);
            out[i] = is_first ? identity_of<T>(op) : runs[kInclusive ? i : i - 1].value;
        });
}

}  // namespace

template <class T>
void segmented_exclusive_scan(Scratch& scratch, View<const T> in,
                              View<const std::uint32_t> head_flags, View<T> out, Operator op) {
    segmented_scan<false>(scratch, in, head_flags, out, op);
}

template <class T>
void segmented_inclusive_scan(Scratch& scratch, View<const T> in,
                              View<const std::uint32_t> head_flags, View<T> out, Operator op) {
    segmented_scan<true>(scratch, in, head_flags, out, op);
}

TL_FOR_OPERATOR_TYPES(TL_INSTANTIATE_SEGMENTED_SCANS)

TL_DEVICE_END
