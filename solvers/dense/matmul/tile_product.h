// Products of matrices by Treelight's own CUDA kernels, which need compute capability 8.0.
#pragma once

#include "solvers/dense/blas.h"

namespace tl::cuda {

/// C = alpha op(A) op(B) + beta C; C is not read where beta is 0. Floats in IEEE arithmetic,
/// doubles by tensor cores, which have it too. Throws UserError on an older GPU.
template <class T>
void multiply_by_tiles(Stream& stream, Transpose op_a, Transpose op_b, T alpha,
                       MatrixView<const T> a, MatrixView<const T> b, T beta, MatrixView<T> c);
/// C = alpha op(A) op(B) + beta C by tensor cores, with the elements of A and B rounded to 10 bits
/// after the point.
void multiply_tf32(Stream& stream, Transpose op_a, Transpose op_b, float alpha,
                   MatrixView<const float> a, MatrixView<const float> b, float beta,
                   MatrixView<float> c);

}  // namespace tl::cuda
