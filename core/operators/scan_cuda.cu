// Scans on CUDA, by CUB. Forward sums, which the builders use most, run over plain pointers; every
// other operator and direction shares one instantiation over a strided iterator.
#include <cub/device/device_scan.cuh>
#include <iterator>

#include "core/operators/cub_call.h"
#include "core/operators/instantiate.h"

TL_DEVICE_BEGIN

namespace {

/// Iterates over an array up (step 1) or down (step -1).
template <class T>
struct Stepping {
    using value_type = std::remove_const_t<T>;
    using reference = T&;
    using pointer = T*;
    using difference_type = std::ptrdiff_t;
    using iterator_category = std::random_access_iterator_tag;
    T* at;
    difference_type step;

    TL_HD reference operator*() const { return *at; }
    TL_HD reference operator[](difference_type i) const { return at[i * step]; }
    TL_HD Stepping operator+(difference_type i) const { return {at + i * step, step}; }
    TL_HD Stepping operator-(difference_type i) const { return {at - i * step, step}; }
    TL_HD difference_type operator-(Stepping o) const { return (at - o.at) * step; }
    TL_HD Stepping& operator+=(difference_type i) { return *this = *this + i; }
    TL_HD Stepping& operator++() { return *this += 1; }
    TL_HD bool operator==(Stepping o) const { return at == o.at; }
    TL_HD bool operator!=(Stepping o) const { return at != o.at; }
};

template <class T>
Stepping<T> walk(View<T> view, Direction direction) {
    if (direction == Direction::forward) return {view.data, 1};
    return {view.data + view.size - 1, -1};
}

}  // namespace

template <class T>
void exclusive_scan(Scratch& scratch, View<const T> in, View<T> out, Operator op,
                    Direction direction) {
    if (in.empty()) return;
    int n = int(in.size);
    bool plain = op == Operator::sum && direction == Direction::forward;
    cub_call(scratch, [&](void* storage, std::size_t& bytes, cudaStream_t stream) {
        if (plain)
            return cub::DeviceScan::ExclusiveSum(storage, bytes, in.data, out.data, n, stream);
        return cub::DeviceScan::ExclusiveScan(storage, bytes, walk(in, direction),
                                              walk(out, direction), ApplyOperator<T>{op},
                                              identity_of<T>(op), n, stream);
    });
}

template <class T>
void inclusive_scan(Scratch& scratch, View<const T> in, View<T> out, Operator op,
                    Direction direction) {
    if (in.empty()) return;
    int n = int(in.size);
    bool plain = op == Operator::sum && direction == Direction::forward;
    cub_call(scratch, [&](void* storage, std::size_t& bytes, cudaStream_t stream) {
        if (plain)
            return cub::DeviceScan::InclusiveSum(storage, bytes, in.data, out.data, n, stream);
        return cub::DeviceScan::InclusiveScan(storage, bytes, walk(in, direction),
                                              walk(out, direction), ApplyOperator<T>{op}, n,
                                              stream);
    });
}

TL_FOR_OPERATOR_TYPES(TL_INSTANTIATE_SCANS)

TL_DEVICE_END
