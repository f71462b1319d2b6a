// Products of matrices of floats, rounded to TF32, by the warpgroups of compute capability 9.0.
// This header includes little, since its source is compiled separately (see CMakeLists.txt).
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace tl::cuda {

/// op(A), or op(B) with its columns as rows: element (i, k) is data[i * along + k * across]; one of
/// `along` and `across` is 1.
struct WideOperand {
    const float* data;
    std::size_t along, across;
    int extent, depth;
};

/// C becomes alpha times the product, plus beta C; it is not read where beta is 0. Columns are
/// `stride` elements apart.
struct WideResult {
    float* data;
    std::size_t stride;
    int rows, cols;
    float alpha, beta;
};

/// Whether the current device has such products, and matrices are large enough to benefit.
[[nodiscard]] bool suits_wide_product(int rows, int cols, int depth);
/// Number of floats of the rounded copies of both operands.
[[nodiscard]] std::size_t wide_product_floats(int rows, int cols, int depth);
/// `copies`: memory on the device for wide_product_floats(), aligned to 16 bytes.
[[nodiscard]] cudaError_t multiply_wide(cudaStream_t stream, const WideOperand& a,
                                        const WideOperand& b, float* copies, const WideResult& c);

}  // namespace tl::cuda
