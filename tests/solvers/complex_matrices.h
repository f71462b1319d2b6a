// Complex matrices for tests.
#pragma once

#include <cmath>
#include <limits>
#include <numbers>

#include "solvers/complex/complex_matrix.h"

namespace tl::test {

template <class T>
constexpr double kEps = static_cast<double>(std::numeric_limits<T>::epsilon());

template <class T>
Matrix<Complex<T>> random_matrix(Stream& stream, int rows, int cols, std::uint64_t seed = 1) {
    auto blas = make_blas(stream);
    return make_complex_matrix<T>(*blas, {"uniform", rows, cols, 1, 2 * seed});
}

template <class T>
Matrix<Complex<T>> on_device(Stream& stream, const HostMatrix<Complex<T>>& host) {
    Matrix<Complex<T>> matrix(stream, host.rows, host.cols);
    matrix.upload(stream, host.data);
    return matrix;
}

template <class T>
HostMatrix<Complex<T>> host_of(Stream& stream, const Matrix<Complex<T>>& matrix) {
    HostMatrix<Complex<T>> host;
    host.rows = matrix.rows();
    host.cols = matrix.cols();
    host.data = matrix.download(stream);
    return host;
}

/// The discrete Fourier transform, which is unitary: all of its singular values are 1.
template <class T>
HostMatrix<Complex<T>> fourier(int n) {
    HostMatrix<Complex<T>> a(n, n);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) {
            double angle = -2 * std::numbers::pi * ((i * j) % n) / n, size = 1 / std::sqrt(n);
            a(i, j) = {static_cast<T>(size * std::cos(angle)),
                       static_cast<T>(size * std::sin(angle))};
        }
    return a;
}

}  // namespace tl::test
