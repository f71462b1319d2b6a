// Sparse test matrices by name: grids of differential equations, and the classes of structure that
// collections of matrices have (Davis & Hu 2011): banded, random, and rows of very different
// length.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "solvers/sparse/csr.h"

namespace tl {

/// Parameters of a test matrix.
struct SparseSpec {
    std::string kind = "poisson2d";
    int rows = 0;  ///< a grid takes the nearest square or cube
    std::uint64_t seed = 0;
};

/// A row of the table of kinds.
struct SparseKind {
    std::string id;
    std::string help;
    bool symmetric;  ///< symmetric and positive definite
    HostCsr (*make)(int rows, std::uint64_t seed);
};
[[nodiscard]] const std::vector<SparseKind>& sparse_kinds();

/// The matrix in host memory. Throws UsageError: an unknown kind lists the kinds; less than one
/// row. Throws UserError if memory is insufficient.
[[nodiscard]] HostCsr make_csr(const SparseSpec& spec);

}  // namespace tl
