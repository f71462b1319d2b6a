#include "solvers/minimal/coefficient.h"

#include <numeric>
#include <utility>

#include "core/base/error.h"

namespace tl::minimal {
namespace {

[[noreturn]] void fail_size() {
    throw UserError("a number of the system has more than 18 digits; scale its unknowns");
}

std::int64_t product(std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    if (__builtin_mul_overflow(a, b, &result)) fail_size();
    return result;
}

std::int64_t sum_of(std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    if (__builtin_add_overflow(a, b, &result)) fail_size();
    return result;
}

}  // namespace

Rational::Rational(std::int64_t top, std::int64_t bottom) : top_(top), bottom_(bottom) {
    if (top == INT64_MIN || bottom == INT64_MIN) fail_size();
    if (bottom == 0) throw UserError("a division by zero");
    std::int64_t common = std::gcd(top, bottom);
    if (bottom < 0) common = -common;
    top_ /= common;
    bottom_ /= common;
}

Rational Rational::operator+(const Rational& other) const {
    return {sum_of(product(top_, other.bottom_), product(other.top_, bottom_)),
            product(bottom_, other.bottom_)};
}

Rational Rational::operator*(const Rational& other) const {
    return {product(top_, other.top_), product(bottom_, other.bottom_)};
}

Sum CoefficientPool::constant(const Rational& value) {
    if (value.is_zero()) return {};
    return {{value, kNone, kNone}};
}

Sum CoefficientPool::add(const Sum& a, const Sum& b, const Rational& scale_of_b) {
    std::map<std::pair<Factor, Factor>, Rational> terms;
    for (auto& term : a) terms[{term.a, term.b}] = term.scale;
    for (auto& term : b) {
        auto& scale = terms[{term.a, term.b}];
        scale = scale + term.scale * scale_of_b;
    }
    Sum sum;
    for (auto& [factors, scale] : terms)
        if (!scale.is_zero()) sum.push_back({scale, factors.first, factors.second});
    return sum;
}

/// A sum as one factor, or as a number alone.
Term CoefficientPool::as_factor(const Sum& sum) {
    if (sum.size() == 1 && sum[0].a == kNone) return sum[0];
    // Sums that differ by a number alone share one: its first scale is 1.
    Rational scale = sum[0].scale, inverse(scale.bottom(), scale.top());
    Sum reduced = sum;
    for (auto& term : reduced) term.scale = term.scale * inverse;
    auto [known, is_new] =
        known_.try_emplace(reduced, kFirstSum + static_cast<Factor>(sums_.size()));
    if (is_new) sums_.push_back(reduced);
    return {scale, kNone, known->second};
}

Sum CoefficientPool::multiply(const Sum& a, const Sum& b) {
    if (a.empty() || b.empty()) return {};
    Term left = as_factor(a), right = as_factor(b);
    Term term{left.scale * right.scale, left.b, right.b};
    if (term.a > term.b) std::swap(term.a, term.b);
    return {term};
}

std::vector<Residue> CoefficientPool::values(const std::vector<Residue>& parameters) const {
    std::vector<Residue> result;
    result.reserve(sums_.size());
    for (auto& sum : sums_) result.push_back(value(sum, parameters, result));
    return result;
}

Residue CoefficientPool::value(const Sum& sum, const std::vector<Residue>& parameters,
                               const std::vector<Residue>& sums) {
    auto of = [&](Factor factor) {
        if (factor == kNone) return Residue(1);
        return is_sum(factor) ? sums[static_cast<std::size_t>(factor - kFirstSum)]
                              : parameters[static_cast<std::size_t>(factor)];
    };
    Residue result;
    for (auto& term : sum)
        result = result + Residue(term.scale.top()) * Residue(term.scale.bottom()).inverse() *
                              of(term.a) * of(term.b);
    return result;
}

}  // namespace tl::minimal
