#include "solvers/complex/complex_matrix.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/text.h"
#include "solvers/complex/complex_kernels.h"

namespace tl {

template <class T>
Matrix<Complex<T>> make_complex_matrix(Blas& blas, const MatrixSpec& spec) {
    Stream& stream = blas.stream();
    auto other = spec;
    ++other.seed;
    auto re = make_matrix<T>(blas, spec), im = make_matrix<T>(blas, other);
    Matrix<Complex<T>> a(stream, re.rows(), re.cols());
    TL_DISPATCH(stream.device(), join_parts<T>(stream, re.view(), im.view(), a.view()));
    return a;
}

template <class T>
Matrix<T> real_form_of(Stream& stream, MatrixView<const Complex<T>> a) {
    Matrix<T> real(stream, 2 * a.rows, 2 * a.cols);
    TL_DISPATCH(stream.device(), real_form<T>(stream, a, real.view()));
    return real;
}

template <class T>
Matrix<T> stacked_parts(Stream& stream, MatrixView<const Complex<T>> b) {
    Matrix<T> stacked(stream, 2 * b.rows, b.cols);
    TL_DISPATCH(stream.device(), stack_parts<T>(stream, b, stacked.view()));
    return stacked;
}

template <class T>
Matrix<Complex<T>> joined_parts(Stream& stream, MatrixView<const T> stacked) {
    int rows = stacked.rows / 2;
    Matrix<Complex<T>> joined(stream, rows, stacked.cols);
    TL_DISPATCH(stream.device(),
                join_parts<T>(stream, stacked.block(0, 0, rows, stacked.cols),
                              stacked.block(rows, 0, rows, stacked.cols), joined.view()));
    return joined;
}

void require_complex_mode(const std::string& family, const std::string& mode,
                          const std::vector<std::string>& modes) {
    if (std::ranges::find(modes, mode) == modes.end())
        throw UsageError(family + " has no mode '" + mode +
                         "' for complex matrices on this device; it has " + joined(modes));
}

#define TL_INSTANTIATE(T)                                                      \
    template Matrix<Complex<T>> make_complex_matrix(Blas&, const MatrixSpec&); \
    template Matrix<T> real_form_of(Stream&, MatrixView<const Complex<T>>);    \
    template Matrix<T> stacked_parts(Stream&, MatrixView<const Complex<T>>);   \
    template Matrix<Complex<T>> joined_parts(Stream&, MatrixView<const T>);
TL_INSTANTIATE(float)
TL_INSTANTIATE(double)
#undef TL_INSTANTIATE

}  // namespace tl
