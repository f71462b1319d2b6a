// Coefficients as polynomials in a problem's parameters. A coefficient is a sum of products of two
// factors, each of which is a parameter or another such sum. Equal sums are shared, so that
// generated code computes each once.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "solvers/minimal/prime_field.h"

namespace tl::minimal {

/// A fraction of integers, reduced. Throws UserError where these do not fit into 64 bits.
class Rational {
  public:
    constexpr Rational() = default;
    Rational(std::int64_t top, std::int64_t bottom = 1);
    [[nodiscard]] std::int64_t top() const { return top_; }
    [[nodiscard]] std::int64_t bottom() const { return bottom_; }
    [[nodiscard]] bool is_zero() const { return top_ == 0; }
    Rational operator+(const Rational& other) const;
    Rational operator*(const Rational& other) const;
    auto operator<=>(const Rational&) const = default;

  private:
    std::int64_t top_ = 0, bottom_ = 1;
};

/// Factor of a term. A parameter: its number. A sum: its index in the pool plus kFirstSum.
using Factor = std::int32_t;
inline constexpr Factor kNone = -1;
inline constexpr Factor kFirstSum = 1 << 20;

/// The product `scale * a * b`; kNone means 1, and a comes before b.
struct Term {
    Rational scale;
    Factor a = kNone, b = kNone;
    auto operator<=>(const Term&) const = default;
};

/// A sum of terms, in order of their factors, none of them zero.
using Sum = std::vector<Term>;

class CoefficientPool {
  public:
    [[nodiscard]] static Sum constant(const Rational& value);
    [[nodiscard]] static Sum parameter(int index) { return {{Rational(1), kNone, index}}; }
    [[nodiscard]] static Sum add(const Sum& a, const Sum& b, const Rational& scale_of_b);
    /// Product of two sums. Sums of more than one term, or of products, become sums of the pool
    /// first.
    [[nodiscard]] Sum multiply(const Sum& a, const Sum& b);

    [[nodiscard]] const Sum& sum(Factor factor) const {
        return sums_[static_cast<std::size_t>(factor - kFirstSum)];
    }
    [[nodiscard]] static bool is_sum(Factor factor) { return factor >= kFirstSum; }
    [[nodiscard]] std::size_t size() const { return sums_.size(); }

    /// The values of all of the pool's sums, modulo the prime.
    [[nodiscard]] std::vector<Residue> values(const std::vector<Residue>& parameters) const;
    [[nodiscard]] static Residue value(const Sum& sum, const std::vector<Residue>& parameters,
                                       const std::vector<Residue>& sums);

  private:
    [[nodiscard]] Term as_factor(const Sum& sum);

    std::vector<Sum> sums_;
    std::map<Sum, Factor> known_;
};

}  // namespace tl::minimal
