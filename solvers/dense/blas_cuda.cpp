// BLAS on CUDA: cuBLAS, with its default of IEEE arithmetic (no TF32) and without atomics, so that
// equal calls give bitwise equal results.
#include "solvers/dense/blas_cuda.h"

#include <cublas_v2.h>

#include <string>

#include "accel/parallel/cuda_check.h"
#include "accel/parallel/error.h"
#include "solvers/dense/blas_of.h"
#include "solvers/dense/handle_pool.h"

namespace tl {
namespace {

void check(cublasStatus_t status, const char* call) {
    if (status != CUBLAS_STATUS_SUCCESS)
        throw UserError(std::string("cuBLAS: ") + call + ": " + cublasGetStatusString(status));
}

cublasOperation_t cublas(Transpose op) {
    return op == Transpose::yes ? CUBLAS_OP_T : CUBLAS_OP_N;
}
cublasFillMode_t cublas(Triangle triangle) {
    return triangle == Triangle::upper ? CUBLAS_FILL_MODE_UPPER : CUBLAS_FILL_MODE_LOWER;
}
cublasSideMode_t cublas(Side side) {
    return side == Side::left ? CUBLAS_SIDE_LEFT : CUBLAS_SIDE_RIGHT;
}
cublasDiagType_t cublas(Diagonal diagonal) {
    return diagonal == Diagonal::unit ? CUBLAS_DIAG_UNIT : CUBLAS_DIAG_NON_UNIT;
}

/// Number of multiprocessors for which cuBLAS must partition its work, if the stream has only a
/// part of the device's; else 0, which means all.
int part_of_device(const Stream& stream) {
    int device = 0, all = 0;
    TL_CUDA_CHECK(cudaGetDevice(&device));
    TL_CUDA_CHECK(cudaDeviceGetAttribute(&all, cudaDevAttrMultiProcessorCount, device));
    return stream.multiprocessors() < all ? stream.multiprocessors() : 0;
}

class CudaBlas final : public BlasOf<CudaBlas> {
  public:
    explicit CudaBlas(Stream& stream) : BlasOf(stream) {
        handle_ = pool().take([] {
            cublasHandle_t handle = nullptr;
            check(cublasCreate(&handle), "cublasCreate");
            return handle;
        });
        check(cublasSetStream(handle_, static_cast<cudaStream_t>(stream.native())),
              "cublasSetStream");
        check(cublasSetSmCountTarget(handle_, part_of_device(stream)), "cublasSetSmCountTarget");
    }
    ~CudaBlas() override {
        TL_CUDA_CHECK_PRINT(cudaStreamSynchronize(static_cast<cudaStream_t>(stream().native())));
        pool().give_back(handle_);
    }
    CudaBlas(const CudaBlas&) = delete;
    CudaBlas& operator=(const CudaBlas&) = delete;

    template <class T>
    void multiply(Transpose op_a, Transpose op_b, int depth, T alpha, MatrixView<const T> a,
                  MatrixView<const T> b, T beta, MatrixView<T> c) {
        check(routine_of<T>(cublasSgemm, cublasDgemm)(handle_, cublas(op_a), cublas(op_b), c.rows,
                                                      c.cols, depth, &alpha, a.data, a.stride,
                                                      b.data, b.stride, &beta, c.data, c.stride),
              "gemm");
    }
    template <class T>
    void solve(Side side, Triangle triangle, Transpose op_a, Diagonal diagonal, T alpha,
               MatrixView<const T> a, MatrixView<T> b) {
        check(routine_of<T>(cublasStrsm, cublasDtrsm)(
                  handle_, cublas(side), cublas(triangle), cublas(op_a), cublas(diagonal), b.rows,
                  b.cols, &alpha, a.data, a.stride, b.data, b.stride),
              "trsm");
    }

  private:
    static HandlePool<cublasHandle_t>& pool() {
        static HandlePool<cublasHandle_t> handles;
        return handles;
    }

    cublasHandle_t handle_ = nullptr;
};

}  // namespace

std::unique_ptr<Blas> make_cuda_blas(Stream& stream) {
    return std::make_unique<CudaBlas>(stream);
}

}  // namespace tl
