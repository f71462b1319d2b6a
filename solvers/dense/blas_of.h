// Common code of the BLAS of both devices: empty matrices, inner dimensions, types of numbers.
#pragma once

#include "solvers/dense/blas.h"

namespace tl {

/// A library's routine for numbers of type T.
template <class T, class OfFloats, class OfDoubles>
constexpr const auto& routine_of(const OfFloats& of_floats, const OfDoubles& of_doubles) {
    if constexpr (std::is_same_v<RealOf<T>, double>)
        return of_doubles;
    else
        return of_floats;
}

/// Base of a `Library` with the members
///     template <class T> void multiply(Transpose op_a, Transpose op_b, int depth, T alpha,
///                                      a, b, T beta, c)
///     template <class T> void solve_triangle(Triangle triangle, Transpose op, a, b)
/// for matrices that are not empty, of real and of complex numbers.
template <class Library>
class BlasOf : public Blas {
  public:
    explicit BlasOf(Stream& stream) : stream_(stream) {}
    Stream& stream() const override { return stream_; }

    void gemm(Transpose op_a, Transpose op_b, float alpha, MatrixView<const float> a,
              MatrixView<const float> b, float beta, MatrixView<float> c) override {
        gemm_as(op_a, op_b, alpha, a, b, beta, c);
    }
    void gemm(Transpose op_a, Transpose op_b, double alpha, MatrixView<const double> a,
              MatrixView<const double> b, double beta, MatrixView<double> c) override {
        gemm_as(op_a, op_b, alpha, a, b, beta, c);
    }
    void gemm(Transpose op_a, Transpose op_b, Complex<float> alpha,
              MatrixView<const Complex<float>> a, MatrixView<const Complex<float>> b,
              Complex<float> beta, MatrixView<Complex<float>> c) override {
        gemm_as(op_a, op_b, alpha, a, b, beta, c);
    }
    void gemm(Transpose op_a, Transpose op_b, Complex<double> alpha,
              MatrixView<const Complex<double>> a, MatrixView<const Complex<double>> b,
              Complex<double> beta, MatrixView<Complex<double>> c) override {
        gemm_as(op_a, op_b, alpha, a, b, beta, c);
    }
    void solve(Triangle triangle, Transpose op, MatrixView<const float> a,
               MatrixView<float> b) override {
        if (!b.empty()) library().solve_triangle(triangle, op, a, b);
    }
    void solve(Triangle triangle, Transpose op, MatrixView<const double> a,
               MatrixView<double> b) override {
        if (!b.empty()) library().solve_triangle(triangle, op, a, b);
    }
    void solve(Triangle triangle, Transpose op, MatrixView<const Complex<float>> a,
               MatrixView<Complex<float>> b) override {
        if (!b.empty()) library().solve_triangle(triangle, op, a, b);
    }
    void solve(Triangle triangle, Transpose op, MatrixView<const Complex<double>> a,
               MatrixView<Complex<double>> b) override {
        if (!b.empty()) library().solve_triangle(triangle, op, a, b);
    }

  private:
    [[nodiscard]] Library& library() { return static_cast<Library&>(*this); }
    template <class T>
    void gemm_as(Transpose op_a, Transpose op_b, T alpha, MatrixView<const T> a,
                 MatrixView<const T> b, T beta, MatrixView<T> c) {
        if (c.empty()) return;
        int depth = op_a == Transpose::yes ? a.rows : a.cols;
        library().multiply(op_a, op_b, depth, alpha, a, b, beta, c);
    }

    Stream& stream_;
};

}  // namespace tl
