#include "solvers/svd/svd_dense.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/dense/block_reflector.h"
#include "solvers/dense/matrix_kernels.h"
#include "solvers/svd/bidiagonal_phases.h"
#include "solvers/svd/bidiagonal_qr.h"
#include "solvers/svd/svd_checks.h"

namespace tl {
namespace {

/// Number of reflectors per block: large enough for an efficient gemm.
int reflector_block(const Device& device) {
    return device.kind() == DeviceKind::cuda ? 128 : 64;
}

/// A real bidiagonal matrix.
struct RealBidiagonal {
    std::vector<double> d, e;
};

/// One decomposition of a matrix with rows >= cols.
template <class T>
class DenseSvd {
    using Real = RealOf<T>;
    using Bidiagonal = std::conditional_t<kIsComplex<T>, BidiagonalPhases, RealBidiagonal>;

  public:
    DenseSvd(Blas& blas, StageTimer& timer, const SvdRequest& request, const SvdDenseConfig& config,
             SolverRun& run)
        : blas_(blas),
          stream_(blas.stream()),
          device_(stream_.device()),
          timer_(timer),
          request_(request),
          config_(config),
          run_(run) {}

    /// Overwrites `a`. Stores values, and vectors if requested, in the result.
    void solve(Matrix<T> a, const BidiagonalSvd<Real>& diagonalise, SvdResult<T>& result) {
        int m = a.rows(), n = a.cols();
        bool tall = m > n && static_cast<float>(m) >= config_.qr_ratio * static_cast<float>(n);
        Matrix<T> reduced;
        if (tall) {
            StageTimer::Scope stage(timer_, "QR");
            reduced = Matrix<T>(stream_, n, n);
            TL_DISPATCH(device_, qr_factorise<T>(blas_, a.view(), reduced.view()));
        }
        run_.report(0.05);
        Matrix<T>& square = tall ? reduced : a;
        Matrix<T> p(stream_, n, n);
        auto bidiagonal = bidiagonalise_to_host(square.view(), p.view());
        run_.report(0.5);
        auto progress = [this](int done, int total) {
            run_.report(0.5 + 0.4 * done / total);
            return true;
        };
        if (request_.vectors == SvdVectors::none) {
            result.values =
                values_of(std::move(bidiagonal.d), std::move(bidiagonal.e), diagonalise, progress);
            return;
        }
        diagonalise_with_vectors(std::move(bidiagonal), m, diagonalise, progress, result);
        run_.report(0.9);
        StageTimer::Scope stage(timer_, "back-transformation");
        auto u = result.u.view();
        int block = reflector_block(device_);
        auto of_square = u.block(0, 0, square.rows(), tall ? n : u.cols);
        TL_DISPATCH(device_,
                    apply_reflectors<T>(blas_, Transpose::no, square.view(), of_square, block));
        if (tall)
            TL_DISPATCH(device_, apply_reflectors<T>(blas_, Transpose::no, a.view(), u, block));
        // P's reflectors do not act on the first row.
        if (n > 1)
            TL_DISPATCH(device_, apply_reflectors<T>(blas_, Transpose::no,
                                                     p.view().block(1, 0, n - 1, n - 1),
                                                     result.v.view().block(1, 0, n - 1, n), block));
    }

  private:
    std::vector<double> values_of(std::vector<double> d, std::vector<double> e,
                                  const BidiagonalSvd<Real>& diagonalise,
                                  const Progress& progress) {
        StageTimer::Scope stage(timer_, "bidiagonal values");
        auto n = static_cast<int>(d.size());
        if (n <= config_.most_values_by_qr)
            return bidiagonal_values(std::move(d), std::move(e),
                                     std::numeric_limits<Real>::epsilon() / 2, progress);
        Matrix<Real> u(stream_, n, n), v(stream_, n, n);
        return diagonalise(blas_, std::move(d), std::move(e), u.view(), v.view(), progress);
    }

