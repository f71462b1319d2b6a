// BLAS on CUDA: cuBLAS, with its default of IEEE arithmetic (no TF32) and without atomics, so that
// equal calls give bitwise equal results.
#include "solvers/dense/blas_cuda.h"

#include <string>

#include "core/base/error.h"
#include "core/device/cuda_check.h"
#include "solvers/dense/blas_of.h"
#include "solvers/dense/cuda_libraries.h"
#include "solvers/dense/cuda_numbers.h"
#include "solvers/dense/handle_pool.h"

namespace tl {
namespace {

void check(cublasStatus_t status, const char* call) {
    if (status != CUBLAS_STATUS_SUCCESS)
        throw UserError(std::string("cuBLAS: ") + call + ": " +
                        late::cublasGetStatusString(status));
}

template <class T>
cublasOperation_t cublas(Transpose op) {
    if (op == Transpose::no) return CUBLAS_OP_N;
    return kIsComplex<T> ? CUBLAS_OP_C : CUBLAS_OP_T;
}

template <class T>
const auto& gemm_of() {
    if constexpr (kIsComplex<T>)
        return routine_of<T>(late::cublasCgemm, late::cublasZgemm);
    else
        return routine_of<T>(late::cublasSgemm, late::cublasDgemm);
}
template <class T>
const auto& trsm_of() {
    if constexpr (kIsComplex<T>)
        return routine_of<T>(late::cublasCtrsm, late::cublasZtrsm);
    else
        return routine_of<T>(late::cublasStrsm, late::cublasDtrsm);
}

/// Number of multiprocessors for which cuBLAS must partition its work, if the stream has only a
/// part of the device's; else 0, which means all.
int part_of_device(const Stream& stream) {
    int all = 0;
    TL_CUDA_CHECK(
        cudaDeviceGetAttribute(&all, cudaDevAttrMultiProcessorCount, stream.device().index()));
    return stream.multiprocessors() < all ? stream.multiprocessors() : 0;
}

class CudaBlas final : public BlasOf<CudaBlas> {
  public:
    explicit CudaBlas(Stream& stream) : BlasOf(stream), handle_(stream, create) {
        check(late::cublasSetStream(handle_.get(), static_cast<cudaStream_t>(stream.native())),
              "cublasSetStream");
        check(late::cublasSetSmCountTarget(handle_.get(), part_of_device(stream)),
              "cublasSetSmCountTarget");
        // The borrowed handle may have been allowed more.
        set_math_mode(CUBLAS_DEFAULT_MATH);
    }

    template <class T>
    void multiply(Transpose op_a, Transpose op_b, int depth, T alpha, MatrixView<const T> a,
                  MatrixView<const T> b, T beta, MatrixView<T> c) {
        stream().device().make_current();
        check(gemm_of<T>()(handle_.get(), cublas<T>(op_a), cublas<T>(op_b), c.rows, c.cols, depth,
                           native(&alpha), native(a.data), a.stride, native(b.data), b.stride,
                           native(&beta), native(c.data), c.stride),
              "gemm");
    }
    template <class T>
    void solve_triangle(Triangle triangle, Transpose op, MatrixView<const T> a, MatrixView<T> b) {
        const T one = 1;
        bool upper = triangle == Triangle::upper;
        stream().device().make_current();
        check(trsm_of<T>()(handle_.get(), CUBLAS_SIDE_LEFT,
                           upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER, cublas<T>(op),
                           upper ? CUBLAS_DIAG_NON_UNIT : CUBLAS_DIAG_UNIT, b.rows, b.cols,
                           native(&one), native(a.data), a.stride, native(b.data), b.stride),
              "trsm");
    }
    void allow_tf32() override { set_math_mode(CUBLAS_TF32_TENSOR_OP_MATH); }

  private:
    void set_math_mode(cublasMath_t mode) {
        check(late::cublasSetMathMode(handle_.get(), mode), "cublasSetMathMode");
    }
    static cublasHandle_t create() {
        cublasHandle_t handle = nullptr;
        check(late::cublasCreate(&handle), "cublasCreate");
        return handle;
    }

    PooledHandle<cublasHandle_t> handle_;
};

}  // namespace

std::unique_ptr<Blas> make_cuda_blas(Stream& stream) {
    return std::make_unique<CudaBlas>(stream);
}

}  // namespace tl
