// The functions of cuBLAS and cuSOLVER that the solvers call, under the libraries' own names in
// tl::late.
#pragma once

#include <cublas_v2.h>
#include <cusolverDn.h>

#include "solvers/dense/late_library.h"

// The toolkit's headers define some of the names as macros of others.
#define TL_TEXT_OF(text) #text
#define TL_TEXT(text) TL_TEXT_OF(text)
#define TL_LATE(library, function) \
    inline const LateFunction<decltype(::function)> function(library, TL_TEXT(function))

namespace tl::late {

extern const LateLibrary cublas, cusolver;

TL_LATE(cublas, cublasCgemm);
TL_LATE(cublas, cublasCreate);
TL_LATE(cublas, cublasCtrsm);
TL_LATE(cublas, cublasDgemm);
TL_LATE(cublas, cublasDtrsm);
TL_LATE(cublas, cublasGetStatusString);
TL_LATE(cublas, cublasSetMathMode);
TL_LATE(cublas, cublasSetSmCountTarget);
TL_LATE(cublas, cublasSetStream);
TL_LATE(cublas, cublasSgemm);
TL_LATE(cublas, cublasStrsm);
TL_LATE(cublas, cublasZgemm);
TL_LATE(cublas, cublasZtrsm);

TL_LATE(cusolver, cusolverDnCgesvdj);
TL_LATE(cusolver, cusolverDnCgesvdj_bufferSize);
TL_LATE(cusolver, cusolverDnCreate);
TL_LATE(cusolver, cusolverDnCreateGesvdjInfo);
TL_LATE(cusolver, cusolverDnCreateParams);
TL_LATE(cusolver, cusolverDnDXgesv);
TL_LATE(cusolver, cusolverDnDXgesv_bufferSize);
TL_LATE(cusolver, cusolverDnDgesvdj);
TL_LATE(cusolver, cusolverDnDgesvdj_bufferSize);
TL_LATE(cusolver, cusolverDnSetStream);
TL_LATE(cusolver, cusolverDnSgesvdj);
TL_LATE(cusolver, cusolverDnSgesvdj_bufferSize);
TL_LATE(cusolver, cusolverDnXgeev);
TL_LATE(cusolver, cusolverDnXgeev_bufferSize);
TL_LATE(cusolver, cusolverDnXgesvd);
TL_LATE(cusolver, cusolverDnXgesvd_bufferSize);
TL_LATE(cusolver, cusolverDnXgesvdp);
TL_LATE(cusolver, cusolverDnXgesvdp_bufferSize);
TL_LATE(cusolver, cusolverDnXgetrf);
TL_LATE(cusolver, cusolverDnXgetrf_bufferSize);
TL_LATE(cusolver, cusolverDnXgetrs);
TL_LATE(cusolver, cusolverDnZgesvdj);
TL_LATE(cusolver, cusolverDnZgesvdj_bufferSize);

}  // namespace tl::late

#undef TL_LATE
#undef TL_TEXT
#undef TL_TEXT_OF
