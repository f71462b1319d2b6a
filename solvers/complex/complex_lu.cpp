#include "solvers/complex/complex_lu.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/complex/complex_kernels.h"
#include "solvers/complex/complex_lapack.h"
#include "solvers/complex/complex_matrix.h"
#include "solvers/dense/lu/lu_kernels.h"
#include "solvers/dense/lu/lu_steps.h"
#include "solvers/dense/matrix_kernels.h"
#include "solvers/dense/matrix_norms.h"

namespace tl {
namespace {

constexpr const char* kComplexBlocked = "blocked";
constexpr const char* kLapackFactors = "lapack-getrf";

/// Columns of a panel, which is factorised column by column.
int panel_width(const Device& device) {
    constexpr int kOnCpu = 32, kOnCuda = 64;
    return device.kind() == DeviceKind::cpu ? kOnCpu : kOnCuda;
}

/// Right-looking by panels.
template <class T>
void factorise_by_panels(Stream& stream, MatrixView<Complex<T>> a, View<int> swaps,
                         SolverRun& run) {
    using Number = Complex<T>;
    auto blas = make_blas(stream);
    int steps = std::min(a.rows, a.cols), width = panel_width(stream.device());
    for (int first = 0; first < steps; first += width) {
        int w = std::min(width, steps - first), next = first + w;
        TL_DISPATCH(stream.device(),
                    factorise_by_steps<Number>(stream, a, first, w, Pivoting::partial, swaps));
        TL_DISPATCH(stream.device(), exchange_rows<T>(stream, a, swaps, first, w));
        int right = a.cols - next, below = a.rows - next;
        blas->solve(Triangle::unit_lower, Transpose::no, a.block(first, first, w, w),
                    a.block(first, next, w, right));
        blas->gemm(Transpose::no, Transpose::no, Number(-1), a.block(next, first, below, w),
                   a.block(first, next, w, right), Number(1), a.block(next, next, below, right));
        double left = 1 - static_cast<double>(next) / steps;
        run.report(1 - left * left * left);
    }
}

}  // namespace

std::vector<std::string> complex_lu_modes(DeviceKind device) {
    if (device == DeviceKind::cpu) return {kComplexBlocked, kLapackFactors};
    return {kComplexBlocked};
}

template <class T>
LuFactors<Complex<T>> factorise_complex(Stream& stream, MatrixView<const Complex<T>> a,
                                        const std::string& mode, SolverRun& run) {
    require_complex_mode("lu", mode, complex_lu_modes(stream.device().kind()));
    auto elements = static_cast<std::uint64_t>(a.rows) * static_cast<std::uint64_t>(a.cols);
    require_memory(stream.device(), elements * sizeof(Complex<T>), "lu mode " + mode,
                   kDenseMemoryAdvice);
    (void)largest_magnitude(stream, a, "lu", "the matrix has no factors");
    LuFactors<Complex<T>> factors;
    factors.mode = mode;
    factors.lu = Matrix<Complex<T>>(stream, a.rows, a.cols);
    factors.swaps.resize(static_cast<std::size_t>(std::min(a.rows, a.cols)));
    TL_DISPATCH(stream.device(), copy_matrix<Complex<T>>(stream, a, factors.lu.view()));
    StageTimer timer(stream);
    timer.begin_frame();
    if (mode == kLapackFactors && !a.empty()) lapack_getrf(factors);
    if (mode == kComplexBlocked) {
        DeviceArray<int> swaps(stream, factors.swaps.size());
        factorise_by_panels<T>(stream, factors.lu.view(), swaps.view(), run);
        factors.swaps = swaps.download(stream);
    }
    timer.end_frame();
    timer.flush();
    factors.stages = timer.latest();
    run.report(1);
    return factors;
}

double ComplexDeterminant::log_magnitude() const {
    return std::log(std::hypot(mantissa.re, mantissa.im)) +
           static_cast<double>(exponent) * std::log(2.0);
}

template <class T>
ComplexDeterminant determinant_of(Stream& stream, const LuFactors<Complex<T>>& factors) {
    ComplexDeterminant product;
    auto normalise = [&](Complex<double> x) {
        int exponent = 0;
        (void)std::frexp(std::max(std::abs(x.re), std::abs(x.im)), &exponent);
        product.exponent += exponent;
        return Complex<double>(std::ldexp(x.re, -exponent), std::ldexp(x.im, -exponent));
    };
    for (Complex<T> pivot : diagonal_of<Complex<T>>(stream, factors.lu.view())) {
        if (pivot == Complex<T>(0)) return {{0, 0}, 0};
        product.mantissa = normalise(product.mantissa * normalise({static_cast<double>(pivot.re),
                                                                   static_cast<double>(pivot.im)}));
    }
    for (std::size_t k = 0; k < factors.swaps.size(); ++k)
        if (factors.swaps[k] != static_cast<int>(k)) product.mantissa = -product.mantissa;
    return product;
}

template <class T>
LuAccuracy measure_lu(Blas& blas, MatrixView<const Complex<T>> a,
                      const LuFactors<Complex<T>>& factors) {
    using Number = Complex<T>;
    LuAccuracy accuracy;
    if (a.empty()) return accuracy;
    Stream& stream = blas.stream();
    int k = std::min(a.rows, a.cols);
    T largest = largest_magnitude<T>(stream, parts_of(a), "lu", "it cannot be compared");
    if (largest == T(0)) return accuracy;
    // A power of two brings A to about 1, so that no square over- or underflows; U has A's scale.
    int exponent = 0;
    (void)std::frexp(static_cast<double>(largest), &exponent);
    Matrix<Number> l(stream, a.rows, k), u(stream, k, a.cols), scaled_u(stream, k, a.cols);
    Matrix<Number> scaled(stream, a.rows, a.cols), difference(stream, a.rows, a.cols);
    TL_DISPATCH(stream.device(), unpack_lower<Number>(stream, factors.lu.view(), l.view()));
    TL_DISPATCH(stream.device(), unpack_upper<Number>(stream, factors.lu.view(), u.view()));
    MatrixView<const Number> upper = u.view();
    accuracy.growth = static_cast<double>(largest_magnitude<T>(stream, parts_of(upper), "lu",
                                                               "the factors overflow")) /
                      static_cast<double>(largest);
    auto scale = [&](MatrixView<const Number> from, MatrixView<Number> to) {
        TL_DISPATCH(stream.device(),
                    scale_by_power<T>(stream, parts_of(from), -exponent, parts_of(to)));
    };
    scale(upper, scaled_u.view());
    scale(a, scaled.view());
    MatrixView<const Number> whole = scaled.view(), rest = difference.view();
    double norm = frobenius_norm<T>(stream, parts_of(whole));
    DeviceArray<int> p(stream, order_of(factors.swaps, a.rows));
    TL_DISPATCH(stream.device(), gather_rows<Number>(stream, whole, p.view(), difference.view()));
    blas.gemm(Transpose::no, Transpose::no, Number(-1), l.view(), scaled_u.view(), Number(1),
              difference.view());
    accuracy.residual =
        frobenius_norm<T>(stream, parts_of(rest)) /
        (std::max(a.rows, a.cols) * static_cast<double>(std::numeric_limits<T>::epsilon()) * norm);
    return accuracy;
}

#define TL_INSTANTIATE(T)                                                                   \
    template LuFactors<Complex<T>> factorise_complex(Stream&, MatrixView<const Complex<T>>, \
                                                     const std::string&, SolverRun&);       \
    template ComplexDeterminant determinant_of(Stream&, const LuFactors<Complex<T>>&);      \
    template LuAccuracy measure_lu(Blas&, MatrixView<const Complex<T>>,                     \
                                   const LuFactors<Complex<T>>&);
TL_INSTANTIATE(float)
TL_INSTANTIATE(double)
#undef TL_INSTANTIATE

}  // namespace tl
