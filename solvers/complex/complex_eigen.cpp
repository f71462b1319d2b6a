#include "solvers/complex/complex_eigen.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "solvers/complex/complex_eigen_kernels.h"
#include "solvers/complex/complex_lapack.h"
#include "solvers/complex/complex_matrix.h"

namespace tl {
namespace {

constexpr const char* kComplexAuto = "auto";
constexpr const char* kComplexQr = "qr";
constexpr const char* kLapackEigen = "lapack";

/// Matrices that are solved between two reports of progress, and that fit with their working
/// memory.
std::size_t slice_of(const Device& device, int n, std::size_t bytes) {
    auto rows = static_cast<std::uint64_t>(n);
    bool is_cuda = device.kind() == DeviceKind::cuda;
    std::uint64_t at_once = std::uint64_t{1} << (is_cuda ? 31 : 25);
    constexpr std::uint64_t kLeast = 8, kMost = 1 << 20;
    std::uint64_t slice = std::clamp(at_once / (rows * rows * (rows + 4)), kLeast, kMost);
    return std::clamp<std::uint64_t>(device.memory_stats().bytes_free / 4 / bytes, 1, slice);
}

template <class T>
Complex<T>* numbers(DeviceArray<T>& array) {
    return reinterpret_cast<Complex<T>*>(array.data());
}

template <class T>
void solve_eigen_on_device(Stream& stream, const ComplexEigenBatch<T>& batch,
                           const EigenLimits& limits, EigenResult<T>& result, SolverRun& run) {
    bool vectors = result.pairs == EigenPairs::all;
    auto rows = static_cast<std::size_t>(batch.n);
    std::size_t each = complex_eigen_memory(batch.n, vectors);
    std::size_t slice =
        std::min(batch.count, slice_of(stream.device(), batch.n, each * sizeof(Complex<T>)));
    DeviceArray<Complex<T>> memory(stream, slice * each);
    for (std::size_t first = 0; first < batch.count; first += slice) {
        std::size_t count = std::min(slice, batch.count - first);
        ComplexEigenTask<T> task{batch.a.data + first * rows * rows,
                                 batch.n,
                                 static_cast<int>(count),
                                 vectors,
                                 limits.balance,
                                 limits.sweeps,
                                 memory.data(),
                                 numbers(result.values) + first * rows,
                                 vectors ? numbers(result.vectors) + first * rows * rows : nullptr,
                                 result.sweeps.data() + first,
                                 result.status.data() + first};
        TL_DISPATCH(stream.device(), solve_complex_blocks<T>(stream, task));
        stream.synchronize();
        run.report(static_cast<double>(first + count) / static_cast<double>(batch.count));
    }
}

template <class T>
void solve_eigen_by_lapack(Stream& stream, const ComplexEigenBatch<T>& batch,
                           EigenResult<T>& result, SolverRun& run) {
    bool with_vectors = result.pairs == EigenPairs::all;
    auto rows = static_cast<std::size_t>(batch.n), size = rows * rows;
    std::vector<Complex<T>> a(size), values(batch.count * rows),
        vectors(with_vectors ? batch.count * size : 0);
    std::vector<int> status(batch.count), sweeps(batch.count);
    constexpr T kNan = std::numeric_limits<T>::quiet_NaN();
    for (std::size_t m = 0; m < batch.count; ++m) {
        run.report(static_cast<double>(m) / static_cast<double>(batch.count));
        stream.device().download(stream, a.data(), batch.a.data + m * size,
                                 size * sizeof(Complex<T>));
        bool finite = std::ranges::all_of(
            a, [](Complex<T> x) { return std::isfinite(x.re) && std::isfinite(x.im); });
        Complex<T>* vectors_to = with_vectors ? &vectors[m * size] : nullptr;
        bool solved = finite && lapack_geev<T>(batch.n, a.data(), &values[m * rows], vectors_to);
        if (!solved) {
            std::fill_n(&values[m * rows], rows, Complex<T>(kNan, kNan));
            if (vectors_to) std::fill_n(vectors_to, size, Complex<T>(kNan, kNan));
        }
        auto outcome = EigenStatus::solved;
        if (!solved) outcome = finite ? EigenStatus::not_converged : EigenStatus::not_finite;
        status[m] = static_cast<int>(outcome);
    }
    auto parts = [](const std::vector<Complex<T>>& of) {
        return std::span(reinterpret_cast<const T*>(of.data()), 2 * of.size());
    };
    result.values.assign(stream, parts(values));
    result.vectors.assign(stream, parts(vectors));
    result.status.assign(stream, status);
    result.sweeps.assign(stream, sweeps);
    stream.synchronize();
}

}  // namespace

std::vector<std::string> complex_eigen_modes(DeviceKind device) {
    if (device == DeviceKind::cpu) return {kComplexAuto, kComplexQr, kLapackEigen};
    return {kComplexAuto, kComplexQr};
}

template <class T>
EigenResult<T> solve_complex_eigen(Stream& stream, const ComplexEigenBatch<T>& batch,
                                   EigenPairs pairs, const std::string& mode,
                                   const EigenLimits& limits, SolverRun& run) {
    require_complex_mode("eig", mode, complex_eigen_modes(stream.device().kind()));
    if (pairs == EigenPairs::real)
        throw UsageError("eig: the vectors of real eigenvalues alone are those of real matrices");
    if (batch.n < 1 || batch.n > EigenSolver::kMostRows)
        throw UserError("eig takes matrices of 1 to " + std::to_string(EigenSolver::kMostRows) +
                        " rows; these have " + std::to_string(batch.n));
    require_memory(stream.device(),
                   batch.count * eigen_result_bytes(batch.n, pairs, sizeof(T)) +
                       complex_eigen_memory(batch.n, pairs == EigenPairs::all) * sizeof(Complex<T>),
                   "eig of complex matrices", kEigenMemoryAdvice);
    auto rows = static_cast<std::size_t>(batch.n);
    EigenResult<T> result;
    result.n = batch.n;
    result.count = batch.count;
    result.pairs = pairs;
    result.mode = mode == kComplexAuto ? kComplexQr : mode;
    result.values = DeviceArray<T>(stream, 2 * batch.count * rows);
    if (pairs == EigenPairs::all)
        result.vectors = DeviceArray<T>(stream, 2 * batch.count * rows * rows);
    result.sweeps = DeviceArray<int>(stream, batch.count);
    result.status = DeviceArray<int>(stream, batch.count);
    run.report(0);
    stream.synchronize();
    auto start = std::chrono::steady_clock::now();
    if (mode == kLapackEigen)
        solve_eigen_by_lapack<T>(stream, batch, result, run);
    else
        solve_eigen_on_device<T>(stream, batch, limits, result, run);
    result.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    run.report(1);
    return result;
}

template <class T>
EigenAccuracy measure_eigen(std::span<const Complex<T>> a, const HostEigen<T>& result) {
    // An eigenvector v of A gives two of the real matrix: [v; -i v] and its conjugate.
    auto n = static_cast<std::size_t>(result.n), twice = 2 * n;
    const T part = std::sqrt(T(0.5));
    HostEigen<T> real{static_cast<int>(twice), result.count, result.pairs, {}, {},
                      result.sweeps,           result.status};
    std::vector<T> matrices(a.size() * 4);
    real.values.resize(2 * result.count * twice);
    if (result.pairs == EigenPairs::all) real.vectors.resize(2 * result.count * twice * twice);
    for (std::size_t m = 0; m < result.count; ++m) {
        T* matrix = &matrices[m * twice * twice];
        T* values = &real.values[2 * m * twice];
        for (std::size_t i = 0; i < n; ++i) {
            const T* value = &result.values[2 * (m * n + i)];
            values[2 * i] = values[2 * (n + i)] = value[0];
            values[2 * i + 1] = value[1];
            values[2 * (n + i) + 1] = -value[1];
            for (std::size_t j = 0; j < n; ++j) {
                Complex<T> x = a[(m * n + i) * n + j];
                matrix[i * twice + j] = matrix[(n + i) * twice + n + j] = x.re;
                matrix[(n + i) * twice + j] = x.im;
                matrix[i * twice + n + j] = -x.im;
                if (result.pairs != EigenPairs::all) continue;
                const T* v = &result.vectors[2 * ((m * n + i) * n + j)];
                T re = v[0] * part, im = v[1] * part;
                auto to = [&](std::size_t row, std::size_t column) {
                    return &real.vectors[2 * ((m * twice + row) * twice + column)];
                };
                auto set = [](T* at, T first, T second) {
                    at[0] = first;
                    at[1] = second;
                };
                set(to(i, j), re, im);
                set(to(n + i, j), im, -re);
                set(to(i, n + j), re, -im);
                set(to(n + i, n + j), im, re);
            }
        }
    }
    auto accuracy = measure_eigen<T>(std::span<const T>(matrices), real);
    accuracy.n_vectors /= 2;
    return accuracy;
}

#define TL_INSTANTIATE(T)                                                                         \
    template EigenResult<T> solve_complex_eigen(Stream&, const ComplexEigenBatch<T>&, EigenPairs, \
                                                const std::string&, const EigenLimits&,           \
                                                SolverRun&);                                      \
    template EigenAccuracy measure_eigen(std::span<const Complex<T>>, const HostEigen<T>&);
TL_INSTANTIATE(float)
TL_INSTANTIATE(double)
#undef TL_INSTANTIATE

}  // namespace tl
