#include "solvers/svd/low_rank.h"

#include <cmath>

#include "solvers/dense/matrix_kernels.h"

namespace tl {

double error_of_rank(const std::vector<double>& values, int rank) {
    double largest = values.empty() ? 0 : values[0], missed = 0, all = 0;
    if (largest <= 0) return 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        double part = values[i] / largest;
        all += part * part;
        if (i >= static_cast<std::size_t>(rank)) missed += part * part;
    }
    return std::sqrt(missed / all);
}

double energy_kept(const std::vector<double>& values, int rank) {
    // Relative to the largest, so that no square over- or underflows.
    double largest = values.empty() ? 0 : values[0], kept = 0, all = 0;
    if (largest <= 0) return 1;
    for (std::size_t i = 0; i < values.size(); ++i) {
        double part = values[i] / largest;
        all += part * part;
        if (i < static_cast<std::size_t>(rank)) kept += part * part;
    }
    return kept / all;
}

template <class T>
Matrix<T> low_rank(Blas& blas, const SvdResult<T>& result, int rank) {
    Stream& stream = blas.stream();
    int rows = result.u.rows(), cols = result.v.rows();
    Matrix<T> sum(stream, rows, cols);
    if (rank == 0) {
        sum.fill_zero(stream);
        return sum;
    }
    Matrix<T> scaled(stream, rows, rank);
    std::vector<T> factors(result.values.begin(), result.values.begin() + rank);
    DeviceArray<T> device_factors(stream, factors);
    TL_DISPATCH(stream.device(),
                copy_matrix<T>(stream, result.u.view().columns(0, rank), scaled.view()));
    TL_DISPATCH(stream.device(), scale_columns<T>(stream, scaled.view(), device_factors.view()));
    blas.gemm(Transpose::no, Transpose::yes, T(1), scaled.view(), result.v.view().columns(0, rank),
              T(0), sum.view());
    return sum;
}

template <class T>
NearestOfRank<T> best_of_rank(Stream& stream, MatrixView<const T> a, int rank, SolverRun& run) {
    NearestOfRank<T> nearest;
    if (a.empty()) {
        nearest.matrix = Matrix<T>(stream, a.rows, a.cols);
        return nearest;
    }
    auto svd = make_svd_solver("auto", stream.device())->solve(stream, a, {}, run);
    nearest.matrix = low_rank(*make_blas(stream), svd, rank);
    nearest.error = error_of_rank(svd.values, rank);
    return nearest;
}

template NearestOfRank<float> best_of_rank(Stream&, MatrixView<const float>, int, SolverRun&);
template NearestOfRank<double> best_of_rank(Stream&, MatrixView<const double>, int, SolverRun&);
template Matrix<float> low_rank(Blas&, const SvdResult<float>&, int);
template Matrix<double> low_rank(Blas&, const SvdResult<double>&, int);

}  // namespace tl
