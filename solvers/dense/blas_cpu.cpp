// BLAS on the CPU, through OpenBLAS's CBLAS interface.
#include "solvers/dense/blas_cpu.h"

#include "solvers/dense/blas_of.h"
#include "solvers/dense/openblas.h"

namespace tl {
namespace {

template <class T>
CBLAS_TRANSPOSE cblas(Transpose op) {
    if (op == Transpose::no) return CblasNoTrans;
    return kIsComplex<T> ? CblasConjTrans : CblasTrans;
}

class CpuBlas final : public BlasOf<CpuBlas> {
  public:
    using BlasOf::BlasOf;

    template <class T>
    void multiply(Transpose op_a, Transpose op_b, int depth, T alpha, MatrixView<const T> a,
                  MatrixView<const T> b, T beta, MatrixView<T> c) {
        auto call = [&](const auto& gemm, auto scale_product, auto scale_c) {
            gemm(CblasColMajor, cblas<T>(op_a), cblas<T>(op_b), c.rows, c.cols, depth,
                 scale_product, a.data, a.stride, b.data, b.stride, scale_c, c.data, c.stride);
        };
        if constexpr (kIsComplex<T>)
            call(routine_of<T>(late::cblas_cgemm, late::cblas_zgemm), &alpha, &beta);
        else
            call(routine_of<T>(late::cblas_sgemm, late::cblas_dgemm), alpha, beta);
    }
    template <class T>
    void solve_triangle(Triangle triangle, Transpose op, MatrixView<const T> a, MatrixView<T> b) {
        bool upper = triangle == Triangle::upper;
        auto call = [&](const auto& trsm, auto one) {
            trsm(CblasColMajor, CblasLeft, upper ? CblasUpper : CblasLower, cblas<T>(op),
                 upper ? CblasNonUnit : CblasUnit, b.rows, b.cols, one, a.data, a.stride, b.data,
                 b.stride);
        };
        if constexpr (kIsComplex<T>) {
            const T one(1);
            call(routine_of<T>(late::cblas_ctrsm, late::cblas_ztrsm), &one);
        } else {
            call(routine_of<T>(late::cblas_strsm, late::cblas_dtrsm), T(1));
        }
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
