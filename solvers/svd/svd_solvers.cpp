#include "core/device/registry.h"
#include "solvers/svd/svd_modes.h"
#include "solvers/svd/svd_peers.h"

namespace tl {

const std::vector<SvdRow>& svd_solvers() {
    static const std::vector<SvdRow> table{
        {"auto", "Chosen by size and rank",
         "randomised where few triplets of a large matrix are asked for, else divide-conquer",
         false, &make_svd_auto, TL_CUDA_ONLY(&make_svd_auto_cuda)},
        {"divide-conquer", "Divide and conquer",
         "Householder bidiagonalisation, then divide and conquer (Gu & Eisenstat 1995)", false,
         &make_svd_divide_conquer, TL_CUDA_ONLY(&make_svd_divide_conquer_cuda)},
        {"golub-reinsch", "Golub-Reinsch",
         "Householder bidiagonalisation, then implicit QR sweeps (Lahabar 2010)", false,
         &make_svd_golub_reinsch, TL_CUDA_ONLY(&make_svd_golub_reinsch)},
        {"randomised", "Randomised",
         "The largest triplets from a random sample of the range (Halko et al. 2011); needs a rank",
         false, &make_svd_randomised, TL_CUDA_ONLY(&make_svd_randomised)},
        {"lapack-gesdd", "LAPACK gesdd", "OpenBLAS's divide and conquer", true, &make_lapack_gesdd,
         nullptr},
        {"lapack-gesvd", "LAPACK gesvd", "OpenBLAS's QR iteration", true, &make_lapack_gesvd,
         nullptr},
        {"cusolver-gesvd", "cuSOLVER gesvd", "NVIDIA's QR iteration", true, nullptr,
         TL_CUDA_ONLY(&make_cusolver_gesvd)},
        {"cusolver-gesvdj", "cuSOLVER gesvdj", "NVIDIA's Jacobi method", true, nullptr,
         TL_CUDA_ONLY(&make_cusolver_gesvdj)},
        {"cusolver-gesvdp", "cuSOLVER gesvdp",
         "NVIDIA's polar decomposition, imprecise where the condition number is high", true,
         nullptr, TL_CUDA_ONLY(&make_cusolver_gesvdp)},
    };
    return table;
}

std::unique_ptr<SvdSolver> make_svd_solver(const std::string& id, const Device& device) {
    return make_from_row(svd_solvers(), id, device, "svd mode");
}

}  // namespace tl
