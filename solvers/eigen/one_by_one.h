// Common code of libraries that solve one matrix at a time and return eigenpairs as LAPACK does.
#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <vector>

#include "solvers/eigen/eigen_modes.h"

namespace tl {

/// Eigenpairs of an n x n matrix in the layout of LAPACK's geev. Of a complex pair the eigenvalue
/// with positive imaginary part comes first, and the real and the imaginary part of its vector are
/// two columns. No routine computes real vectors alone: all are computed, and only those kept.
template <class T>
class PackedPairs {
  public:
    PackedPairs(int n, EigenPairs pairs)
        : n_(n),
          pairs_(pairs),
          size_(static_cast<std::size_t>(n) * n),
          re(static_cast<std::size_t>(n)),
          im(static_cast<std::size_t>(n)),
          vectors(size_) {}

    /// Writes them in the layout of EigenResult; NaN if they are not `solved`.
    void write(bool solved, T* values_to, T* vectors_to) const {
        constexpr T kNan = std::numeric_limits<T>::quiet_NaN();
        for (int i = 0; i < n_; ++i) {
            values_to[2 * i] = solved ? re[i] : kNan;
            values_to[2 * i + 1] = solved ? im[i] : kNan;
        }
        if (pairs_ == EigenPairs::values) return;
        std::fill_n(vectors_to, pairs_ == EigenPairs::all ? 2 * size_ : size_, kNan);
        if (solved) write_vectors(vectors_to);
    }

  private:
    void write_vectors(T* vectors_to) const {
        int column = 0;
        for (int k = 0; k < n_; ++k) {
            const T* v = &vectors[static_cast<std::size_t>(k) * n_];
            if (pairs_ == EigenPairs::real) {
                if (im[k] != 0) continue;
                for (int i = 0; i < n_; ++i) vectors_to[i * n_ + column] = v[i];
                ++column;
                continue;
            }
            bool pair = im[k] > 0;
            for (int i = 0; i < n_; ++i) {
                T* to = vectors_to + 2 * (i * n_ + k);
                to[0] = v[i];
                to[1] = pair ? v[i + n_] : 0;
                if (!pair) continue;
                to[2] = v[i];
                to[3] = -v[i + n_];
            }
            if (pair) ++k;
        }
    }

    int n_;
    EigenPairs pairs_;
    std::size_t size_;

  public:
    std::vector<T> re, im;   ///< parts of each eigenvalue
    std::vector<T> vectors;  ///< n x n, column-major
};

/// Whether all elements are finite, which the libraries do not check.
template <class T>
[[nodiscard]] bool all_finite(const T* a, std::size_t size) {
    return std::all_of(a, a + size, [](T x) { return std::isfinite(x); });
}
[[nodiscard]] inline EigenStatus status_of(bool solved, bool finite) {
    return solved   ? EigenStatus::solved
           : finite ? EigenStatus::not_converged
                    : EigenStatus::not_finite;
}

/// Solves matrix after matrix by Method<T>(stream, n, pairs).solve(a, values, vectors), in host
/// memory, which returns an EigenStatus.
template <template <class> class Method>
class OneByOne final : public EigenSolverOf<OneByOne<Method>> {
  public:
    explicit OneByOne(const char* id) : id_(id) {}

    template <class T>
    EigenResult<T> solve_as(Stream& stream, const EigenBatch<T>& batch, const EigenRequest& request,
                            SolverRun& run) {
        auto result = make_eigen_result(stream, batch, request, id_, EigenSolver::kMostRows);
        const auto n = static_cast<std::size_t>(batch.n);
        const std::size_t per_matrix =
            result.vectors.size() / std::max<std::size_t>(batch.count, 1);
        std::vector<T> a(batch.count * n * n), values(result.values.size()),
            vectors(result.vectors.size());
        // libraries do not return sweeps
        std::vector<int> status(batch.count), sweeps(batch.count);
        stream.device().download(stream, a.data(), batch.a.data, a.size() * sizeof(T));
        Method<T> method(stream, batch.n, request.pairs);
        auto start = std::chrono::steady_clock::now();
        for (std::size_t m = 0; m < batch.count; ++m) {
            if (m % 16 == 0) run.report(static_cast<double>(m) / static_cast<double>(batch.count));
            status[m] = static_cast<int>(
                method.solve(&a[m * n * n], &values[m * 2 * n], vectors.data() + m * per_matrix));
        }
        result.seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        result.values.assign(stream, values);
        result.vectors.assign(stream, vectors);
        result.status.assign(stream, status);
        result.sweeps.assign(stream, sweeps);
        stream.synchronize();
        run.report(1);
        return result;
    }

  private:
    const char* id_;
};

}  // namespace tl
