#include "solvers/eigen/eigen_check.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

namespace tl {
namespace {

using Number = std::complex<double>;

template <class T>
double frobenius(const T* a, std::size_t size) {
    double largest = 0, squares = 0;
    for (std::size_t e = 0; e < size; ++e)
        largest = std::max(largest, std::abs(static_cast<double>(a[e])));
    if (largest == 0) return 0;
    for (std::size_t e = 0; e < size; ++e) {
        double x = static_cast<double>(a[e]) / largest;
        squares += x * x;
    }
    return largest * std::sqrt(squares);
}

/// ||A v - lambda v|| / scale.
template <class T>
double residual_of(const T* a, int n, const std::vector<Number>& v, Number lambda, double scale) {
    double squares = 0;
    for (int i = 0; i < n; ++i) {
        Number sum = -(lambda / scale) * v[i];
        for (int j = 0; j < n; ++j) sum += static_cast<double>(a[i * n + j]) / scale * v[j];
        squares += std::norm(sum);
    }
    return std::sqrt(squares);
}

/// The determinant of A / scale, by elimination with partial pivoting, whose rounding is far below
/// that of what is checked.
template <class T>
double determinant_of(const T* a, int n, double scale) {
    std::vector<long double> m(a, a + static_cast<std::size_t>(n) * n);
    for (auto& x : m) x /= static_cast<long double>(scale);
    long double determinant = 1;
    for (int k = 0; k < n; ++k) {
        int pivot = k;
        for (int i = k + 1; i < n; ++i)
            if (std::abs(m[i * n + k]) > std::abs(m[pivot * n + k])) pivot = i;
        if (m[pivot * n + k] == 0) return 0;
        if (pivot != k) {
            std::swap_ranges(&m[k * n], &m[k * n] + n, &m[pivot * n]);
            determinant = -determinant;
        }
        determinant *= m[k * n + k];
        for (int i = k + 1; i < n; ++i) {
            long double factor = m[i * n + k] / m[k * n + k];
            for (int j = k; j < n; ++j) m[i * n + j] -= factor * m[k * n + j];
        }
    }
    return static_cast<double>(determinant);
}

/// How much the determinant of a matrix of n rows and Frobenius norm 1 can change with it: by as
/// much as the product of n - 1 singular values, which is largest where they are equal.
double slope_of_determinant(int n) {
    return n < 2 ? 1 : std::pow(n - 1.0, -0.5 * (n - 1));
}

/// Keeps the larger one; NaN counts as the largest.
void keep_largest(double& largest, double value) {
    if (!(value <= largest)) largest = value;
}

}  // namespace

template <class T>
HostEigen<T> downloaded(Stream& stream, const EigenResult<T>& result) {
    return {result.n,
            result.count,
            result.pairs,
            result.values.download(stream),
            result.vectors.download(stream),
            result.sweeps.download(stream),
            result.status.download(stream)};
}

template <class T>
EigenAccuracy measure_eigen(std::span<const T> a, const HostEigen<T>& result) {
    EigenAccuracy accuracy;
    const int n = result.n;
    auto size = static_cast<std::size_t>(n) * n;
    std::vector<Number> v(static_cast<std::size_t>(n));
    for (std::size_t m = 0; m < result.count; ++m) {
        if (result.status[m] != static_cast<int>(EigenStatus::solved)) continue;
        const T* matrix = a.data() + m * size;
        double norm = frobenius(matrix, size);
        double scale = norm > 0 ? norm : 1;
        double unit = static_cast<double>(std::numeric_limits<T>::epsilon()) * n;
        int column = 0;
        Number sum = 0, product = 1;
        double trace = 0;
        for (int k = 0; k < n; ++k) {
            const T* value = &result.values[(m * static_cast<std::size_t>(n) + k) * 2];
            Number lambda(static_cast<double>(value[0]), static_cast<double>(value[1]));
            sum += lambda / scale;
            product *= lambda / scale;
            trace += static_cast<double>(matrix[k * n + k]) / scale;
            if (result.pairs == EigenPairs::values) continue;
            if (result.pairs == EigenPairs::real) {
                if (value[1] != 0) continue;
                for (int i = 0; i < n; ++i)
                    v[i] = static_cast<double>(result.vectors[m * size + i * n + column]);
                ++column;
            } else {
                const T* from = &result.vectors[2 * (m * size + k)];
                for (int i = 0; i < n; ++i)
                    v[i] = {static_cast<double>(from[2 * i * n]),
                            static_cast<double>(from[2 * i * n + 1])};
            }
            double squares = 0;
            for (auto& x : v) squares += std::norm(x);
            keep_largest(accuracy.length, std::abs(std::sqrt(squares) - 1));
            keep_largest(accuracy.residual, residual_of(matrix, n, v, lambda, scale) / unit);
            ++accuracy.n_vectors;
        }
        keep_largest(accuracy.trace, std::abs(sum - trace) / unit);
        if (n <= EigenAccuracy::kMostRowsOfDeterminant)
            keep_largest(accuracy.determinant,
                         std::abs(product - determinant_of(matrix, n, scale)) /
                             (unit * slope_of_determinant(n)));
    }
    return accuracy;
}

template HostEigen<float> downloaded(Stream&, const EigenResult<float>&);
template HostEigen<double> downloaded(Stream&, const EigenResult<double>&);
template EigenAccuracy measure_eigen(std::span<const float>, const HostEigen<float>&);
template EigenAccuracy measure_eigen(std::span<const double>, const HostEigen<double>&);

}  // namespace tl
