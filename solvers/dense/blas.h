// The few BLAS routines that the solvers use, on one stream: cuBLAS on CUDA, OpenBLAS on the CPU.
// No other solver code depends on the library. Scalars are in host memory; no call waits.
#pragma once

#include <memory>

#include "solvers/dense/complex.h"
#include "solvers/dense/matrix.h"

namespace tl {

/// `yes` is the conjugate transpose where matrices are complex.
enum class Transpose { no, yes };
/// A triangle of a square matrix: the upper one, or the lower one with a diagonal of ones, which is
/// not read.
enum class Triangle { upper, unit_lower };

/// op(A) is A or its transpose. Shapes must agree; empty matrices are allowed.
class Blas {
  public:
    virtual ~Blas() = default;

    /// C = alpha op(A) op(B) + beta C; C is not read where beta is 0.
    virtual void gemm(Transpose op_a, Transpose op_b, float alpha, MatrixView<const float> a,
                      MatrixView<const float> b, float beta, MatrixView<float> c) = 0;
    virtual void gemm(Transpose op_a, Transpose op_b, double alpha, MatrixView<const double> a,
                      MatrixView<const double> b, double beta, MatrixView<double> c) = 0;
    virtual void gemm(Transpose op_a, Transpose op_b, Complex<float> alpha,
                      MatrixView<const Complex<float>> a, MatrixView<const Complex<float>> b,
                      Complex<float> beta, MatrixView<Complex<float>> c) = 0;
    virtual void gemm(Transpose op_a, Transpose op_b, Complex<double> alpha,
                      MatrixView<const Complex<double>> a, MatrixView<const Complex<double>> b,
                      Complex<double> beta, MatrixView<Complex<double>> c) = 0;

    /// B = op(A)^-1 B (trsm), A a triangle, whose other elements are not read.
    virtual void solve(Triangle triangle, Transpose op, MatrixView<const float> a,
                       MatrixView<float> b) = 0;
    virtual void solve(Triangle triangle, Transpose op, MatrixView<const double> a,
                       MatrixView<double> b) = 0;
    virtual void solve(Triangle triangle, Transpose op, MatrixView<const Complex<float>> a,
                       MatrixView<Complex<float>> b) = 0;
    virtual void solve(Triangle triangle, Transpose op, MatrixView<const Complex<double>> a,
                       MatrixView<Complex<double>> b) = 0;

    /// Allows gemm of floats to round its input to TF32 (10 bits after the point) from now on,
    /// where the device is faster with it. Without this call it never does.
    virtual void allow_tf32() {}

    [[nodiscard]] virtual Stream& stream() const = 0;
};

/// The BLAS of the stream's device. The stream must outlive it.
[[nodiscard]] std::unique_ptr<Blas> make_blas(Stream& stream);

}  // namespace tl
