// Integers modulo the prime 2^31 - 1, in which polynomial systems are analysed. A rank found for
// random numbers of this field holds for nearly all real ones, except for a chance of about 1e-9.
#pragma once

#include <cstdint>

namespace tl::minimal {

class Residue {
  public:
    static constexpr std::uint64_t kPrime = 2147483647;

    constexpr Residue() = default;
    constexpr Residue(std::int64_t value)
        : value_(static_cast<std::uint32_t>(value % static_cast<std::int64_t>(kPrime) < 0
                                                ? value % static_cast<std::int64_t>(kPrime) +
                                                      static_cast<std::int64_t>(kPrime)
                                                : value % static_cast<std::int64_t>(kPrime))) {}

    [[nodiscard]] constexpr std::uint32_t value() const { return value_; }
    constexpr bool operator==(const Residue&) const = default;
    [[nodiscard]] constexpr bool is_zero() const { return value_ == 0; }

    constexpr Residue operator+(Residue other) const {
        return reduced(std::uint64_t{value_} + other.value_);
    }
    constexpr Residue operator-(Residue other) const {
        return reduced(std::uint64_t{value_} + kPrime - other.value_);
    }
    constexpr Residue operator*(Residue other) const {
        return reduced(std::uint64_t{value_} * other.value_);
    }
    /// this - factor * other, with one reduction.
    [[nodiscard]] constexpr Residue without(Residue factor, Residue other) const {
        return reduced(value_ + (kPrime - factor.value_) * other.value_);
    }
    /// Multiplicative inverse, the power p - 2 (Fermat). The inverse of zero is zero.
    [[nodiscard]] constexpr Residue inverse() const {
        Residue result(1), power = *this;
        for (std::uint64_t rest = kPrime - 2; rest > 0; rest /= 2) {
            if (rest % 2 == 1) result = result * power;
            power = power * power;
        }
        return result;
    }

  private:
    /// Reduces a number below 2^62 + 2^31. The bits above the lowest 31 count as much as these,
    /// since 2^31 is 1. No branch, so that loops become SIMD.
    static constexpr Residue reduced(std::uint64_t value) {
        value = (value & kPrime) + (value >> 31);
        value = (value & kPrime) + (value >> 31);
        auto once = static_cast<std::uint32_t>(value);
        Residue result;
        result.value_ = once >= kPrime ? once - static_cast<std::uint32_t>(kPrime) : once;
        return result;
    }
    std::uint32_t value_ = 0;
};

}  // namespace tl::minimal