    /// Values, and vectors of the bidiagonal matrix, in U and V of a matrix with m rows.
    void diagonalise_with_vectors(Bidiagonal b, int m, const BidiagonalSvd<Real>& diagonalise,
                                  const Progress& progress, SvdResult<T>& result) {
        StageTimer::Scope stage(timer_, "bidiagonal SVD");
        auto n = static_cast<int>(b.d.size());
        int u_cols = request_.vectors == SvdVectors::full ? m : n;
        auto make_vectors = [&] {
            result.u = Matrix<T>(stream_, m, u_cols);
            result.v = Matrix<T>(stream_, n, n);
            if (m > n) TL_DISPATCH(device_, set_identity<T>(stream_, result.u.view()));
        };
        if constexpr (kIsComplex<T>) {
            Matrix<Real> u(stream_, n, n), v(stream_, n, n);
            result.values =
                diagonalise(blas_, std::move(b.d), std::move(b.e), u.view(), v.view(), progress);
            make_vectors();
            scale_rows_to(b.left, u.view(), result.u.view().block(0, 0, n, n));
            scale_rows_to(b.right, v.view(), result.v.view());
        } else {
            make_vectors();
            result.values =
                diagonalise(blas_, std::move(b.d), std::move(b.e),
                            result.u.view().block(0, 0, n, n), result.v.view(), progress);
        }
    }

    void scale_rows_to(const std::vector<std::complex<double>>& factors,
                       MatrixView<const Real> from, MatrixView<T> to) {
        std::vector<T> rounded;
        rounded.reserve(factors.size());
        for (auto x : factors)
            rounded.emplace_back(static_cast<Real>(x.real()), static_cast<Real>(x.imag()));
        DeviceArray<T> on_device(stream_, rounded);
        TL_DISPATCH(device_, scale_rows<Real>(stream_, from, on_device.view(), to));
    }

    Bidiagonal bidiagonalise_to_host(MatrixView<T> a, MatrixView<T> p) {
        StageTimer::Scope stage(timer_, "bidiagonalise");
        auto n = static_cast<std::size_t>(a.cols);
        DeviceArray<T> diagonals(stream_, 2 * n);
        View<T> d(diagonals.data(), n), e(diagonals.data() + n, n);
        auto progress = [this](int done, int total) {
            run_.report(0.05 + 0.45 * done / total);
            return true;
        };
        TL_DISPATCH(device_, bidiagonalise<T>(blas_, a, p, d, e, config_.block, progress));
        auto host = diagonals.download(stream_);
        auto middle = host.begin() + static_cast<std::ptrdiff_t>(n);
        if constexpr (kIsComplex<T>)
            return phases_of<Real>({host.begin(), middle}, {middle, host.end()});
        else
            return {{host.begin(), middle}, {middle, host.end()}};
    }

