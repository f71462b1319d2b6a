// Functions of OpenBLAS and its LAPACK that the solvers call. Those in tl::late have the library's
// own names and open it on their first call (LateFunction).
#pragma once

#include <cblas.h>

#include <cstddef>

#include "solvers/dense/late_library.h"

// LAPACK's Fortran routines. The std::size_t at the end are the lengths of the strings, such as
// jobz, which Fortran compilers pass as hidden arguments.
// NOLINTBEGIN(readability-identifier-naming): names as Fortran gives them.
extern "C" {
void sgesv_(const int* n, const int* nrhs, float* a, const int* lda, int* ipiv, float* b,
            const int* ldb, int* info);
void dgesv_(const int* n, const int* nrhs, double* a, const int* lda, int* ipiv, double* b,
            const int* ldb, int* info);
void sgetrf_(const int* m, const int* n, float* a, const int* lda, int* ipiv, int* info);
void dgetrf_(const int* m, const int* n, double* a, const int* lda, int* ipiv, int* info);
void sgesdd_(const char* jobz, const int* m, const int* n, float* a, const int* lda, float* s,
             float* u, const int* ldu, float* vt, const int* ldvt, float* work, const int* lwork,
             int* iwork, int* info, std::size_t);
void dgesdd_(const char* jobz, const int* m, const int* n, double* a, const int* lda, double* s,
             double* u, const int* ldu, double* vt, const int* ldvt, double* work, const int* lwork,
             int* iwork, int* info, std::size_t);
void sgesvd_(const char* jobu, const char* jobvt, const int* m, const int* n, float* a,
             const int* lda, float* s, float* u, const int* ldu, float* vt, const int* ldvt,
             float* work, const int* lwork, int* info, std::size_t, std::size_t);
void dgesvd_(const char* jobu, const char* jobvt, const int* m, const int* n, double* a,
             const int* lda, double* s, double* u, const int* ldu, double* vt, const int* ldvt,
             double* work, const int* lwork, int* info, std::size_t, std::size_t);
void sgelsd_(const int* m, const int* n, const int* nrhs, float* a, const int* lda, float* b,
             const int* ldb, float* s, const float* rcond, int* rank, float* work, const int* lwork,
             int* iwork, int* info);
void dgelsd_(const int* m, const int* n, const int* nrhs, double* a, const int* lda, double* b,
             const int* ldb, double* s, const double* rcond, int* rank, double* work,
             const int* lwork, int* iwork, int* info);
void sgeev_(const char* jobvl, const char* jobvr, const int* n, float* a, const int* lda, float* wr,
            float* wi, float* vl, const int* ldvl, float* vr, const int* ldvr, float* work,
            const int* lwork, int* info, std::size_t, std::size_t);
void dgeev_(const char* jobvl, const char* jobvr, const int* n, double* a, const int* lda,
            double* wr, double* wi, double* vl, const int* ldvl, double* vr, const int* ldvr,
            double* work, const int* lwork, int* info, std::size_t, std::size_t);
void cgesv_(const int* n, const int* nrhs, void* a, const int* lda, int* ipiv, void* b,
            const int* ldb, int* info);
void zgesv_(const int* n, const int* nrhs, void* a, const int* lda, int* ipiv, void* b,
            const int* ldb, int* info);
void cgetrf_(const int* m, const int* n, void* a, const int* lda, int* ipiv, int* info);
void zgetrf_(const int* m, const int* n, void* a, const int* lda, int* ipiv, int* info);
void cgesdd_(const char* jobz, const int* m, const int* n, void* a, const int* lda, float* s,
             void* u, const int* ldu, void* vt, const int* ldvt, void* work, const int* lwork,
             float* rwork, int* iwork, int* info, std::size_t);
void zgesdd_(const char* jobz, const int* m, const int* n, void* a, const int* lda, double* s,
             void* u, const int* ldu, void* vt, const int* ldvt, void* work, const int* lwork,
             double* rwork, int* iwork, int* info, std::size_t);
void cgesvd_(const char* jobu, const char* jobvt, const int* m, const int* n, void* a,
             const int* lda, float* s, void* u, const int* ldu, void* vt, const int* ldvt,
             void* work, const int* lwork, float* rwork, int* info, std::size_t, std::size_t);
void zgesvd_(const char* jobu, const char* jobvt, const int* m, const int* n, void* a,
             const int* lda, double* s, void* u, const int* ldu, void* vt, const int* ldvt,
             void* work, const int* lwork, double* rwork, int* info, std::size_t, std::size_t);
void cgeev_(const char* jobvl, const char* jobvr, const int* n, void* a, const int* lda, void* w,
            void* vl, const int* ldvl, void* vr, const int* ldvr, void* work, const int* lwork,
            float* rwork, int* info, std::size_t, std::size_t);
void zgeev_(const char* jobvl, const char* jobvr, const int* n, void* a, const int* lda, void* w,
            void* vl, const int* ldvl, void* vr, const int* ldvr, void* work, const int* lwork,
            double* rwork, int* info, std::size_t, std::size_t);
}
// NOLINTEND(readability-identifier-naming)

#define TL_LATE(function) \
    inline const LateFunction<decltype(::function)> function(openblas, #function)

namespace tl::late {

extern const LateLibrary openblas;

TL_LATE(cblas_cgemm);
TL_LATE(cblas_ctrsm);
TL_LATE(cblas_dgemm);
TL_LATE(cblas_dtrsm);
TL_LATE(cblas_sgemm);
TL_LATE(cblas_strsm);
TL_LATE(cblas_zgemm);
TL_LATE(cblas_ztrsm);

// NOLINTBEGIN(readability-identifier-naming)
TL_LATE(cgeev_);
TL_LATE(cgesdd_);
TL_LATE(cgesv_);
TL_LATE(cgesvd_);
TL_LATE(cgetrf_);
TL_LATE(dgeev_);
TL_LATE(dgelsd_);
TL_LATE(dgesdd_);
TL_LATE(dgesv_);
TL_LATE(dgesvd_);
TL_LATE(dgetrf_);
TL_LATE(sgeev_);
TL_LATE(sgelsd_);
TL_LATE(sgesdd_);
TL_LATE(sgesv_);
TL_LATE(sgesvd_);
TL_LATE(sgetrf_);
TL_LATE(zgeev_);
TL_LATE(zgesdd_);
TL_LATE(zgesv_);
TL_LATE(zgesvd_);
TL_LATE(zgetrf_);
// NOLINTEND(readability-identifier-naming)

/// Makes each call of OpenBLAS run in its calling thread alone, from now on and in the whole
/// process. Applies to a library that is opened later, too.
void keep_openblas_to_its_thread();

}  // namespace tl::late

#undef TL_LATE
