// Reflectors and QR factorisations of complex matrices.
#include "solvers/dense/qr_factorise_of.h"

#include "solvers/dense/block_reflector_of.h"

TL_DEVICE_BEGIN

#define TL_INSTANTIATE(T)                                                                      \
    template void apply_reflectors(Blas&, Transpose, MatrixView<const T>, MatrixView<T>, int); \
    template void qr_factorise(Blas&, MatrixView<T>, MatrixView<T>);                           \
    template void orthonormalise(Blas&, MatrixView<T>);
TL_INSTANTIATE(Complex<float>)
TL_INSTANTIATE(Complex<double>)
#undef TL_INSTANTIATE

TL_DEVICE_END
