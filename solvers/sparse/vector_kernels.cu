#include "solvers/sparse/vector_kernels.h"

#include "core/device/parallel_for.h"

TL_DEVICE_BEGIN

template <class T>
void scale_elements(Stream& stream, View<const T> factors, View<const T> in, View<T> out) {
    parallel_for(
        stream, "scale vector", static_cast<std::uint32_t>(out.size),
        TL_LAMBDA(std::uint32_t i) { out[i] = factors[i] * in[i]; });
}
template <class T>
void add_scaled_elements(Stream& stream, View<const T> factors, View<const T> in, View<T> out) {
    parallel_for(
        stream, "add to vector", static_cast<std::uint32_t>(out.size),
        TL_LAMBDA(std::uint32_t i) { out[i] += factors[i] * in[i]; });
}

#define TL_INSTANTIATE(T)                                                         \
    template void scale_elements(Stream&, View<const T>, View<const T>, View<T>); \
    template void add_scaled_elements(Stream&, View<const T>, View<const T>, View<T>);
TL_INSTANTIATE(float)
TL_INSTANTIATE(double)
#undef TL_INSTANTIATE

TL_DEVICE_END
