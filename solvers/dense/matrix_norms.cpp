#include "solvers/dense/matrix_norms.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tl {

template <class T>
RealOf<T> largest_magnitude(Stream& stream, MatrixView<const T> a, const std::string& who,
                            const std::string& why) {
    using Real = RealOf<T>;
    if (a.empty()) return Real(0);
    auto n = static_cast<std::size_t>(a.cols);
    DeviceArray<Real> largest(stream, n);
    DeviceArray<int> bad_row(stream, n);
    TL_DISPATCH(stream.device(),
                column_maxima<Real>(stream, parts_of(a), largest.view(), bad_row.view()));
    auto bad = bad_row.download(stream);
    constexpr int kParts = kIsComplex<T> ? 2 : 1;
    for (std::size_t j = 0; j < n; ++j)
        if (bad[j] >= 0)
            throw UserError(who + ": element (" + std::to_string(bad[j] / kParts) + ", " +
                            std::to_string(j) + "), counted from 0, is not finite: " + why);
    auto maxima = largest.download(stream);
    return *std::max_element(maxima.begin(), maxima.end());
}

template <class T>
std::vector<double> column_sizes(Stream& stream, MatrixView<const T> a) {
    if (a.empty()) return std::vector<double>(static_cast<std::size_t>(a.cols));
    auto n = static_cast<std::size_t>(a.cols);
    DeviceArray<T> largest(stream, n);
    DeviceArray<int> bad_row(stream, n);
    TL_DISPATCH(stream.device(), column_maxima<T>(stream, a, largest.view(), bad_row.view()));
    auto maxima = largest.download(stream);
    auto bad = bad_row.download(stream);
    std::vector<double> sizes(maxima.begin(), maxima.end());
    for (std::size_t j = 0; j < n; ++j)
        if (bad[j] >= 0) sizes[j] = std::numeric_limits<double>::infinity();
    return sizes;
}

template <class T>
bool all_finite(Stream& stream, MatrixView<const T> a) {
    return std::ranges::all_of(column_sizes(stream, a), [](double x) { return std::isfinite(x); });
}

std::vector<int> exponents_of(const std::vector<double>& sizes) {
    std::vector<int> exponents;
    for (double size : sizes) {
        exponents.push_back(0);
        if (std::isfinite(size)) (void)std::frexp(size, &exponents.back());
    }
    return exponents;
}

template <class T>
double frobenius_norm(Stream& stream, MatrixView<const T> a) {
    if (a.empty()) return 0;
    auto sizes = column_sizes(stream, a);
    double largest = *std::ranges::max_element(sizes);
    if (!std::isfinite(largest)) return std::numeric_limits<double>::quiet_NaN();
    if (largest == 0) return 0;
    // A power of two brings the largest element to about 1.
    constexpr int kMostExponent = 1000;
    double scale = std::ldexp(1.0, std::min(-std::ilogb(largest), kMostExponent));
    DeviceArray<double> sums(stream, static_cast<std::size_t>(a.cols));
    TL_DISPATCH(stream.device(), column_squares<T>(stream, a, scale, sums.view()));
    double sum = 0;
    for (double column : sums.download(stream)) sum += column;
    return std::sqrt(sum) / scale;
}

template <class T>
double largest_column_norm(Stream& stream, MatrixView<const T> a, T unit) {
    DeviceArray<double> sums(stream, static_cast<std::size_t>(a.cols));
    // The reciprocal of the least numbers is infinite.
    double scale = 1 / std::max(static_cast<double>(unit), 1e-300);
    TL_DISPATCH(stream.device(), column_squares<T>(stream, a, scale, sums.view()));
    auto host = sums.download(stream);
    double most = *std::max_element(host.begin(), host.end());
    return std::sqrt(most) / (scale * static_cast<double>(unit));
}

template <class T>
double one_norm(Stream& stream, MatrixView<const T> a) {
    if (a.empty()) return 0;
    DeviceArray<double> sums(stream, static_cast<std::size_t>(a.cols));
    TL_DISPATCH(stream.device(), column_sums<T>(stream, a, sums.view()));
    auto host = sums.download(stream);
    return *std::max_element(host.begin(), host.end());
}

template <class T>
double infinity_norm(Stream& stream, MatrixView<const T> a) {
    if (a.empty()) return 0;
    DeviceArray<double> sums(stream, static_cast<std::size_t>(a.rows));
    TL_DISPATCH(stream.device(), row_sums<T>(stream, a, sums.view()));
    auto host = sums.download(stream);
    return *std::max_element(host.begin(), host.end());
}

template float largest_magnitude(Stream&, MatrixView<const float>, const std::string&,
                                 const std::string&);
template double largest_magnitude(Stream&, MatrixView<const double>, const std::string&,
                                  const std::string&);
template float largest_magnitude(Stream&, MatrixView<const Complex<float>>, const std::string&,
                                 const std::string&);
template double largest_magnitude(Stream&, MatrixView<const Complex<double>>, const std::string&,
                                  const std::string&);
template std::vector<double> column_sizes(Stream&, MatrixView<const float>);
template std::vector<double> column_sizes(Stream&, MatrixView<const double>);
template bool all_finite(Stream&, MatrixView<const float>);
template bool all_finite(Stream&, MatrixView<const double>);
template double frobenius_norm(Stream&, MatrixView<const float>);
template double frobenius_norm(Stream&, MatrixView<const double>);
template double largest_column_norm(Stream&, MatrixView<const float>, float);
template double largest_column_norm(Stream&, MatrixView<const double>, double);
template double one_norm(Stream&, MatrixView<const float>);
template double one_norm(Stream&, MatrixView<const double>);
template double infinity_norm(Stream&, MatrixView<const float>);
template double infinity_norm(Stream&, MatrixView<const double>);

}  // namespace tl
