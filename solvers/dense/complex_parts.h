// Matrices of complex numbers as matrices of their real and imaginary parts.
#pragma once

#include "solvers/dense/complex.h"
#include "solvers/dense/matrix.h"

namespace tl {

/// The same memory as a real matrix, of twice the rows if T is complex: real and imaginary parts
/// are alternating rows. The Frobenius norms are equal.
template <class T>
[[nodiscard]] MatrixView<RealOf<T>> parts_of(MatrixView<T> a) {
    constexpr int kParts = kIsComplex<T> ? 2 : 1;
    return {reinterpret_cast<RealOf<T>*>(a.data), kParts * a.rows, a.cols, kParts * a.stride};
}
template <class T>
[[nodiscard]] MatrixView<const RealOf<T>> parts_of(MatrixView<const T> a) {
    constexpr int kParts = kIsComplex<T> ? 2 : 1;
    return {reinterpret_cast<const RealOf<T>*>(a.data), kParts * a.rows, a.cols, kParts * a.stride};
}

}  // namespace tl
