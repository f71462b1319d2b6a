// Segmented scans on CUDA: a CUB scan of (head, value) pairs (Blelloch 1990, section 1.5).
#include <cub/device/device_scan.cuh>

#include "accel/parallel/operators/cub_call.h"
#include "accel/parallel/parallel_for.h"

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

template <class T>
View<Run<T>> scan_runs(Scratch& scratch, View<const T> in, View<const std::uint32_t> head_flags,
                       Operator op) {
    auto runs = scratch.take<Run<T>>(in.size);
    parallel_for(
        scratch.stream(), "segmented scan input", std::uint32_t(in.size),
        TL_LAMBDA(std::uint32_t i) {
            runs[i] = {in[i], head_flags[i]};
        });
    cub_call(scratch, [&](void* storage, std::size_t& bytes, cudaStream_t stream) {
        return cub::DeviceScan::InclusiveScan(storage, bytes, runs.data, runs.data, JoinRuns<T>{op},
                                              int(in.size), stream);
    });
    return runs;
}

}  // namespace

template <class T>
void segmented_exclusive_scan(Scratch& scratch, View<const T> in,
                              View<const std::uint32_t> head_flags, View<T> out, Operator op) {
    if (in.empty()) return;
    Scratch::Scope scope(scratch);
    auto runs = scan_runs(scratch, in, head_flags, op);
    parallel_for(
        scratch.stream(), "segmented scan output", std::uint32_t(in.size),
        TL_LAMBDA(std::uint32_t i) {
            bool head = i == 0 || head_flags[i];
            out[i] = head ? identity_of<T>(op) : runs[i - 1].value;
        });
}

template <class T>
void segmented_inclusive_scan(Scratch& scratch, View<const T> in,
                              View<const std::uint32_t> head_flags, View<T> out, Operator op) {
    if (in.empty()) return;
    Scratch::Scope scope(scratch);
    auto runs = scan_runs(scratch, in, head_flags, op);
    parallel_for(
        scratch.stream(), "segmented scan output", std::uint32_t(in.size),
        TL_LAMBDA(std::uint32_t i) { out[i] = runs[i].value; });
}

#define TL_INSTANTIATE(T)                                                                         \
    template void segmented_exclusive_scan<T>(Scratch&, View<const T>, View<const std::uint32_t>, \
                                              View<T>, Operator);                                 \
    template void segmented_inclusive_scan<T>(Scratch&, View<const T>, View<const std::uint32_t>, \
                                              View<T>, Operator);
TL_FOR_OPERATOR_TYPES(TL_INSTANTIATE)

TL_DEVICE_END
