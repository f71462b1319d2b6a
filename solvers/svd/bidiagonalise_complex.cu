// Instances of bidiagonalise(), which bidiagonalise_of.h defines, for complex matrices.
#include "solvers/svd/bidiagonalise_of.h"

TL_DEVICE_BEGIN

#define TL_INSTANTIATE(T)                                                              \
    template bool bidiagonalise(Blas&, MatrixView<Complex<T>>, MatrixView<Complex<T>>, \
                                View<Complex<T>>, View<Complex<T>>, int, const Progress&);
TL_INSTANTIATE(float)
TL_INSTANTIATE(double)
#undef TL_INSTANTIATE

TL_DEVICE_END
