// Solid harmonics, the polynomials of the expansion of 1 / |d|^s about a middle. They are
// multiplied by powers of |v|^2 where s is not 1 and the kernel is no harmonic function.
//
// B(v) = |v|^2j R(v). R is the real solid harmonic of degree l and order m whose highest power of z
// has the factor 1: the real or imaginary part of (x + iy)^m (z^(l-m) - ...). Terms are in the
// order of their degrees n = 2j + l, then of j, then of m. One set of numbers shifts and combines
// expansions, the coefficients S of the addition theorem
//   B_q(u + v) = sum over k and n of S(q, k, n) B_k(u) B_n(v), degree q = degree k + degree n.
// With Gegenbauer's series (here in Legendre polynomials),
//   1 / |D - w|^s = sum over q of c_q B_q(D / |D|) B_q(w) / |D|^(degree q + s).
#pragma once

#include <vector>

#include "core/base/math.h"
#include "core/device/array.h"

namespace tl {

/// Row of a term k: its coefficient in the series of the kernel, and its first SolidProduct.
struct SolidRow {
    float in_series;  ///< c_k
    std::uint32_t first_product;
    std::uint32_t degree;
};

/// A coefficient of the addition theorem. The products of a term k are in the order of n, from 0.
/// kLast marks the last product of each n.
struct SolidProduct {
    static constexpr std::uint32_t kLast = 1u << 31;

    float factor;     ///< S(q, k, n)
    std::uint32_t q;  ///< and kLast
};

/// All terms of degrees below an order.
struct SolidTable {
    std::vector<SolidRow> rows;
    std::vector<SolidProduct> products;
};

/// s: the kernel is 1 / |d|^s, 1 or 2; with 1 there are only terms of j = 0.
[[nodiscard]] SolidTable make_solid_table(int order, int s);

/// The terms of degrees below kOrder for the kernel 1 / |d|^s.
template <int kOrder, int s>
struct SolidHarmonics {
    static_assert(s == 1 || s == 2);

    /// The first term of a degree.
    [[nodiscard]] TL_HD static constexpr int first(int degree) {
        return s == 1 ? degree * degree : degree * (degree + 1) * (degree + 2) / 6;
    }
    static constexpr int kTerms = first(kOrder);

    /// values[k] = B_k(v). Number: of floats, with + - and *.
    template <class Number>
    TL_HD static void find(Number x, Number y, Number z, Number* values) {
        Number square = x * x + y * y + z * z;
        values[0] = Number(1.0f);
        for (int n = 1; n < kOrder; ++n) {
            Number *own = values + first(n), *before = values + first(n - 1);
            const Number* two_before = n > 1 ? values + first(n - 2) : nullptr;
            for (int i = 0; i < 2 * n - 1; ++i) {
                own[i] = z * before[i];
                if (i < 2 * n - 3) {
                    int l = n - 1, m = (i + 1) / 2;
                    own[i] = own[i] - Number(static_cast<float>(l * l - m * m) /
                                             static_cast<float>(4 * l * l - 1)) *
                                          square * two_before[i];
                }
            }
            Number real = before[n > 1 ? 2 * n - 3 : 0];
            Number imaginary = n > 1 ? before[2 * n - 2] : Number(0.0f);
            own[2 * n - 1] = x * real - y * imaginary;
            own[2 * n] = x * imaginary + y * real;
            // Terms with a power of |v|^2: |v|^2 times those of two degrees less.
            for (int i = 2 * n + 1; i < first(n + 1) - first(n); ++i)
                own[i] = square * two_before[i - 2 * n - 1];
        }
    }
    /// The table of these terms.
    [[nodiscard]] static const SolidTable& table() {
        static const SolidTable made = make_solid_table(kOrder, s);
        return made;
    }
};

}  // namespace tl
