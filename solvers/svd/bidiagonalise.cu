// Instances of bidiagonalise(), which bidiagonalise_of.h defines, for real matrices.
#include "solvers/svd/bidiagonalise_of.h"

TL_DEVICE_BEGIN

template bool bidiagonalise(Blas&, MatrixView<float>, MatrixView<float>, View<float>, View<float>,
                            int, const Progress&);
template bool bidiagonalise(Blas&, MatrixView<double>, MatrixView<double>, View<double>,
                            View<double>, int, const Progress&);

TL_DEVICE_END
