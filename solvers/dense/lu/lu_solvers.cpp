#include "core/device/registry.h"
#include "solvers/dense/lu/lu_modes.h"

namespace tl {

const std::vector<LuRow>& lu_solvers() {
    static const std::vector<LuRow> table{
        {"blocked", "Blocked", "by blocks of columns with partial pivoting and look-ahead", false,
         &make_lu_blocked, TL_CUDA_ONLY(&make_lu_blocked_cuda)},
        {"pairs", "Pairs of rows", "pivots by pairs of rows for two columns (Brodtkorb 2007)",
         false, &make_lu_pairs, TL_CUDA_ONLY(&make_lu_pairs)},
        {"pairs-geometric", "Pairs of rows, geometric",
         "the same by the geometric mean of the two pivots", false, &make_lu_geometric_pairs,
         TL_CUDA_ONLY(&make_lu_geometric_pairs)},
        {"complete", "Complete pivoting",
         "exchanges of rows and columns: A[p][:, q] = L U, the safest and slowest", false,
         &make_lu_complete, TL_CUDA_ONLY(&make_lu_complete)},
        {"lapack-getrf", "LAPACK getrf", "OpenBLAS's factorisation", true, &make_lapack_getrf,
         nullptr},
        {"cusolver-getrf", "cuSOLVER getrf", "NVIDIA's factorisation", true, nullptr,
         TL_CUDA_ONLY(&make_cusolver_getrf)},
    };
    return table;
}

std::unique_ptr<LuSolver> make_lu_solver(const std::string& id, const Device& device) {
    return make_from_row(lu_solvers(), id, device, "lu mode");
}

}  // namespace tl
