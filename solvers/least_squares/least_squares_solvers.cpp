#include "core/device/registry.h"
#include "solvers/least_squares/least_squares_mode.h"

namespace tl {

const std::vector<LeastSquaresRow>& least_squares_solvers() {
    static const std::vector<LeastSquaresRow> table{
        {"qr", "QR", "a QR factorisation, or the SVD where the rank may not be full", false,
         &make_least_squares_qr, TL_CUDA_ONLY(&make_least_squares_qr)},
        {"svd", "SVD", "the singular value decomposition, for any rank", false,
         &make_least_squares_svd, TL_CUDA_ONLY(&make_least_squares_svd)},
        {"lapack-gelsd", "LAPACK gelsd", "OpenBLAS's decomposition", true, &make_lapack_gelsd,
         nullptr},
    };
    return table;
}

std::unique_ptr<LeastSquaresSolver> make_least_squares_solver(const std::string& id,
                                                              const Device& device) {
    return make_from_row(least_squares_solvers(), id, device, "lstsq mode");
}

}  // namespace tl
