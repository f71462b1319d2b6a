// Eigen's EigenSolver (the library of that name) behind the interface of this one.
#include "solvers/eigen/eigen_peers.h"

#if defined(TL_HAS_EIGEN)
#include <Eigen/Eigenvalues>

#include "solvers/eigen/one_by_one.h"
#endif

namespace tl {

#if defined(TL_HAS_EIGEN)

namespace {

template <class T>
class EigenLibrary {
  public:
    EigenLibrary(Stream& /*stream*/, int n, EigenPairs pairs)
        : n_(n), pairs_(pairs), solver_(n), packed_(n, pairs) {}

    EigenStatus solve(const T* a, T* values, T* vectors) {
        using Rows = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
        bool finite = all_finite(a, packed_.vectors.size());
        if (finite)
            solver_.compute(Eigen::Map<const Rows>(a, n_, n_), pairs_ != EigenPairs::values);
        bool solved = finite && solver_.info() == Eigen::Success;
        for (int k = 0; solved && k < n_; ++k) {
            packed_.re[k] = solver_.eigenvalues()[k].real();
            packed_.im[k] = solver_.eigenvalues()[k].imag();
        }
        if (solved && pairs_ != EigenPairs::values) {
            auto complex = solver_.eigenvectors();
            for (int k = 0; k < n_; ++k) {
                T* to = packed_.vectors.data() + static_cast<std::size_t>(k) * n_;
                for (int i = 0; i < n_; ++i) {
                    to[i] = complex(i, k).real();
                    if (packed_.im[k] > 0) to[i + n_] = complex(i, k).imag();
                }
                if (packed_.im[k] > 0) ++k;
            }
        }
        packed_.write(solved, values, vectors);
        return status_of(solved, finite);
    }

  private:
    int n_;
    EigenPairs pairs_;
    Eigen::EigenSolver<Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>> solver_;
    PackedPairs<T> packed_;
};

std::unique_ptr<EigenSolver> make() {
    return std::make_unique<OneByOne<EigenLibrary>>("eigen");
}

}  // namespace

std::unique_ptr<EigenSolver> (*const make_eigen_library)() = &make;

#else

std::unique_ptr<EigenSolver> (*const make_eigen_library)() = nullptr;

#endif

}  // namespace tl
