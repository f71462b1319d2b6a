// Products of powers of unknowns, in graded reverse lexicographic order.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tl::minimal {

class Monomial {
  public:
    static constexpr int kMostUnknowns = 8;

    Monomial() = default;  ///< 1
    /// The unknown of that number.
    static Monomial unknown(int index) {
        Monomial m;
        m.powers_[static_cast<std::size_t>(index)] = 1;
        return m;
    }
    [[nodiscard]] int power(int unknown) const {
        return powers_[static_cast<std::size_t>(unknown)];
    }
    [[nodiscard]] int degree() const {
        int sum = 0;
        for (int power : powers_) sum += power;
        return sum;
    }
    Monomial operator*(const Monomial& other) const {
        Monomial product;
        for (std::size_t i = 0; i < powers_.size(); ++i)
            product.powers_[i] = static_cast<std::uint8_t>(powers_[i] + other.powers_[i]);
        return product;
    }
    /// The monomial divided by an unknown that it has.
    [[nodiscard]] Monomial without(int unknown) const {
        Monomial quotient = *this;
        --quotient.powers_[static_cast<std::size_t>(unknown)];
        return quotient;
    }
    [[nodiscard]] bool divides(const Monomial& other) const {
        for (std::size_t i = 0; i < powers_.size(); ++i)
            if (powers_[i] > other.powers_[i]) return false;
        return true;
    }
    bool operator==(const Monomial&) const = default;
    /// Whether it comes after `other`, so that it is eliminated before: the degree counts first,
    /// then the smaller power of the last unknown in which they differ.
    bool operator>(const Monomial& other) const {
        if (int a = degree(), b = other.degree(); a != b) return a > b;
        for (std::size_t i = powers_.size(); i-- > 0;)
            if (powers_[i] != other.powers_[i]) return powers_[i] < other.powers_[i];
        return false;
    }
    bool operator<(const Monomial& other) const { return other > *this; }
    /// "x^2*y", or "1".
    [[nodiscard]] std::string text(const std::vector<std::string>& unknowns) const {
        std::string result;
        for (std::size_t i = 0; i < unknowns.size(); ++i) {
            if (powers_[i] == 0) continue;
            if (!result.empty()) result += '*';
            result += unknowns[i];
            if (powers_[i] > 1) result += '^' + std::to_string(powers_[i]);
        }
        return result.empty() ? "1" : result;
    }

  private:
    std::array<std::uint8_t, kMostUnknowns> powers_{};
};

/// All monomials of `n_unknowns` unknowns up to a degree, the greatest first. Throws UserError if
/// there are more than 20,000.
[[nodiscard]] std::vector<Monomial> monomials_up_to(int degree, int n_unknowns);

}  // namespace tl::minimal
