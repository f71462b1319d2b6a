// OpenBLAS's LAPACK behind the LuSolver interface.
#include "solvers/dense/blas_of.h"
#include "solvers/dense/lu/lu_mode.h"
#include "solvers/dense/lu/lu_modes.h"
#include "solvers/dense/openblas.h"

namespace tl {
namespace {

class LapackLu final : public LuMode<LapackLu> {
  public:
    LapackLu() : LuMode("lapack-getrf") {}

    template <class T>
    void run(Stream&, LuFactors<T>& factors, SolverRun&) {
        auto a = factors.lu.view();
        int info = 0;
        routine_of<T>(late::sgetrf_, late::dgetrf_)(&a.rows, &a.cols, a.data, &a.stride,
                                                    factors.swaps.data(), &info);
        // A positive info only says that a pivot is zero.
        if (info < 0)
            throw UserError(std::string(id()) + " failed with info " + std::to_string(info));
        for (int& row : factors.swaps) --row;
    }
};

}  // namespace

std::unique_ptr<LuSolver> make_lapack_getrf() {
    return std::make_unique<LapackLu>();
}

}  // namespace tl
