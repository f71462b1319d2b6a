#include "solvers/complex/complex_lapack.h"

#include <algorithm>
#include <string>

#include "core/base/error.h"
#include "solvers/dense/blas_of.h"
#include "solvers/dense/openblas.h"

namespace tl {
namespace {

void require_success(const char* routine, int info) {
    if (info < 0)
        throw UserError(std::string(routine) + " failed with info " + std::to_string(info));
}

/// The size that a routine asks for, which a float may have rounded down.
template <class T>
std::vector<Complex<T>> work_of(Complex<T> wanted) {
    return std::vector<Complex<T>>(
        static_cast<std::size_t>(static_cast<double>(wanted.re) * 1.001) + 64);
}

}  // namespace

template <class T>
void lapack_getrf(LuFactors<Complex<T>>& factors) {
    auto a = factors.lu.view();
    int info = 0;
    routine_of<T>(late::cgetrf_, late::zgetrf_)(&a.rows, &a.cols, a.data, &a.stride,
                                                factors.swaps.data(), &info);
    // A positive info only says that a pivot is zero.
    require_success("getrf", info);
    for (int& row : factors.swaps) --row;
}

template <class T>
int lapack_gesv(MatrixView<Complex<T>> a, MatrixView<Complex<T>> b) {
    std::vector<int> swaps(static_cast<std::size_t>(a.rows));
    int info = 0;
    routine_of<T>(late::cgesv_, late::zgesv_)(&a.rows, &b.cols, a.data, &a.stride, swaps.data(),
                                              b.data, &b.stride, &info);
    require_success("gesv", info);
    return info - 1;
}

template <class T>
ComplexSvd<T> lapack_gesdd(Stream& stream, MatrixView<Complex<T>> a, const SvdRequest& request) {
    int m = a.rows, n = a.cols, least = std::min(m, n), most = std::max(m, n);
    ComplexSvd<T> result;
    if (least == 0) return result;
    bool full = request.vectors == SvdVectors::full;
    bool none = request.vectors == SvdVectors::none;
    const char* job = full ? "A" : none ? "N" : "S";
    int u_cols = none ? 1 : full ? m : least, vh_rows = none ? 1 : full ? n : least;
    int ldu = none ? 1 : m;
    HostMatrix<Complex<T>> u(ldu, u_cols), vh(vh_rows, none ? 1 : n);
    std::vector<T> s(static_cast<std::size_t>(least));
    auto order = static_cast<std::size_t>(least);
    std::vector<T> real_work(
        order * std::max(5 * order + 7, 2 * static_cast<std::size_t>(most) + 2 * order + 1));
    std::vector<int> integers(8 * order);
    int info = 0;
    auto call = [&](Complex<T>* work, int size) {
        routine_of<T>(late::cgesdd_, late::zgesdd_)(
            job, &m, &n, a.data, &a.stride, s.data(), u.data.data(), &ldu, vh.data.data(), &vh_rows,
            work, &size, real_work.data(), integers.data(), &info, 1);
    };
    Complex<T> wanted(0);
    call(&wanted, -1);
    auto work = work_of(wanted);
    call(work.data(), static_cast<int>(work.size()));
    if (info != 0) throw UserError("gesdd failed with info " + std::to_string(info));
    int count = request.rank > 0 ? request.rank : least;
    result.values.assign(s.begin(), s.begin() + count);
    if (none) return result;
    int kept_u = request.rank > 0 ? count : u_cols, kept_v = request.rank > 0 ? count : vh_rows;
    HostMatrix<Complex<T>> v(n, kept_v);
    for (int j = 0; j < kept_v; ++j)
        for (int i = 0; i < n; ++i) v(i, j) = conjugate(vh(j, i));
    u.data.resize(static_cast<std::size_t>(m) * kept_u);
    result.u = Matrix<Complex<T>>(stream, m, kept_u);
    result.v = Matrix<Complex<T>>(stream, n, kept_v);
    result.u.upload(stream, u.data);
    result.v.upload(stream, v.data);
    return result;
}

template <class T>
bool lapack_geev(int n, const Complex<T>* a, Complex<T>* values, Complex<T>* vectors) {
    auto order = static_cast<std::size_t>(n);
    HostMatrix<Complex<T>> columns(n, n), right(n, vectors ? n : 1);
    for (int i = 0; i < n; ++i)
        for (int j = 0; j < n; ++j) columns(i, j) = a[static_cast<std::size_t>(i) * order + j];
    std::vector<T> real_work(2 * order);
    int info = 0;
    auto call = [&](Complex<T>* work, int size) {
        routine_of<T>(late::cgeev_, late::zgeev_)("N", vectors ? "V" : "N", &n, columns.data.data(),
                                                  &n, values, nullptr, &n, right.data.data(), &n,
                                                  work, &size, real_work.data(), &info, 1, 1);
    };
    Complex<T> wanted(0);
    call(&wanted, -1);
    auto work = work_of(wanted);
    call(work.data(), static_cast<int>(work.size()));
    require_success("geev", info);
    if (vectors)
        for (int i = 0; i < n; ++i)
            for (int j = 0; j < n; ++j)
                vectors[static_cast<std::size_t>(i) * order + j] = right(i, j);
    return info == 0;
}

#define TL_INSTANTIATE(T)                                                                    \
    template void lapack_getrf(LuFactors<Complex<T>>&);                                      \
    template int lapack_gesv(MatrixView<Complex<T>>, MatrixView<Complex<T>>);                \
    template ComplexSvd<T> lapack_gesdd(Stream&, MatrixView<Complex<T>>, const SvdRequest&); \
    template bool lapack_geev(int, const Complex<T>*, Complex<T>*, Complex<T>*);
TL_INSTANTIATE(float)
TL_INSTANTIATE(double)
#undef TL_INSTANTIATE

}  // namespace tl
