#include "solvers/ransac/measured_polynomial.h"

#include <numeric>

#include "core/base/error.h"

namespace tl::minimal {
namespace {

constexpr std::size_t kMostTerms = 20'000;
constexpr int kMostDegree = 20;

/// Polynomial in the columns.
using ColumnPolynomial = std::map<ColumnPowers, double>;

/// Expands sums of a pool, whose factors from `n_parameters` on are columns.
class Expansion {
  public:
    explicit Expansion(const PolynomialSystem& system)
        : system_(system), one_(system.measured.columns.size()) {}

    ColumnPolynomial sum(const Sum& sum) {
        expand_factors(sum);
        ColumnPolynomial result;
        for (auto& term : sum) {
            auto scale =
                static_cast<double>(term.scale.top()) / static_cast<double>(term.scale.bottom());
            for (auto& [a, x] : known_.at(term.a))
                for (auto& [b, y] : known_.at(term.b)) result[product(a, b)] += scale * x * y;
        }
        return result;
    }

  private:
    /// Expands the factors of a sum, those first of which others are made. No recursion: sums may
    /// be of a hundred thousand others.
    void expand_factors(const Sum& sum) {
        std::vector<Factor> left;
        auto add_unknown = [&](const Sum& of) {
            auto before = left.size();
            for (auto& term : of)
                for (Factor factor : {term.a, term.b})
                    if (!known_.contains(factor)) left.push_back(factor);
            return left.size() > before;
        };
        add_unknown(sum);
        while (!left.empty()) {
            Factor factor = left.back();
            if (CoefficientPool::is_sum(factor)) {
                if (add_unknown(system_.pool.sum(factor))) continue;
                if (!known_.contains(factor)) known_[factor] = this->sum(system_.pool.sum(factor));
            } else {
                auto powers = one_;
                if (factor != kNone)
                    powers[static_cast<std::size_t>(factor - system_.n_parameters)] = 1;
                known_[factor] = {{powers, 1}};
            }
            left.pop_back();
        }
    }
    ColumnPowers product(const ColumnPowers& a, const ColumnPowers& b) {
        if (++n_terms_ > kMostTerms)
            throw UserError("an error of a measurement has more than " +
                            std::to_string(kMostTerms) + " terms; write it shorter");
        ColumnPowers powers = a;
        for (std::size_t i = 0; i < powers.size(); ++i)
            powers[i] = static_cast<std::uint16_t>(powers[i] + b[i]);
        if (std::accumulate(powers.begin(), powers.end(), 0) > kMostDegree)
            throw UserError("an error of a measurement has a degree above " +
                            std::to_string(kMostDegree) + " in the columns; lower it");
        return powers;
    }

    const PolynomialSystem& system_;
    ColumnPowers one_;
    std::map<Factor, ColumnPolynomial> known_;
    std::size_t n_terms_ = 0;
};

double power_of(double x, int exponent) {
    double power = 1;
    for (int i = 0; i < exponent; ++i) power *= x;
    return power;
}

double value_of(const Monomial& monomial, const double* u) {
    double value = 1;
    for (int i = 0; i < Monomial::kMostUnknowns; ++i)
        if (int power = monomial.power(i); power > 0) value *= power_of(u[i], power);
    return value;
}

}  // namespace

double UnknownPolynomial::value(const double* u) const {
    double sum = 0;
    for (auto& [monomial, scale] : terms_) sum += scale * value_of(monomial, u);
    return sum;
}

double UnknownPolynomial::derivative(const double* u, int unknown) const {
    double sum = 0;
    for (auto& [monomial, scale] : terms_)
        if (int power = monomial.power(unknown); power > 0)
            sum += scale * power * value_of(monomial.without(unknown), u);
    return sum;
}

MeasuredPolynomial::MeasuredPolynomial(const PolynomialSystem& system,
                                       const Polynomial& polynomial) {
    Expansion expansion(system);
    for (auto& [monomial, coefficient] : polynomial)
        for (auto& [powers, scale] : expansion.sum(coefficient))
            terms_[powers].add(monomial, scale);
}

MeasuredPolynomial MeasuredPolynomial::derivative_by_column(std::size_t column) const {
    MeasuredPolynomial derivative;
    for (auto& [powers, weight] : terms_) {
        if (powers[column] == 0) continue;
        auto lower = powers;
        --lower[column];
        for (auto& [monomial, scale] : weight.terms_)
            derivative.terms_[lower].add(monomial, scale * powers[column]);
    }
    return derivative;
}

UnknownPolynomial unknown_polynomial(const PolynomialSystem& system, const Polynomial& polynomial) {
    // All terms have the same powers of columns, none.
    const MeasuredPolynomial expanded(system, polynomial);
    auto& terms = expanded.terms();
    return terms.empty() ? UnknownPolynomial() : terms.begin()->second;
}

}  // namespace tl::minimal
