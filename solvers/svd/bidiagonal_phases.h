// A complex bidiagonal matrix as a real one: B = L |B| R^H, where L and R are diagonal and unitary.
// The real methods then decompose |B|.
#pragma once

#include <complex>
#include <vector>

#include "solvers/dense/complex.h"

namespace tl {

/// Absolute values and phases. d and e, the diagonals of |B|, are equally long; the last element of
/// e is 0. The elements of L and R have absolute value 1.
struct BidiagonalPhases {
    std::vector<double> d, e;
    std::vector<std::complex<double>> left, right;
};

/// Absolute values and phases of the upper bidiagonal matrix with these diagonals, which are
/// equally long; the last element of e is 0.
template <class T>
[[nodiscard]] BidiagonalPhases phases_of(const std::vector<Complex<T>>& d,
                                         const std::vector<Complex<T>>& e) {
    BidiagonalPhases b;
    std::complex<double> right = 1;
    auto phase_of = [](std::complex<double> z, double size) { return size > 0 ? z / size : 1; };
    for (std::size_t k = 0; k < d.size(); ++k) {
        // d[k] = left |d[k]| conj(right), and e[k] = left |e[k]| conj(next right).
        std::complex<double> on(d[k].re, d[k].im), above(e[k].re, e[k].im);
        b.d.push_back(std::abs(on));
        b.e.push_back(std::abs(above));
        auto left = phase_of(on, b.d.back()) * right;
        // Normalises, since rounding errors of products accumulate.
        left /= std::abs(left);
        b.left.push_back(left);
        b.right.push_back(right);
        right = std::conj(phase_of(above, b.e.back())) * left;
        right /= std::abs(right);
    }
    return b;
}

}  // namespace tl
