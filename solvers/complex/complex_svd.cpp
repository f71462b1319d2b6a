#include "solvers/complex/complex_svd.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/base/host_memory.h"
#include "solvers/complex/complex_lapack.h"
#include "solvers/complex/complex_matrix.h"
#include "solvers/complex/vector_pairs.h"
#include "solvers/dense/matrix_kernels.h"
#include "solvers/dense/matrix_norms.h"
#include "solvers/svd/svd_checks.h"

namespace tl {
namespace {

/// Real vectors [Re x; Im x] as complex ones.
template <class T>
HostMatrix<Complex<double>> complex_columns(Stream& stream, const Matrix<T>& real) {
    auto elements = real.download(stream);
    HostMatrix<Complex<double>> vectors(real.rows() / 2, real.cols());
    for (int j = 0; j < vectors.cols; ++j) {
        const T* column = elements.data() + static_cast<std::size_t>(j) * real.rows();
        for (int i = 0; i < vectors.rows; ++i)
            vectors(i, j) = {static_cast<double>(column[i]),
                             static_cast<double>(column[i + vectors.rows])};
    }
    return vectors;
}

template <class T>
Matrix<Complex<T>> uploaded(Stream& stream, const HostMatrix<Complex<double>>& host) {
    std::vector<Complex<T>> elements;
    elements.reserve(host.data.size());
    for (auto x : host.data) elements.emplace_back(static_cast<T>(x.re), static_cast<T>(x.im));
    Matrix<Complex<T>> matrix(stream, host.rows, host.cols);
    matrix.upload(stream, elements);
    return matrix;
}

/// The largest part of an element of X^H X - I, which is left in `product`.
template <class T>
double deviation(Blas& blas, MatrixView<const Complex<T>> x, Matrix<Complex<T>>& product) {
    using Number = Complex<T>;
    blas.gemm(Transpose::yes, Transpose::no, Number(1), x, x, Number(0), product.view());
    auto elements = product.download(blas.stream());
    double largest = 0;
    auto n = static_cast<std::size_t>(product.rows());
    for (std::size_t e = 0; e < elements.size(); ++e) {
        double re = static_cast<double>(elements[e].re) - (e % n == e / n ? 1 : 0);
        double size = std::max(std::abs(re), std::abs(static_cast<double>(elements[e].im)));
        if (!(size <= largest)) largest = size;
    }
    return largest;
}

/// Makes columns that are nearly orthonormal so: X (3 I - X^H X) / 2, which squares the deviation.
/// Returns false where that is too large.
template <class T>
bool make_unitary(Blas& blas, Matrix<Complex<T>>& x) {
    using Number = Complex<T>;
    constexpr int kMostSteps = 8;
    constexpr double kNear = 0.5;
    Stream& stream = blas.stream();
    if (x.view().empty()) return true;
    const double eps = static_cast<double>(std::numeric_limits<T>::epsilon());
    Matrix<Number> product(stream, x.cols(), x.cols()), next(stream, x.rows(), x.cols());
    for (int step = 0; step < kMostSteps; ++step) {
        MatrixView<const Number> old = x.view();
        double error = deviation<T>(blas, old, product);
        if (!(error <= kNear)) return false;
        TL_DISPATCH(stream.device(), copy_matrix<Number>(stream, old, next.view()));
        blas.gemm(Transpose::no, Transpose::no, Number(T(-0.5)), old, product.view(),
                  Number(T(1.5)), next.view());
        std::swap(x, next);
        if (error <= std::sqrt(eps)) return true;
    }
    return false;
}

/// U and V from real vectors of the double values. Groups of values become wider until the chosen
/// vectors are nearly orthonormal.
template <class T>
void choose_unitary(Blas& blas, const VectorPairs& pairs, ComplexSvd<T>& result) {
    constexpr double kFirst = 16, kWider = 16;
    double largest = pairs.values.empty() ? 0 : pairs.values[0];
    double tolerance = kFirst * static_cast<double>(std::numeric_limits<T>::epsilon()) * largest;
    for (;; tolerance *= kWider) {
        auto chosen = choose_vectors(pairs, tolerance);
        result.u = uploaded<T>(blas.stream(), chosen.u);
        result.v = uploaded<T>(blas.stream(), chosen.v);
        if (make_unitary(blas, result.u) && make_unitary(blas, result.v)) return;
        // All values in one group: Gram-Schmidt has made the vectors orthonormal.
        if (tolerance >= largest) return;
    }
}

/// Vectors are chosen in host memory: those of the real matrix, a copy of them, and the chosen
/// ones.
void require_room_for_vectors(int rows, int cols, const SvdRequest& request) {
    if (request.vectors == SvdVectors::none) return;
    auto m = static_cast<std::uint64_t>(rows), n = static_cast<std::uint64_t>(cols);
    std::uint64_t of_u = std::min(m, n), of_v = of_u;
    if (request.rank > 0) of_u = of_v = static_cast<std::uint64_t>(request.rank);
    if (request.vectors == SvdVectors::full) {
        of_u = m;
        of_v = n;
    }
    constexpr std::uint64_t kCopies = 5;
    require_host_memory(kCopies * (m * of_u + n * of_v) * sizeof(Complex<double>),
                        "the vectors of a complex matrix", kSvdMemoryAdvice);
}

/// Adds what the real decomposition, whose last stage is its total, has not taken of `whole`.
void add_own_stage(std::vector<StageTime>& stages, std::chrono::steady_clock::duration whole) {
    double milliseconds = std::chrono::duration<double, std::milli>(whole).count();
    if (stages.empty()) return;
    double own = milliseconds - stages.back().milliseconds;
    stages.back().milliseconds = static_cast<float>(milliseconds);
    stages.insert(stages.end() - 1, {"complex vectors", static_cast<float>(own)});
}

}  // namespace

template <class T>
ComplexSvd<T> decompose_complex(Stream& stream, MatrixView<const Complex<T>> a, SvdSolver& solver,
                                const SvdRequest& request, SolverRun& run) {
    check_request(a.rows, a.cols, request);
    require_finite(stream, a, "svd", "the matrix has no singular values");
    auto of_real = request;
    of_real.rank = 2 * request.rank;
    require_memory(
        stream.device(),
        4 * static_cast<std::uint64_t>(a.rows) * static_cast<std::uint64_t>(a.cols) * sizeof(T) +
            solver.memory_bytes(2 * a.rows, 2 * a.cols, of_real, sizeof(T)),
        "svd of a complex matrix", kSvdMemoryAdvice);
    require_room_for_vectors(a.rows, a.cols, request);
    auto start = std::chrono::steady_clock::now();
    ComplexSvd<T> result;
    VectorPairs pairs;
    {
        auto real = real_form_of<T>(stream, a);
        SolverRun part(run, 0, 0.9);
        auto solved = solver.solve(stream, MatrixView<const T>(real.view()), of_real, part);
        pairs.values = std::move(solved.values);
        result.stages = std::move(solved.stages);
        result.mode = solved.mode;
        if (request.vectors != SvdVectors::none) {
            pairs.u = complex_columns<T>(stream, solved.u);
            pairs.v = complex_columns<T>(stream, solved.v);
        }
    }
    for (std::size_t i = 0; i + 1 < pairs.values.size(); i += 2)
        result.values.push_back((pairs.values[i] + pairs.values[i + 1]) / 2);
    if (request.vectors != SvdVectors::none) {
        auto blas = make_blas(stream);
        choose_unitary(*blas, pairs, result);
    }
    stream.synchronize();
    add_own_stage(result.stages, std::chrono::steady_clock::now() - start);
    run.report(1);
    return result;
}

template <class T>
ComplexSvd<T> decompose_complex_by_lapack(Stream& stream, MatrixView<const Complex<T>> a,
                                          const SvdRequest& request, SolverRun& run) {
    check_request(a.rows, a.cols, request);
    require_finite(stream, a, "svd", "the matrix has no singular values");
    auto m = static_cast<std::uint64_t>(std::max(a.rows, a.cols));
    auto n = static_cast<std::uint64_t>(std::min(a.rows, a.cols));
    std::uint64_t vectors = request.vectors == SvdVectors::full ? m * m + n * n : m * n + n * n;
    require_memory(stream.device(), (m * n + 2 * vectors + 7 * n * n) * sizeof(Complex<T>),
                   "svd of a complex matrix", kSvdMemoryAdvice);
    Matrix<Complex<T>> copy(stream, a.rows, a.cols);
    cpu::copy_matrix<Complex<T>>(stream, a, copy.view());
    StageTimer timer(stream);
    timer.begin_frame();
    auto result = lapack_gesdd<T>(stream, copy.view(), request);
    timer.end_frame();
    timer.flush();
    result.stages = timer.latest();
    result.mode = kComplexGesdd;
    run.report(1);
    return result;
}

template <class T>
SvdAccuracy measure_svd(Blas& blas, MatrixView<const Complex<T>> a, const ComplexSvd<T>& result) {
    using Number = Complex<T>;
    Stream& stream = blas.stream();
    SvdAccuracy accuracy;
    auto orthogonality = [&](const Matrix<Number>& x) {
        if (x.view().empty()) return 0.0;
        Matrix<Number> product(stream, x.cols(), x.cols()), identity(stream, x.cols(), x.cols());
        TL_DISPATCH(stream.device(), set_identity<Number>(stream, identity.view()));
        blas.gemm(Transpose::yes, Transpose::no, Number(1), x.view(), x.view(), Number(-1),
                  identity.view());
        MatrixView<const Number> difference = identity.view();
        return frobenius_norm<T>(stream, parts_of(difference)) / std::sqrt(x.cols());
    };
    accuracy.orthogonality_u = orthogonality(result.u);
    accuracy.orthogonality_v = orthogonality(result.v);
    double norm = frobenius_norm<T>(stream, parts_of(a));
    if (a.empty() || norm == 0) return accuracy;
    int k = static_cast<int>(result.values.size());
    Matrix<Number> scaled(stream, a.rows, k), rest(stream, a.rows, a.cols);
    std::vector<Number> factors;
    for (double value : result.values) factors.emplace_back(static_cast<T>(value));
    DeviceArray<Number> on_device(stream, factors);
    TL_DISPATCH(stream.device(),
                copy_matrix<Number>(stream, result.u.view().columns(0, k), scaled.view()));
    TL_DISPATCH(stream.device(), scale_columns<Number>(stream, scaled.view(), on_device.view()));
    TL_DISPATCH(stream.device(), copy_matrix<Number>(stream, a, rest.view()));
    blas.gemm(Transpose::no, Transpose::yes, Number(-1), scaled.view(),
              result.v.view().columns(0, k), Number(1), rest.view());
    MatrixView<const Number> difference = rest.view();
    accuracy.residual = frobenius_norm<T>(stream, parts_of(difference)) / norm;
    return accuracy;
}

#define TL_INSTANTIATE(T)                                                                       \
    template ComplexSvd<T> decompose_complex(Stream&, MatrixView<const Complex<T>>, SvdSolver&, \
                                             const SvdRequest&, SolverRun&);                    \
    template ComplexSvd<T> decompose_complex_by_lapack(Stream&, MatrixView<const Complex<T>>,   \
                                                       const SvdRequest&, SolverRun&);          \
    template SvdAccuracy measure_svd(Blas&, MatrixView<const Complex<T>>, const ComplexSvd<T>&);
TL_INSTANTIATE(float)
TL_INSTANTIATE(double)
#undef TL_INSTANTIATE

}  // namespace tl
