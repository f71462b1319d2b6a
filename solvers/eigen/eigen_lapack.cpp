// LAPACK's geev behind the EigenSolver interface.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

#include "solvers/dense/blas_of.h"
#include "solvers/eigen/eigen_modes.h"
#include "solvers/eigen/eigen_peers.h"

// NOLINTBEGIN(readability-identifier-naming): LAPACK's names
extern "C" {
void sgeev_(const char* jobvl, const char* jobvr, const int* n, float* a, const int* lda, float* wr,
            float* wi, float* vl, const int* ldvl, float* vr, const int* ldvr, float* work,
            const int* lwork, int* info, std::size_t, std::size_t);
void dgeev_(const char* jobvl, const char* jobvr, const int* n, double* a, const int* lda,
            double* wr, double* wi, double* vl, const int* ldvl, double* vr, const int* ldvr,
            double* work, const int* lwork, int* info, std::size_t, std::size_t);
}
// NOLINTEND(readability-identifier-naming)

namespace tl {
namespace {

/// Solves matrix after matrix in host memory.
template <class T>
class Geev {
  public:
    Geev(int n, EigenPairs pairs)
        : n_(n),
          pairs_(pairs),
          size_(static_cast<std::size_t>(n) * n),
          a_(size_),
          vr_(size_),
          wr_(static_cast<std::size_t>(n)),
          wi_(static_cast<std::size_t>(n)) {
        T wanted = 0;
        (void)call(&wanted, -1);
        work_.resize(static_cast<std::size_t>(static_cast<double>(wanted) * 1.001) + 64);
    }

    EigenStatus solve(const T* a, T* values, T* vectors) {
        bool finite = true;
        for (int i = 0; i < n_; ++i)
            for (int j = 0; j < n_; ++j) {
                T x = a[i * n_ + j];
                finite = finite && std::isfinite(x);
                a_[static_cast<std::size_t>(i) + static_cast<std::size_t>(j) * n_] = x;
            }
        bool solved = finite && call(work_.data(), static_cast<int>(work_.size())) == 0;
        constexpr T kNan = std::numeric_limits<T>::quiet_NaN();
        for (int i = 0; i < n_; ++i) {
            values[2 * i] = solved ? wr_[i] : kNan;
            values[2 * i + 1] = solved ? wi_[i] : kNan;
        }
        if (pairs_ != EigenPairs::values) {
            std::fill_n(vectors, pairs_ == EigenPairs::all ? 2 * size_ : size_, kNan);
            if (solved) copy_vectors(vectors);
        }
        return solved   ? EigenStatus::solved
               : finite ? EigenStatus::not_converged
                        : EigenStatus::not_finite;
    }

  private:
    int call(T* work, int lwork) {
        int info = 0;
        const char* job = pairs_ == EigenPairs::values ? "N" : "V";
        routine_of<T>(sgeev_, dgeev_)("N", job, &n_, a_.data(), &n_, wr_.data(), wi_.data(),
                                      nullptr, &n_, vr_.data(), &n_, work, &lwork, &info, 1, 1);
        return info;
    }

    void copy_vectors(T* vectors) const {
        int column = 0;
        for (int k = 0; k < n_; ++k) {
            const T* re = &vr_[static_cast<std::size_t>(k) * n_];
            if (pairs_ == EigenPairs::real) {
                if (wi_[k] != 0) continue;
                for (int i = 0; i < n_; ++i) vectors[i * n_ + column] = re[i];
                ++column;
                continue;
            }
            bool pair = wi_[k] > 0;
            for (int i = 0; i < n_; ++i) {
                T* to = vectors + 2 * (i * n_ + k);
                to[0] = re[i];
                to[1] = pair ? re[i + n_] : 0;
                if (!pair) continue;
                to[2] = re[i];
                to[3] = -re[i + n_];
            }
            if (pair) ++k;
        }
    }

    int n_;
    EigenPairs pairs_;
    std::size_t size_;
    std::vector<T> a_, vr_, wr_, wi_, work_;
};

class LapackGeev final : public EigenSolver {
  public:
    EigenResult<float> solve(Stream& stream, EigenBatch<float> batch, const EigenRequest& request,
                             SolverRun& run) override {
        return solve_as(stream, batch, request, run);
    }
    EigenResult<double> solve(Stream& stream, EigenBatch<double> batch, const EigenRequest& request,
                              SolverRun& run) override {
        return solve_as(stream, batch, request, run);
    }

  private:
    template <class T>
    EigenResult<T> solve_as(Stream& stream, const EigenBatch<T>& batch, const EigenRequest& request,
                            SolverRun& run) {
        auto result = make_eigen_result(stream, batch, request, "lapack", kMostRows);
        auto start = std::chrono::steady_clock::now();
        Geev<T> geev(batch.n, request.pairs);
        auto n = static_cast<std::size_t>(batch.n);
        std::size_t per_matrix = request.pairs == EigenPairs::all ? 2 * n * n : n * n;
        for (std::size_t m = 0; m < batch.count; ++m) {
            if (m % 64 == 0) run.report(static_cast<double>(m) / static_cast<double>(batch.count));
            T* vectors = request.pairs == EigenPairs::values
                             ? nullptr
                             : result.vectors.data() + m * per_matrix;
            auto status =
                geev.solve(batch.a.data + m * n * n, result.values.data() + m * 2 * n, vectors);
            result.status.data()[m] = static_cast<int>(status);
            result.sweeps.data()[m] = 0;  // geev does not tell
        }
        result.seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        run.report(1);
        return result;
    }
};

}  // namespace

std::unique_ptr<EigenSolver> make_lapack_geev() {
    return std::make_unique<LapackGeev>();
}

}  // namespace tl
