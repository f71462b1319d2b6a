#include "solvers/dense/lu/lu_factors.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "solvers/dense/largest_error.h"
#include "solvers/dense/lu/lu_kernels.h"
#include "solvers/dense/matrix_kernels.h"
#include "solvers/dense/matrix_norms.h"

namespace tl {
namespace {

double magnitude_sum(const std::vector<double>& x) {
    double sum = 0;
    for (double value : x) sum += std::abs(value);
    return sum;
}

}  // namespace

template <class T>
std::vector<T> diagonal_of(Stream& stream, MatrixView<const T> lu) {
    // A view with one more row per column has the diagonal as its first row.
    int n = std::min(lu.rows, lu.cols);
    Matrix<T> diagonal(stream, 1, n);
    if (n > 0)
        TL_DISPATCH(stream.device(),
                    copy_matrix<T>(stream, {lu.data, 1, n, lu.stride + 1}, diagonal.view()));
    return diagonal.download(stream);
}

std::vector<int> order_of(const std::vector<int>& swaps, int count) {
    std::vector<int> order(static_cast<std::size_t>(count));
    std::iota(order.begin(), order.end(), 0);
    for (std::size_t k = 0; k < swaps.size(); ++k) std::swap(order[k], order[swaps[k]]);
    return order;
}

void require_order(const std::vector<int>& order, const std::string& what) {
    std::vector<bool> is_named(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        bool is_row = order[i] >= 0 && static_cast<std::size_t>(order[i]) < order.size();
        if (!is_row || is_named[static_cast<std::size_t>(order[i])])
            throw UserError(what + ": element " + std::to_string(i) + ", counted from 0, is " +
                            std::to_string(order[i]) + ", but an order has each number from 0 to " +
                            std::to_string(order.size() - 1) + " once");
        is_named[static_cast<std::size_t>(order[i])] = true;
    }
}

template <class T>
int first_zero(const std::vector<T>& pivots) {
    auto zero = std::ranges::find(pivots, T(0));
    return zero == pivots.end() ? -1 : static_cast<int>(zero - pivots.begin());
}

template <class T>
int first_zero_pivot(Stream& stream, MatrixView<const T> lu) {
    return first_zero(diagonal_of(stream, lu));
}

template <class T>
void substitute(Blas& blas, MatrixView<const T> lu, const std::vector<int>& p,
                const std::vector<int>& q, Transpose op, MatrixView<T> b) {
    if (b.empty()) return;
    Stream& stream = blas.stream();
    auto& device = stream.device();
    Matrix<T> spare(stream, b.rows, b.cols);
    auto gather = [&](const std::vector<int>& order) {
        if (order.empty()) return;
        DeviceArray<int> from(stream, order);
        TL_DISPATCH(device, copy_matrix<T>(stream, b, spare.view()));
        TL_DISPATCH(device, gather_rows<T>(stream, spare.view(), from.view(), b));
    };
    auto scatter = [&](const std::vector<int>& order) {
        if (order.empty()) return;
        DeviceArray<int> to(stream, order);
        TL_DISPATCH(device, copy_matrix<T>(stream, b, spare.view()));
        TL_DISPATCH(device, scatter_rows<T>(stream, spare.view(), to.view(), b));
    };
    bool is_plain = op == Transpose::no;
    gather(is_plain ? p : q);
    blas.solve(is_plain ? Triangle::unit_lower : Triangle::upper, op, lu, b);
    blas.solve(is_plain ? Triangle::upper : Triangle::unit_lower, op, lu, b);
    scatter(is_plain ? q : p);
}

template <class T>
void solve_with(Blas& blas, const LuFactors<T>& factors, Transpose op, MatrixView<T> b) {
    auto lu = factors.lu.view();
    std::vector<int> q;
    if (!factors.column_swaps.empty()) q = order_of(factors.column_swaps, lu.cols);
    substitute<T>(blas, lu, order_of(factors.swaps, lu.rows), q, op, b);
}

template <class T>
Matrix<T> inverse_of(Blas& blas, const LuFactors<T>& factors) {
    int n = factors.lu.rows();
    Matrix<T> inverse(blas.stream(), n, n);
    TL_DISPATCH(blas.stream().device(), set_identity<T>(blas.stream(), inverse.view()));
    solve_with(blas, factors, Transpose::no, inverse.view());
    return inverse;
}

double Determinant::log_magnitude() const {
    return std::log(std::abs(mantissa)) + static_cast<double>(exponent) * std::log(2.0);
}

template <class T>
Determinant determinant_of(const std::vector<T>& pivots, const std::vector<int>& swaps,
                           const std::vector<int>& column_swaps) {
    Determinant product{0.5, 1};
    for (T value : pivots) {
        int exponent = 0;
        product.mantissa = std::frexp(product.mantissa * static_cast<double>(value), &exponent);
        product.exponent += exponent;
        if (value == T(0)) return {0, 0};
    }
    for (auto* exchanges : {&swaps, &column_swaps})
        for (std::size_t k = 0; k < exchanges->size(); ++k)
            if ((*exchanges)[k] != static_cast<int>(k)) product.mantissa = -product.mantissa;
    return product;
}

template <class T>
Determinant determinant_of(Stream& stream, const LuFactors<T>& factors) {
    return determinant_of(diagonal_of<T>(stream, factors.lu.view()), factors.swaps,
                          factors.column_swaps);
}

template <class T>
double condition_of(Blas& blas, const LuFactors<T>& factors, double norm) {
    Stream& stream = blas.stream();
    int n = factors.lu.rows();
    if (n == 0) return 0;
    if (first_zero_pivot(stream, factors) >= 0) return std::numeric_limits<double>::infinity();
    Matrix<T> vector(stream, n, 1);
    auto solved = [&](Transpose op, const std::vector<double>& x) {
        std::vector<T> values(x.begin(), x.end());
        vector.upload(stream, values);
        solve_with(blas, factors, op, vector.view());
        auto host = vector.download(stream);
        return std::vector<double>(host.begin(), host.end());
    };
    // Higham 1988, algorithm 2.4: climbs from vertex to vertex of the unit ball.
    std::vector<double> x(static_cast<std::size_t>(n), 1.0 / n);
    double estimate = 0;
    std::size_t last = x.size();
    for (int step = 0; step < 5; ++step) {
        auto y = solved(Transpose::no, x);
        double sum = magnitude_sum(y);
        if (step > 0 && !(sum > estimate)) break;
        estimate = sum;
        for (double& value : y) value = value >= 0 ? 1 : -1;
        auto z = solved(Transpose::yes, y);
        auto largest = std::max_element(
            z.begin(), z.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
        auto next = static_cast<std::size_t>(largest - z.begin());
        double along = std::inner_product(z.begin(), z.end(), x.begin(), 0.0);
        if (step > 0 && (std::abs(*largest) <= along || next == last)) break;
        last = next;
        std::fill(x.begin(), x.end(), 0.0);
        x[next] = 1;
    }
    // A vector that such a climb can miss.
    for (int i = 0; i < n; ++i)
        x[i] = (i % 2 == 0 ? 1 : -1) * (1 + static_cast<double>(i) / std::max(n - 1, 1));
    keep_larger(estimate, 2 * magnitude_sum(solved(Transpose::no, x)) / (3.0 * n));
    return norm * estimate;
}

template <class T>
LuAccuracy measure_lu(Blas& blas, MatrixView<const T> a, const LuFactors<T>& factors) {
    LuAccuracy accuracy;
    if (a.empty()) return accuracy;
    Stream& stream = blas.stream();
    int k = std::min(a.rows, a.cols);
    T largest = largest_magnitude(stream, a, "lu", "it cannot be compared");
    if (largest == T(0)) return accuracy;
    // A power of two brings A to about 1, so that no square over- or underflows; U has A's scale.
    int exponent = 0;
    (void)std::frexp(static_cast<double>(largest), &exponent);
    Matrix<T> l(stream, a.rows, k), u(stream, k, a.cols), scaled_u(stream, k, a.cols);
    Matrix<T> difference(stream, a.rows, a.cols), permuted(stream, a.rows, a.cols);
    TL_DISPATCH(stream.device(), unpack_lower<T>(stream, factors.lu.view(), l.view()));
    TL_DISPATCH(stream.device(), unpack_upper<T>(stream, factors.lu.view(), u.view()));
    accuracy.growth =
        static_cast<double>(largest_magnitude<T>(stream, u.view(), "lu", "the factors overflow")) /
        static_cast<double>(largest);
    TL_DISPATCH(stream.device(), scale_by_power<T>(stream, u.view(), -exponent, scaled_u.view()));
    TL_DISPATCH(stream.device(), scale_by_power<T>(stream, a, -exponent, difference.view()));
    double norm = frobenius_norm<T>(stream, difference.view());
    DeviceArray<int> p(stream, order_of(factors.swaps, a.rows));
    TL_DISPATCH(stream.device(),
                gather_rows<T>(stream, difference.view(), p.view(), permuted.view()));
    if (!factors.column_swaps.empty()) {
        DeviceArray<int> q(stream, order_of(factors.column_swaps, a.cols));
        TL_DISPATCH(stream.device(),
                    permute_columns<T>(stream, permuted.view(), q.view(), difference.view()));
        std::swap(permuted, difference);
    }
    blas.gemm(Transpose::no, Transpose::no, T(-1), l.view(), scaled_u.view(), T(1),
              permuted.view());
    accuracy.residual =
        frobenius_norm<T>(stream, permuted.view()) /
        (std::max(a.rows, a.cols) * static_cast<double>(std::numeric_limits<T>::epsilon()) * norm);
    return accuracy;
}

#define TL_INSTANTIATE(T)                                                               \
    template int first_zero(const std::vector<T>&);                                     \
    template int first_zero_pivot(Stream&, MatrixView<const T>);                        \
    template void substitute(Blas&, MatrixView<const T>, const std::vector<int>&,       \
                             const std::vector<int>&, Transpose, MatrixView<T>);        \
    template void solve_with(Blas&, const LuFactors<T>&, Transpose, MatrixView<T>);     \
    template Matrix<T> inverse_of(Blas&, const LuFactors<T>&);                          \
    template std::vector<T> diagonal_of(Stream&, MatrixView<const T>);                  \
    template Determinant determinant_of(const std::vector<T>&, const std::vector<int>&, \
                                        const std::vector<int>&);                       \
    template Determinant determinant_of(Stream&, const LuFactors<T>&);                  \
    template double condition_of(Blas&, const LuFactors<T>&, double);                   \
    template LuAccuracy measure_lu(Blas&, MatrixView<const T>, const LuFactors<T>&);
TL_INSTANTIATE(float)
TL_INSTANTIATE(double)
#undef TL_INSTANTIATE
#define TL_INSTANTIATE_COMPLEX(T)                                                   \
    template int first_zero_pivot(Stream&, MatrixView<const T>);                    \
    template void substitute(Blas&, MatrixView<const T>, const std::vector<int>&,   \
                             const std::vector<int>&, Transpose, MatrixView<T>);    \
    template void solve_with(Blas&, const LuFactors<T>&, Transpose, MatrixView<T>); \
    template std::vector<T> diagonal_of(Stream&, MatrixView<const T>);
TL_INSTANTIATE_COMPLEX(Complex<float>)
TL_INSTANTIATE_COMPLEX(Complex<double>)
#undef TL_INSTANTIATE_COMPLEX

}  // namespace tl
