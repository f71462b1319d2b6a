#include "core/device/registry.h"
#include "solvers/dense/linear/linear_modes.h"

namespace tl {

const std::vector<LinearRow>& linear_solvers() {
    static const std::vector<LinearRow> table{
        {"lu", "PLU factorisation", "a PLU factorisation in the matrix's own precision", false,
         &make_linear_lu, TL_CUDA_ONLY(&make_linear_lu)},
        {"refined", "Refined from float",
         "factors in float, refined to double, or in double where that does not converge", false,
         &make_linear_refined, TL_CUDA_ONLY(&make_linear_refined)},
        {"refined-tf32", "Refined from TF32", "the same with products in TF32", false, nullptr,
         TL_CUDA_ONLY(&make_linear_refined_tf32)},
        {"lapack-gesv", "LAPACK gesv", "OpenBLAS's factorisation", true, &make_lapack_gesv,
         nullptr},
        {"cusolver-getrs", "cuSOLVER getrs", "NVIDIA's factorisation", true, nullptr,
         TL_CUDA_ONLY(&make_cusolver_getrs)},
        {"cusolver-irs", "cuSOLVER IRS", "NVIDIA's factors in TF32, refined to double", true,
         nullptr, TL_CUDA_ONLY(&make_cusolver_irs)},
    };
    return table;
}

std::unique_ptr<LinearSolver> make_linear_solver(const std::string& id, const Device& device) {
    return make_from_row(linear_solvers(), id, device, "solve mode");
}

}  // namespace tl
