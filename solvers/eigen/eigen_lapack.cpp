// LAPACK's geev behind the EigenSolver interface.
#include "solvers/dense/blas_of.h"
#include "solvers/dense/openblas.h"
#include "solvers/eigen/eigen_peers.h"
#include "solvers/eigen/one_by_one.h"

namespace tl {
namespace {

template <class T>
class Geev {
  public:
    Geev(Stream& /*stream*/, int n, EigenPairs pairs)
        : n_(n), pairs_(pairs), a_(static_cast<std::size_t>(n) * n), packed_(n, pairs) {
        T wanted = 0;
        (void)call(&wanted, -1);
        work_.resize(static_cast<std::size_t>(static_cast<double>(wanted) * 1.001) + 64);
    }

    EigenStatus solve(const T* a, T* values, T* vectors) {
        for (int i = 0; i < n_; ++i)
            for (int j = 0; j < n_; ++j)
                a_[static_cast<std::size_t>(i) + static_cast<std::size_t>(j) * n_] = a[i * n_ + j];
        bool finite = all_finite(a, a_.size());
        bool solved = finite && call(work_.data(), static_cast<int>(work_.size())) == 0;
        packed_.write(solved, values, vectors);
        return status_of(solved, finite);
    }

  private:
    int call(T* work, int lwork) {
        int info = 0;
        const char* job = pairs_ == EigenPairs::values ? "N" : "V";
        routine_of<T>(late::sgeev_, late::dgeev_)(
            "N", job, &n_, a_.data(), &n_, packed_.re.data(), packed_.im.data(), nullptr, &n_,
            packed_.vectors.data(), &n_, work, &lwork, &info, 1, 1);
        return info;
    }

    int n_;
    EigenPairs pairs_;
    std::vector<T> a_, work_;
    PackedPairs<T> packed_;
};

}  // namespace

std::unique_ptr<EigenSolver> make_lapack_geev() {
    return std::make_unique<OneByOne<Geev>>("lapack");
}

}  // namespace tl