    Blas& blas_;
    Stream& stream_;
    Device& device_;
    StageTimer& timer_;
    const SvdRequest& request_;
    const SvdDenseConfig& config_;
    SolverRun& run_;
};

/// The SVD of a matrix of zeros.
template <class T>
void solve_zeros(Stream& stream, int m, int n, const SvdRequest& request, SvdResult<T>& result) {
    int k = std::min(m, n);
    result.values.assign(k, 0);
    if (request.vectors == SvdVectors::none) return;
    bool full = request.vectors == SvdVectors::full;
    result.u = Matrix<T>(stream, m, full ? m : k);
    result.v = Matrix<T>(stream, n, full ? n : k);
    for (auto matrix : {result.u.view(), result.v.view()})
        TL_DISPATCH(stream.device(), set_identity<T>(stream, matrix));
}

/// A copy scaled to about 1, transposed (or conjugate transposed) if wide.
template <class T>
Matrix<T> prepared(Stream& stream, MatrixView<const T> a, int exponent, bool wide) {
    Matrix<T> work(stream, a.rows, a.cols);
    TL_DISPATCH(stream.device(),
                scale_by_power<RealOf<T>>(stream, parts_of(a), -exponent, parts_of(work.view())));
    if (!wide) return work;
    Matrix<T> standing(stream, a.cols, a.rows);
    TL_DISPATCH(stream.device(), transpose_matrix<T>(stream, work.view(), standing.view()));
    return standing;
}

}  // namespace

template <class T>
SvdResult<T> svd_dense(Stream& stream, MatrixView<const T> a, const SvdRequest& request,
                       const SvdDenseConfig& config, const BidiagonalSvd<RealOf<T>>& diagonalise,
                       SolverRun& run) {
    SvdResult<T> result;
    auto blas = make_blas(stream);
    StageTimer timer(stream);
    timer.begin_frame();
    bool all_zero = false, wide = a.cols > a.rows;
    int exponent = 0;
    Matrix<T> work;
    {
        StageTimer::Scope stage(timer, "scale");
        exponent = scale_exponent(stream, a, all_zero);
        if (!all_zero) work = prepared(stream, a, exponent, wide);
    }
    if (all_zero)
        solve_zeros(stream, a.rows, a.cols, request, result);
    else
        DenseSvd<T>(*blas, timer, request, config, run).solve(std::move(work), diagonalise, result);
    if (wide && !all_zero) std::swap(result.u, result.v);
    for (double& value : result.values) value = std::ldexp(value, exponent);
    if (request.rank > 0) {
        result.values.resize(request.rank);
        if (request.vectors != SvdVectors::none) {
            result.u = first_columns(stream, result.u, request.rank);
            result.v = first_columns(stream, result.v, request.rank);
        }
    }
    timer.end_frame();
    timer.flush();
    result.stages = timer.latest();
    return result;
}

std::uint64_t svd_dense_bytes(int rows, int cols, const SvdRequest& request,
                              const SvdDenseConfig& config, int extra_squares,
                              std::size_t element_size) {
    auto m = static_cast<std::uint64_t>(std::max(rows, cols));
    auto n = static_cast<std::uint64_t>(std::min(rows, cols));
    std::uint64_t elements = m * n + n * n;  // the working copy and P's reflectors
    elements += (m + n) * static_cast<std::uint64_t>(3 * config.block);
    elements += m * (32 + n / 1024);  // parts of products
    if (static_cast<float>(m) >= config.qr_ratio * static_cast<float>(n)) elements += n * n;
    if (cols > rows) elements += m * n;
    bool values_by_method =
        request.vectors == SvdVectors::none && std::min(rows, cols) > config.most_values_by_qr;
    if (values_by_method) elements += n * n * static_cast<std::uint64_t>(2 + extra_squares);
    if (request.vectors != SvdVectors::none) {
        elements += m * (request.vectors == SvdVectors::full ? m : n) + n * n;
        elements += n * n * static_cast<std::uint64_t>(extra_squares) + 2 * 128 * (m + 128);
    }
    return elements * element_size;
}

std::vector<double> bidiagonal_values(std::vector<double> d, std::vector<double> e, double epsilon,
                                      const Progress& progress) {
    if (!bidiagonal_qr(d, e, epsilon, {}, progress)) return {};
    for (double& value : d) value = std::abs(value);
    std::sort(d.begin(), d.end(), std::greater<>());
    return d;
}

#define TL_INSTANTIATE(T)                                                                   \
    template SvdResult<T> svd_dense(Stream&, MatrixView<const T>, const SvdRequest&,        \
                                    const SvdDenseConfig&, const BidiagonalSvd<RealOf<T>>&, \
                                    SolverRun&);
TL_INSTANTIATE(float)
TL_INSTANTIATE(double)
TL_INSTANTIATE(Complex<float>)
TL_INSTANTIATE(Complex<double>)
#undef TL_INSTANTIATE

}  // namespace tl
