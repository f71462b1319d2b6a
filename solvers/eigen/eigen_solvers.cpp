#include "accel/parallel/registry.h"
#include "solvers/eigen/eigen_modes.h"
#include "solvers/eigen/eigen_peers.h"

namespace tl {

const std::vector<EigenRow>& eigen_solvers() {
    static const std::vector<EigenRow> table{
        {"auto", "Chosen by size", "the fastest of the device's modes for the size", false,
         &make_eigen_auto, nullptr},
        {"simd", "A matrix in each lane",
         "four matrices of doubles or eight of floats go through AVX2 registers in step", false,
         &make_eigen_simd, nullptr},
        {"scalar", "A matrix at a time", "each matrix is solved by itself", false,
         &make_eigen_scalar, nullptr},
        {"lapack", "LAPACK geev", "OpenBLAS's LAPACK, a matrix at a time on one thread", true,
         &make_lapack_geev, nullptr},
    };
    return table;
}

std::unique_ptr<EigenSolver> make_eigen_solver(const std::string& id, const Device& device) {
    return make_from_row(eigen_solvers(), id, device, "eig mode");
}

}  // namespace tl
