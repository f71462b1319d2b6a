// Test matrices by name: random, structured, or with known singular values.
#pragma once

#include <string>
#include <vector>

#include "solvers/dense/blas.h"
#include "solvers/dense/random_matrix.h"

namespace tl {

/// Parameters of a test matrix.
struct MatrixSpec {
    std::string kind = "uniform";
    int rows = 0, cols = 0;
    double condition = 1e3;  ///< largest over smallest singular value, if the kind uses it
    std::uint64_t seed = 0;
};

/// A row of the table of kinds.
struct MatrixKind {
    std::string id;
    std::string help;
    ElementKind element;
    /// Singular value i of n; null for kinds that are defined by their elements.
    double (*value)(int i, int n, double condition);
    bool has_condition = false;  ///< whether MatrixSpec::condition has an effect
};
[[nodiscard]] const std::vector<MatrixKind>& matrix_kinds();

/// Throws UsageError: an unknown kind lists the kinds; a size or the condition is below 1.
void check_matrix(const MatrixSpec& spec);

/// The matrix on the stream's device. Kinds with a known spectrum are U diag(values) V^T with
/// orthogonal factors of random matrices; `values`, if given, receives the exact spectrum in
/// descending order, and stays empty for other kinds. Throws what check_matrix() does.
template <class T>
[[nodiscard]] Matrix<T> make_matrix(Blas& blas, const MatrixSpec& spec,
                                    std::vector<double>* values = nullptr);

/// The m x n matrix of orthonormal columns (m >= n) from the QR factorisation of a random one.
template <class T>
[[nodiscard]] Matrix<T> random_orthonormal(Blas& blas, int rows, int cols, std::uint64_t seed);

}  // namespace tl
