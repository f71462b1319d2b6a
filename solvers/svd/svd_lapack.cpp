// The decompositions of OpenBLAS's LAPACK behind the SvdSolver interface.
#include <algorithm>
#include <string>

#include "solvers/dense/blas_of.h"
#include "solvers/dense/matrix_kernels.h"
#include "solvers/dense/openblas.h"
#include "solvers/svd/svd_mode_base.h"
#include "solvers/svd/svd_modes.h"

namespace tl {
namespace {

class LapackSvd final : public SvdMode<LapackSvd> {
  public:
    explicit LapackSvd(bool divide)
        : SvdMode(divide ? "lapack-gesdd" : "lapack-gesvd"), divide_(divide) {}

    std::uint64_t memory_bytes(int rows, int cols, const SvdRequest& request,
                               std::size_t element_size) const override {
        auto m = static_cast<std::uint64_t>(std::max(rows, cols));
        auto n = static_cast<std::uint64_t>(std::min(rows, cols));
        std::uint64_t vectors = request.vectors == SvdVectors::full   ? m * m + m * n + 2 * n * n
                                : request.vectors == SvdVectors::thin ? 2 * (m * n + n * n)
                                                                      : 0;
        return (m * n + vectors + (divide_ ? 4 * n * n : 0) + 64 * (m + n)) * element_size;
    }

    template <class T>
    SvdResult<T> solve_as(Stream& stream, MatrixView<const T> a, const SvdRequest& request,
                          SolverRun&) {
        return run_library(stream, a, [&] { return call<T>(stream, a, request); });
    }

  private:
    template <class T>
    SvdResult<T> call(Stream& stream, MatrixView<const T> a, const SvdRequest& request) {
        int m = a.rows, n = a.cols, least = std::min(m, n);
        bool full = request.vectors == SvdVectors::full;
        bool none = request.vectors == SvdVectors::none;
        const char* job = full ? "A" : none ? "N" : "S";
        int u_cols = none ? 1 : full ? m : least, vt_rows = none ? 1 : full ? n : least;
        Matrix<T> work_a(stream, m, n), u(stream, none ? 1 : m, u_cols);
        Matrix<T> vt(stream, vt_rows, none ? 1 : n);
        cpu::copy_matrix<T>(stream, a, work_a.view());
        std::vector<RealOf<T>> s(least);
        if (least > 0) run(job, work_a.view(), s, u.view(), vt.view());
        SvdResult<T> result;
        int count = request.rank > 0 ? request.rank : least;
        result.values.assign(s.begin(), s.begin() + count);
        if (none) return result;
        int kept_u = request.rank > 0 ? count : u_cols, kept_v = request.rank > 0 ? count : vt_rows;
        result.v = Matrix<T>(stream, n, kept_v);
        cpu::transpose_matrix<T>(stream, vt.view().block(0, 0, kept_v, n), result.v.view());
        result.u = kept_u == u_cols ? std::move(u) : first_columns(stream, u, kept_u);
        return result;
    }

    /// Overwrites `a`. Sets the values and, as `job` says, U and V^H.
    template <class T>
    void run(const char* job, MatrixView<T> a, std::vector<RealOf<T>>& s, MatrixView<T> u,
             MatrixView<T> vt) {
        T wanted(0);
        int info = call_routine(job, a, s, u, vt, &wanted, -1);
        // A float may round the requested size down.
        auto size = static_cast<std::size_t>(static_cast<double>(real_part(wanted)) * 1.001) + 64;
        std::vector<T> work(size);
        info = call_routine(job, a, s, u, vt, work.data(), static_cast<int>(work.size()));
        if (info != 0)
            throw UserError(std::string(id()) + " failed with info " + std::to_string(info));
    }

    template <class T>
    int call_routine(const char* job, MatrixView<T> a, std::vector<RealOf<T>>& s, MatrixView<T> u,
                     MatrixView<T> vt, T* work, int size) {
        int info = 0;
        std::vector<int> integers(divide_ ? 8 * s.size() : 0);
        if constexpr (kIsComplex<T>) {
            std::vector<RealOf<T>> real_work(real_work_size(a.rows, a.cols));
            if (divide_)
                routine_of<T>(late::cgesdd_, late::zgesdd_)(
                    job, &a.rows, &a.cols, a.data, &a.stride, s.data(), u.data, &u.stride, vt.data,
                    &vt.stride, work, &size, real_work.data(), integers.data(), &info, 1);
            else
                routine_of<T>(late::cgesvd_, late::zgesvd_)(
                    job, job, &a.rows, &a.cols, a.data, &a.stride, s.data(), u.data, &u.stride,
                    vt.data, &vt.stride, work, &size, real_work.data(), &info, 1, 1);
        } else {
            if (divide_)
                routine_of<T>(late::sgesdd_, late::dgesdd_)(
                    job, &a.rows, &a.cols, a.data, &a.stride, s.data(), u.data, &u.stride, vt.data,
                    &vt.stride, work, &size, integers.data(), &info, 1);
            else
                routine_of<T>(late::sgesvd_, late::dgesvd_)(
                    job, job, &a.rows, &a.cols, a.data, &a.stride, s.data(), u.data, &u.stride,
                    vt.data, &vt.stride, work, &size, &info, 1, 1);
        }
        return info;
    }

    /// Real numbers that a routine needs for a complex matrix.
    [[nodiscard]] std::size_t real_work_size(int rows, int cols) const {
        auto most = static_cast<std::size_t>(std::max(rows, cols));
        auto least = static_cast<std::size_t>(std::min(rows, cols));
        return divide_ ? least * std::max(5 * least + 7, 2 * most + 2 * least + 1) : 5 * least;
    }

    bool divide_;
};

}  // namespace

std::unique_ptr<SvdSolver> make_lapack_gesdd() {
    return std::make_unique<LapackSvd>(true);
}
std::unique_ptr<SvdSolver> make_lapack_gesvd() {
    return std::make_unique<LapackSvd>(false);
}

}  // namespace tl
