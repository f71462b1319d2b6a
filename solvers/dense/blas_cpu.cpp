// BLAS on the CPU: CBLAS, as OpenBLAS brings it.
#include "solvers/dense/blas_cpu.h"

#include <cblas.h>

namespace tl {
namespace {

CBLAS_TRANSPOSE cblas(Transpose op) {
    return op == Transpose::yes ? CblasTrans : CblasNoTrans;
}
CBLAS_UPLO cblas(Triangle triangle) {
    return triangle == Triangle::upper ? CblasUpper : CblasLower;
}
CBLAS_SIDE cblas(Side side) {
    return side == Side::left ? CblasLeft : CblasRight;
}
CBLAS_DIAG cblas(Diagonal diagonal) {
    return diagonal == Diagonal::unit ? CblasUnit : CblasNonUnit;
}

class CpuBlas final : public Blas {
  public:
    explicit CpuBlas(Stream& stream) : stream_(stream) {}
    Stream& stream() const override { return stream_; }

    void gemm(Transpose op_a, Transpose op_b, float alpha, MatrixView<const float> a,
              MatrixView<const float> b, float beta, MatrixView<float> c) override {
        if (c.empty()) return;
        int depth = op_a == Transpose::yes ? a.rows : a.cols;
        cblas_sgemm(CblasColMajor, cblas(op_a), cblas(op_b), c.rows, c.cols, depth, alpha, a.data,
                    a.stride, b.data, b.stride, beta, c.data, c.stride);
    }
    void gemm(Transpose op_a, Transpose op_b, double alpha, MatrixView<const double> a,
              MatrixView<const double> b, double beta, MatrixView<double> c) override {
        if (c.empty()) return;
        int depth = op_a == Transpose::yes ? a.rows : a.cols;
        cblas_dgemm(CblasColMajor, cblas(op_a), cblas(op_b), c.rows, c.cols, depth, alpha, a.data,
                    a.stride, b.data, b.stride, beta, c.data, c.stride);
    }
    void trsm(Side side, Triangle triangle, Transpose op_a, Diagonal diagonal, float alpha,
              MatrixView<const float> a, MatrixView<float> b) override {
        if (b.empty()) return;
        cblas_strsm(CblasColMajor, cblas(side), cblas(triangle), cblas(op_a), cblas(diagonal),
                    b.rows, b.cols, alpha, a.data, a.stride, b.data, b.stride);
    }
    void trsm(Side side, Triangle triangle, Transpose op_a, Diagonal diagonal, double alpha,
              MatrixView<const double> a, MatrixView<double> b) override {
        if (b.empty()) return;
        cblas_dtrsm(CblasColMajor, cblas(side), cblas(triangle), cblas(op_a), cblas(diagonal),
                    b.rows, b.cols, alpha, a.data, a.stride, b.data, b.stride);
    }

  private:
    Stream& stream_;
};

}  // namespace

std::unique_ptr<Blas> make_cpu_blas(Stream& stream) {
    return std::make_unique<CpuBlas>(stream);
}

void keep_blas_to_its_thread() {
    openblas_set_num_threads(1);
}

}  // namespace tl
