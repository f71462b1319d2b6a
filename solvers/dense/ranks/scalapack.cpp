#include "solvers/dense/ranks/scalapack.h"

#include <algorithm>

#include "core/base/error.h"
#include "solvers/dense/late_library.h"

// NOLINTBEGIN(readability-identifier-naming): names as ScaLAPACK gives them.
extern "C" {
void Cblacs_get(int context, int what, int* value);
void Cblacs_gridinit(int* context, const char* order, int n_rows, int n_cols);
void Cblacs_gridexit(int context);
void descinit_(int* desc, const int* m, const int* n, const int* mb, const int* nb,
               const int* irsrc, const int* icsrc, const int* ictxt, const int* lld, int* info);
void psgetrf_(const int* m, const int* n, float* a, const int* ia, const int* ja, const int* desca,
              int* ipiv, int* info);
void pdgetrf_(const int* m, const int* n, double* a, const int* ia, const int* ja, const int* desca,
              int* ipiv, int* info);
void psgetrs_(const char* trans, const int* n, const int* nrhs, const float* a, const int* ia,
              const int* ja, const int* desca, const int* ipiv, float* b, const int* ib,
              const int* jb, const int* descb, int* info, std::size_t);
void pdgetrs_(const char* trans, const int* n, const int* nrhs, const double* a, const int* ia,
              const int* ja, const int* desca, const int* ipiv, double* b, const int* ib,
              const int* jb, const int* descb, int* info, std::size_t);
}
// NOLINTEND(readability-identifier-naming)

namespace tl {
namespace late {
namespace {

const LateLibrary scalapack("ScaLAPACK", "libscalapack-openmpi.so.2.2", "/usr/lib/x86_64-linux-gnu",
                            "libscalapack-openmpi-dev");

#define TL_LATE(function) const LateFunction<decltype(::function)> function(scalapack, #function)
// NOLINTBEGIN(readability-identifier-naming)
TL_LATE(Cblacs_get);
TL_LATE(Cblacs_gridinit);
TL_LATE(Cblacs_gridexit);
TL_LATE(descinit_);
TL_LATE(pdgetrf_);
TL_LATE(pdgetrs_);
TL_LATE(psgetrf_);
TL_LATE(psgetrs_);
// NOLINTEND(readability-identifier-naming)
#undef TL_LATE

}  // namespace
}  // namespace late

namespace {

constexpr int kFirst = 1;  // indices of Fortran

void require_success(int info, const char* routine) {
    if (info < 0)
        throw UserError(std::string("ScaLAPACK: ") + routine + " refuses its argument " +
                        std::to_string(-info));
}

}  // namespace

template <class T>
ScalapackSystem<T>::ScalapackSystem(Stream& stream, const RankGrid& grid, const CyclicMatrix<T>& a)
    : rows_(a.rows),
      cols_(a.cols),
      a_(std::max(a.local.rows(), 1), a.local.cols()),
      pivots_(static_cast<std::size_t>(a.local.rows() + a.rows.block)) {
    if (a.local.rows() > 0) a_.data = a.local.download(stream);
    late::Cblacs_get(-1, 0, &context_);
    late::Cblacs_gridinit(&context_, "R", grid.rows(), grid.cols());
}

template <class T>
ScalapackSystem<T>::~ScalapackSystem() {
    late::Cblacs_gridexit(context_);
}

template <class T>
void ScalapackSystem<T>::describe(const CyclicAxis& rows, const CyclicAxis& cols,
                                  int* descriptor) const {
    int first_rank = 0, stride = std::max(rows.count(), 1), info = 0;
    late::descinit_(descriptor, &rows.extent, &cols.extent, &rows.block, &cols.block, &first_rank,
                    &first_rank, &context_, &stride, &info);
    require_success(info, "DESCINIT");
}

template <class T>
void ScalapackSystem<T>::factorise() {
    int descriptor[kDescriptor], info = 0;
    describe(rows_, cols_, descriptor);
    auto& getrf = [&]() -> auto& {
        if constexpr (sizeof(T) == 8)
            return late::pdgetrf_;
        else
            return late::psgetrf_;
    }
    ();
    getrf(&rows_.extent, &cols_.extent, a_.data.data(), &kFirst, &kFirst, descriptor,
          pivots_.data(), &info);
    require_success(info, "GETRF");
}

template <class T>
void ScalapackSystem<T>::solve(Stream& stream, CyclicMatrix<T>& b) {
    int descriptor[kDescriptor], of_b[kDescriptor], info = 0;
    describe(rows_, cols_, descriptor);
    describe(b.rows, b.cols, of_b);
    auto elements = b.local.download(stream);
    // ScaLAPACK takes no null pointer.
    bool is_empty = elements.empty();
    if (is_empty) elements.resize(1);
    auto& getrs = [&]() -> auto& {
        if constexpr (sizeof(T) == 8)
            return late::pdgetrs_;
        else
            return late::psgetrs_;
    }
    ();
    getrs("N", &rows_.extent, &b.cols.extent, a_.data.data(), &kFirst, &kFirst, descriptor,
          pivots_.data(), elements.data(), &kFirst, &kFirst, of_b, &info, 1);
    require_success(info, "GETRS");
    if (!is_empty) b.local.upload(stream, elements);
}

template <class T>
int ScalapackSystem<T>::count_other_pivots(const std::vector<int>& swaps) const {
    int n_other = 0;
    for (int i = 0; i < rows_.count(); ++i) {
        auto global = static_cast<std::size_t>(rows_.global(i));
        if (global < swaps.size() && swaps[global] != pivots_[static_cast<std::size_t>(i)] - 1)
            ++n_other;
    }
    return n_other;
}

template class ScalapackSystem<float>;
template class ScalapackSystem<double>;

}  // namespace tl
