// Matrices of files and of generators, spread over a grid of ranks without being whole anywhere.
#pragma once

#include <functional>
#include <span>

#include "solvers/dense/matrix_kinds.h"
#include "solvers/dense/npy_file.h"
#include "solvers/dense/ranks/rank_grid.h"

namespace tl {

/// Sets this rank's part to the same elements as make_matrix(), one block column after the other.
/// Throws UserError for kinds that are products of matrices, and what check_matrix() does.
template <class T>
void generate_part(Stream& stream, const MatrixSpec& spec, CyclicMatrix<T>& a);

/// Rows and columns of a real matrix in a .npy file. Throws UserError where it is none.
struct NpyExtents {
    int rows = 0, cols = 0;
};
[[nodiscard]] NpyExtents npy_extents(const NpyFile& file);

/// Reads this rank's part of a matrix: of a file by columns only the rank's columns, of one by rows
/// only its rows. Throws UserError as NpyFile does, and for a double beyond the range of T.
template <class T>
void read_part(Stream& stream, const std::string& path, CyclicMatrix<T>& a);

/// Calls `write` at rank 0 for one block column of the matrix after the other: all rows of its
/// columns, in column-major order. Collective.
template <class T>
void for_each_block_column(Stream& stream, RankGrid& grid, CyclicMatrix<T>& a,
                           const std::function<void(std::span<const T>)>& write);

}  // namespace tl
