// Reads sparse matrices from MatrixMarket files without forming their zeros.
#pragma once

#include <string>

#include "solvers/sparse/csr.h"

namespace tl {

/// Extents of the matrix of a MatrixMarket file of coordinates.
struct SparseExtents {
    int rows = 0, cols = 0;
    std::int64_t entries = 0;  ///< at most; entries that symmetry adds included
};

/// Reads the header of a file. All are 0 for files that are no MatrixMarket file of coordinates, or
/// whose numbers are complex. Throws UserError for a damaged header.
[[nodiscard]] SparseExtents sparse_extents(const std::string& path);

/// Reads coordinates of real numbers, integers or patterns, general, symmetric or skew-symmetric;
/// elements that are listed more than once are summed. Arrays are read too, without their zeros.
/// Throws UserError with the file and the line of the error, with an element that is not finite, or
/// for complex numbers.
[[nodiscard]] HostCsr read_csr(const std::string& path);

/// Throws UserError with the first element that is beyond the range of float.
void require_floats(const std::string& path, const HostCsr& matrix);

}  // namespace tl
