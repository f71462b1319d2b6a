// Small kernels on vectors of sparse solvers.
#pragma once

#include "core/device/array.h"

// clang-format off
TL_FOR_DEVICES(
    // out[i] = factors[i] * in[i].
    template <class T>
    void scale_elements(Stream& stream, View<const T> factors, View<const T> in, View<T> out);
    // out[i] += factors[i] * in[i].
    template <class T>
    void add_scaled_elements(Stream& stream, View<const T> factors, View<const T> in, View<T> out);
)
// clang-format on
