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

#define TL_INSTANTIATE(T)                                                     \
    template void lapack_getrf(LuFactors<Complex<T>>&);                       \
    template int lapack_gesv(MatrixView<Complex<T>>, MatrixView<Complex<T>>); \
    template bool lapack_geev(int, const Complex<T>*, Complex<T>*, Complex<T>*);
TL_INSTANTIATE(float)
TL_INSTANTIATE(double)
#undef TL_INSTANTIATE

}  // namespace tl
