// BLAS on the CPU, through OpenBLAS's CBLAS interface.
#include "solvers/dense/blas_cpu.h"

#include "solvers/dense/blas_of.h"
#include "solvers/dense/openblas.h"

namespace tl {
namespace {

CBLAS_TRANSPOSE cblas(Transpose op) {
    return op == Transpose::yes ? CblasTrans : CblasNoTrans;
}

class CpuBlas final : public BlasOf<CpuBlas> {
  public:
    using BlasOf::BlasOf;

    template <class T>
    void multiply(Transpose op_a, Transpose op_b, int depth, T alpha, MatrixView<const T> a,
                  MatrixView<const T> b, T beta, MatrixView<T> c) {
        routine_of<T>(late::cblas_sgemm, late::cblas_dgemm)(
            CblasColMajor, cblas(op_a), cblas(op_b), c.rows, c.cols, depth, alpha, a.data, a.stride,
            b.data, b.stride, beta, c.data, c.stride);
    }
    template <class T>
    void solve_triangle(Triangle triangle, Transpose op, MatrixView<const T> a, MatrixView<T> b) {
        bool upper = triangle == Triangle::upper;
        routine_of<T>(late::cblas_strsm, late::cblas_dtrsm)(
            CblasColMajor, CblasLeft, upper ? CblasUpper : CblasLower, cblas(op),
            upper ? CblasNonUnit : CblasUnit, b.rows, b.cols, T(1), a.data, a.stride, b.data,
            b.stride);
    }
};

}  // namespace

std::unique_ptr<Blas> make_cpu_blas(Stream& stream) {
    return std::make_unique<CpuBlas>(stream);
}

void keep_blas_to_its_thread() {
    late::keep_openblas_to_its_thread();
}

}  // namespace tl
