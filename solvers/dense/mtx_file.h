// Reads matrices of MatrixMarket files (Boisvert, Pozo & Remington 1996).
#pragma once

#include <string>

#include "solvers/dense/matrix.h"

namespace tl {

/// Reads arrays or coordinates of real numbers, integers or patterns, general, symmetric or
/// skew-symmetric; a matrix of Complex<double> also from complex numbers, which may be hermitian.
/// Elements that are listed more than once are summed. Throws UserError with the file and the line.
template <class T = double>
[[nodiscard]] HostMatrix<T> read_mtx(const std::string& path);

}  // namespace tl
