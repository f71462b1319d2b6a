#include "solvers/eigen/eigen_check.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>

#include "solvers/dense/largest_error.h"
#include "solvers/eigen/wide_range.h"

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

/// x times 2^exponent, real and imaginary part.
Number times_power(Number x, int exponent) {
    return {std::ldexp(x.real(), exponent), std::ldexp(x.imag(), exponent)};
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

/// B = D^-1 P^T A P D / 2^e for a permutation P and powers of two D. Rows and columns of B have
/// about the same size, and its elements underflow only where they are negligible.
class BalancedMatrix {
  public:
    template <class T>
    BalancedMatrix(const T* a, int n)
        : n_(n),
          order_(n),
          scale_(n),
          rank_(n),
          isolated_(n),
          b_(a, a + std::size_t(n) * n),
          w_(b_) {
        using Team = cpu::eigen::ScalarTeam<double>;
        cpu::eigen::WideArrays<double*> arrays{b_.data(),     w_.data(),        order_.data(),
                                               scale_.data(), isolated_.data(), rank_.data()};
        exponent_ = static_cast<int>(cpu::eigen::balance_wide(Team(), n, arrays, true));
        norm_ = frobenius(b_.data(), b_.size());
        if (norm_ == 0) norm_ = 1;
    }
    [[nodiscard]] const double* elements() const { return b_.data(); }
    /// The Frobenius norm, 1 for a matrix of zeros.
    [[nodiscard]] double norm() const { return norm_; }
    /// The eigenvalue of B for that of A.
    [[nodiscard]] Number value(Number lambda) const { return times_power(lambda, -exponent_); }

    /// ||B w - lambda w|| / (||B|| ||w||) for w of A's vector `v`. Components too small for their
    /// type, whose steps are `least`, are not counted as errors.
    [[nodiscard]] double residual(const std::vector<Number>& v, Number lambda, double least) const {
        std::vector<Number> w(v.size());
        int top = std::numeric_limits<int>::min();
        auto scale_at = [&](int i) { return static_cast<int>(scale_[i]); };
        for (int i = 0; i < n_; ++i) {
            w[i] = v[static_cast<std::size_t>(order_[i])];
            double size = std::abs(w[i].real()) + std::abs(w[i].imag());
            if (size > 0) top = std::max(top, std::ilogb(size) - scale_at(i));
        }
        std::vector<double> step(v.size());
        double squares = 0, of_w = 0;
        for (int i = 0; i < n_; ++i) {
            w[i] = times_power(w[i], -scale_at(i) - top);
            step[i] = std::ldexp(least, -scale_at(i) - top);
            of_w += std::norm(w[i]);
        }
        lambda /= norm_;
        for (int i = 0; i < n_; ++i) {
            Number sum = -lambda * w[i];
            double due = std::abs(lambda) * step[i];
            for (int j = 0; j < n_; ++j) {
                double x = b_[static_cast<std::size_t>(i) * n_ + j] / norm_;
                sum += x * w[j];
                due += std::abs(x) * step[j];
            }
            double rest = std::abs(sum) - due;
            if (!(rest <= 0)) squares += rest * rest;
        }
        return std::sqrt(squares / of_w);
    }

  private:
    int n_, exponent_ = 0;
    std::vector<double> order_, scale_, rank_, isolated_, b_, w_;
    double norm_ = 1;
};

/// The determinant of A / scale, by elimination with partial pivoting, whose rounding error is far
/// below the errors that are measured.
double determinant_of(const double* a, int n, double scale) {
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

/// Largest change of the determinant of a matrix of n rows and Frobenius norm 1, per change of the
/// matrix. It is the product of n - 1 singular values, which is largest where they are equal.
double slope_of_determinant(int n) {
    return n < 2 ? 1 : std::pow(n - 1.0, -0.5 * (n - 1));
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
        BalancedMatrix balanced(matrix, n);
        double unit = static_cast<double>(std::numeric_limits<T>::epsilon()) * n;
        int column = 0;
        Number sum = 0, product = 1;
        double trace = 0;
        for (int k = 0; k < n; ++k) {
            const T* value = &result.values[(m * static_cast<std::size_t>(n) + k) * 2];
            Number lambda(static_cast<double>(value[0]), static_cast<double>(value[1]));
            Number balanced_value = balanced.value(lambda);
            sum += balanced_value / balanced.norm();
            product *= balanced_value / balanced.norm();
            trace += balanced.elements()[k * n + k] / balanced.norm();
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
            keep_larger(accuracy.length, std::abs(std::sqrt(squares) - 1));
            keep_larger(accuracy.residual, residual_of(matrix, n, v, lambda, scale) / unit);
            keep_larger(
                accuracy.balanced,
                balanced.residual(v, balanced_value,
                                  static_cast<double>(std::numeric_limits<T>::denorm_min())) /
                    unit);
            ++accuracy.n_vectors;
        }
        keep_larger(accuracy.trace, std::abs(sum - trace) / unit);
        if (n <= EigenAccuracy::kMostRowsOfDeterminant)
            keep_larger(
                accuracy.determinant,
                std::abs(product - determinant_of(balanced.elements(), n, balanced.norm())) /
                    (unit * slope_of_determinant(n)));
    }
    return accuracy;
}

void EigenAccuracy::add(const EigenAccuracy& more) {
    keep_larger(residual, more.residual);
    keep_larger(balanced, more.balanced);
    keep_larger(length, more.length);
    keep_larger(trace, more.trace);
    keep_larger(determinant, more.determinant);
    n_vectors += more.n_vectors;
}

template HostEigen<float> downloaded(Stream&, const EigenResult<float>&);
template HostEigen<double> downloaded(Stream&, const EigenResult<double>&);
template EigenAccuracy measure_eigen(std::span<const float>, const HostEigen<float>&);
template EigenAccuracy measure_eigen(std::span<const double>, const HostEigen<double>&);

}  // namespace tl
