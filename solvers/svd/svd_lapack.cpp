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
        std::uint64_t vectors = request.vectors == SvdVectors::full   ? m * m + n * n
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
        std::vector<T> s(least);
        std::vector<int> iwork(8 * static_cast<std::size_t>(least));
        T wanted = 0;
        int info = 0;
        auto run = [&](T* work, int lwork) {
            T* data = work_a.view().data;
            T *u_data = u.view().data, *vt_data = vt.view().data;
            int ldu = u.rows();
            if (divide_)
                routine_of<T>(late::sgesdd_, late::dgesdd_)(job, &m, &n, data, &m, s.data(), u_data,
                                                            &ldu, vt_data, &vt_rows, work, &lwork,
                                                            iwork.data(), &info, 1);
            else
                routine_of<T>(late::sgesvd_, late::dgesvd_)(job, job, &m, &n, data, &m, s.data(),
                                                            u_data, &ldu, vt_data, &vt_rows, work,
                                                            &lwork, &info, 1, 1);
        };
        run(&wanted, -1);
        // A float may round the requested size down.
        std::vector<T> work(static_cast<std::size_t>(static_cast<double>(wanted) * 1.001) + 64);
        run(work.data(), static_cast<int>(work.size()));
        if (info != 0)
            throw UserError(std::string(id()) + " failed with info " + std::to_string(info));
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
