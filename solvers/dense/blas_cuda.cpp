// BLAS on CUDA: cuBLAS, with its default of IEEE arithmetic (no TF32) and without atomics, so that
// the same call gives the same bits.
#include "solvers/dense/blas_cuda.h"

#include <cublas_v2.h>

#include <string>

#include "accel/parallel/cuda_check.h"
#include "accel/parallel/error.h"
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

class CudaBlas final : public Blas {
  public:
    explicit CudaBlas(Stream& stream) : stream_(stream) {
        handle_ = pool().take([] {
            cublasHandle_t handle = nullptr;
            check(cublasCreate(&handle), "cublasCreate");
            return handle;
        });
        check(cublasSetStream(handle_, static_cast<cudaStream_t>(stream.native())),
              "cublasSetStream");
    }
    ~CudaBlas() override {
        TL_CUDA_CHECK_PRINT(cudaStreamSynchronize(static_cast<cudaStream_t>(stream_.native())));
        pool().give_back(handle_);
    }
    CudaBlas(const CudaBlas&) = delete;
    CudaBlas& operator=(const CudaBlas&) = delete;
    Stream& stream() const override { return stream_; }

    void gemm(Transpose op_a, Transpose op_b, float alpha, MatrixView<const float> a,
              MatrixView<const float> b, float beta, MatrixView<float> c) override {
        if (c.empty()) return;
        int depth = op_a == Transpose::yes ? a.rows : a.cols;
        check(cublasSgemm(handle_, cublas(op_a), cublas(op_b), c.rows, c.cols, depth, &alpha,
                          a.data, a.stride, b.data, b.stride, &beta, c.data, c.stride),
              "cublasSgemm");
    }
    void gemm(Transpose op_a, Transpose op_b, double alpha, MatrixView<const double> a,
              MatrixView<const double> b, double beta, MatrixView<double> c) override {
        if (c.empty()) return;
        int depth = op_a == Transpose::yes ? a.rows : a.cols;
        check(cublasDgemm(handle_, cublas(op_a), cublas(op_b), c.rows, c.cols, depth, &alpha,
                          a.data, a.stride, b.data, b.stride, &beta, c.data, c.stride),
              "cublasDgemm");
    }
    void trsm(Side side, Triangle triangle, Transpose op_a, Diagonal diagonal, float alpha,
              MatrixView<const float> a, MatrixView<float> b) override {
        if (b.empty()) return;
        check(cublasStrsm(handle_, cublas(side), cublas(triangle), cublas(op_a), cublas(diagonal),
                          b.rows, b.cols, &alpha, a.data, a.stride, b.data, b.stride),
              "cublasStrsm");
    }
    void trsm(Side side, Triangle triangle, Transpose op_a, Diagonal diagonal, double alpha,
              MatrixView<const double> a, MatrixView<double> b) override {
        if (b.empty()) return;
        check(cublasDtrsm(handle_, cublas(side), cublas(triangle), cublas(op_a), cublas(diagonal),
                          b.rows, b.cols, &alpha, a.data, a.stride, b.data, b.stride),
              "cublasDtrsm");
    }

  private:
    static HandlePool<cublasHandle_t>& pool() {
        static HandlePool<cublasHandle_t> handles;
        return handles;
    }

    Stream& stream_;
    cublasHandle_t handle_ = nullptr;
};

}  // namespace

std::unique_ptr<Blas> make_cuda_blas(Stream& stream) {
    return std::make_unique<CudaBlas>(stream);
}

}  // namespace tl
