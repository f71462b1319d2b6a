// Polynomials modulo the equations of an instance, a ring with as many dimensions as the instance
// has solutions, and multiplication in it.
#pragma once

#include "solvers/minimal/field_instance.h"

namespace tl::minimal {

/// A square matrix modulo the prime, row by row.
struct FieldMatrix {
    std::size_t n = 0;
    std::vector<Residue> elements;

    explicit FieldMatrix(std::size_t size) : n(size), elements(size * size) {}
    Residue& at(std::size_t row, std::size_t column) { return elements[row * n + column]; }
    [[nodiscard]] Residue at(std::size_t row, std::size_t column) const {
        return elements[row * n + column];
    }
};

struct QuotientRing {
    std::vector<Monomial>
        basis;  ///< one monomial per solution, in falling order; the last one is 1
    /// For each unknown the matrix of multiplication: row j has the unknown times basis[j] as a
    /// combination of the basis.
    std::vector<FieldMatrix> by_unknown;

    /// Multiplication by the sum of scales[i] times unknown i.
    [[nodiscard]] FieldMatrix by(const std::vector<Residue>& scales) const;
};

/// Finds the ring from multiples of the equations, of rising degree, until it is proven: the
/// matrices commute, and the equations vanish for them, so that no polynomial of the ideal was
/// overlooked (Mourrain 1999). Throws UserError if there are no solutions or infinitely many, or
/// too many for a template.
[[nodiscard]] QuotientRing find_quotient_ring(const FieldEquations& equations, int n_unknowns,
                                              Effort& effort);

/// Eigenvalues of a matrix modulo the prime, in the field's closure.
struct Spectrum {
    std::size_t n_values = 0;        ///< distinct eigenvalues
    std::size_t minimal_degree = 0;  ///< degree of the minimal polynomial
    bool operator==(const Spectrum&) const = default;
};

/// From the minimal polynomial, by the recurrence of u' M^k w for random u and w (Wiedemann 1986;
/// Berlekamp and Massey). Both numbers may be too small, by a chance of about 1e-7.
[[nodiscard]] Spectrum spectrum_of(const FieldMatrix& matrix, Effort& effort);

}  // namespace tl::minimal
