#include "solvers/svd/svd_checks.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "solvers/dense/matrix_kernels.h"

namespace tl {

void check_request(int rows, int cols, const SvdRequest& request) {
    int most = std::min(rows, cols);
    if (request.rank < 0 || request.rank > most)
        throw UsageError("svd: rank " + std::to_string(request.rank) + " of a " +
                         std::to_string(rows) + "x" + std::to_string(cols) +
                         " matrix: it may be 0 (all) to " + std::to_string(most));
    if (request.rank > 0 && request.vectors == SvdVectors::full)
        throw UsageError("svd: full vectors and a rank exclude each other: choose thin vectors");
}

template <class T>
int scale_exponent(Stream& stream, MatrixView<const T> a, bool& all_zero) {
    auto most = largest_magnitude(stream, a, "svd", "the matrix has no singular values");
    all_zero = most == 0;
    int exponent = 0;
    if (!all_zero) (void)std::frexp(static_cast<double>(most), &exponent);
    return exponent;
}

template <class T>
Matrix<T> first_columns(Stream& stream, const Matrix<T>& a, int count) {
    Matrix<T> part(stream, a.rows(), count);
    TL_DISPATCH(stream.device(), copy_matrix<T>(stream, a.view().columns(0, count), part.view()));
    return part;
}

template <class T>
void sort_triplets(Stream& stream, std::vector<double>& values, MatrixView<T> u, MatrixView<T> v,
                   MatrixView<T> spare) {
    std::vector<int> order(values.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](int a, int b) { return values[a] > values[b]; });
    std::stable_sort(values.begin(), values.end(), std::greater<>());
    DeviceArray<int> device_order(stream, order);
    for (auto vectors : {u, v}) {
        TL_DISPATCH(stream.device(), copy_matrix<T>(stream, vectors, spare));
        TL_DISPATCH(stream.device(),
                    permute_columns<T>(stream, spare, device_order.view(), vectors));
    }
}

template <class T>
SvdAccuracy measure_svd(Blas& blas, MatrixView<const T> a, const SvdResult<T>& result) {
    Stream& stream = blas.stream();
    auto k = static_cast<int>(result.values.size());
    if (result.u.cols() < k || result.v.cols() < k || k == 0) return {};
    bool all_zero = false;
    int exponent = scale_exponent(stream, a, all_zero);
    auto norm = [&](MatrixView<const T> matrix) {
        return frobenius_norm(stream, parts_of(matrix));
    };
    auto orthogonality = [&](MatrixView<const T> q) {
        Matrix<T> gram(stream, q.cols, q.cols);
        blas.gemm(Transpose::yes, Transpose::no, T(1), q, q, T(0), gram.view());
        TL_DISPATCH(stream.device(), subtract_identity<T>(stream, gram.view()));
        return norm(gram.view()) / std::sqrt(static_cast<double>(q.cols));
    };
    SvdAccuracy accuracy;
    accuracy.orthogonality_u = orthogonality(result.u.view());
    accuracy.orthogonality_v = orthogonality(result.v.view());

    Matrix<T> difference(stream, a.rows, a.cols), scaled_u(stream, a.rows, k);
    TL_DISPATCH(stream.device(), scale_by_power<RealOf<T>>(stream, parts_of(a), -exponent,
                                                           parts_of(difference.view())));
    double size = norm(difference.view());
    std::vector<T> factors(k);
    for (int i = 0; i < k; ++i)
        factors[i] = T(static_cast<RealOf<T>>(std::ldexp(result.values[i], -exponent)));
    DeviceArray<T> device_factors(stream, factors);
    TL_DISPATCH(stream.device(),
                copy_matrix<T>(stream, result.u.view().columns(0, k), scaled_u.view()));
    TL_DISPATCH(stream.device(), scale_columns<T>(stream, scaled_u.view(), device_factors.view()));
    blas.gemm(Transpose::no, Transpose::yes, T(-1), scaled_u.view(), result.v.view().columns(0, k),
              T(1), difference.view());
    accuracy.residual = norm(difference.view()) / (size > 0 ? size : 1);
    return accuracy;
}

template void sort_triplets(Stream&, std::vector<double>&, MatrixView<float>, MatrixView<float>,
                            MatrixView<float>);
template void sort_triplets(Stream&, std::vector<double>&, MatrixView<double>, MatrixView<double>,
                            MatrixView<double>);
#define TL_INSTANTIATE(T)                                             \
    template int scale_exponent(Stream&, MatrixView<const T>, bool&); \
    template Matrix<T> first_columns(Stream&, const Matrix<T>&, int); \
    template SvdAccuracy measure_svd(Blas&, MatrixView<const T>, const SvdResult<T>&);
TL_INSTANTIATE(float)
TL_INSTANTIATE(double)
TL_INSTANTIATE(Complex<float>)
TL_INSTANTIATE(Complex<double>)
#undef TL_INSTANTIATE

}  // namespace tl
