// Pointers to numbers as cuBLAS's and cuSOLVER's functions of one type declare them.
#pragma once

#include "solvers/dense/complex.h"
#include "solvers/dense/cuda_libraries.h"

namespace tl {

inline float* native(float* data) {
    return data;
}
inline double* native(double* data) {
    return data;
}
inline cuComplex* native(Complex<float>* data) {
    return reinterpret_cast<cuComplex*>(data);
}
inline cuDoubleComplex* native(Complex<double>* data) {
    return reinterpret_cast<cuDoubleComplex*>(data);
}
template <class T>
const auto* native(const T* data) {
    return native(const_cast<T*>(data));
}

}  // namespace tl
