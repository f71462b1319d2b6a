#include "solvers/ransac/model_test.h"

#include <algorithm>

#include "core/base/error.h"

namespace tl::minimal {
namespace {

constexpr std::size_t kMostFeatures = 1000;

/// Numbers of the features of polynomials.
class FeatureNumbers {
  public:
    explicit FeatureNumbers(std::vector<ColumnPowers>& features) : features_(features) {}

    WeightedFeatures of(const MeasuredPolynomial& polynomial) {
        WeightedFeatures result;
        for (auto& [powers, weight] : polynomial.terms()) {
            auto [known, is_new] = known_.try_emplace(powers, features_.size());
            if (is_new) features_.push_back(powers);
            result.features.push_back(known->second);
            result.weights.push_back(weight);
        }
        if (features_.size() > kMostFeatures)
            throw UserError("the errors of a measurement have more than " +
                            std::to_string(kMostFeatures) +
                            " monomials of the columns; write them shorter");
        return result;
    }

  private:
    std::vector<ColumnPowers>& features_;
    std::map<ColumnPowers, std::size_t> known_;
};

/// Whether an equation has no parameters: numbers are no sums of the pool.
bool is_constant(const Polynomial& equation) {
    return std::ranges::all_of(equation, [](auto& element) {
        return element.second.size() == 1 && element.second[0].b == kNone;
    });
}

}  // namespace

ModelTest::ModelTest(const PolynomialSystem& system)
    : n_unknowns(system.unknowns.size()), n_columns(system.measured.columns.size()) {
    if (system.measured.errors.empty())
        throw UserError(
            "the system has no measurements; name their columns by a line 'measurement x y', and "
            "their error "
            "by 'residual EXPRESSION' or 'distance EXPRESSION'");
    FeatureNumbers numbers(features);
    for (auto& error : system.measured.errors) {
        MeasuredPolynomial polynomial(system, error.polynomial);
        auto& expression = errors.emplace_back();
        expression.value = numbers.of(polynomial);
        for (std::size_t k = 0; error.is_distance && k < n_columns; ++k)
            if (auto derivative = polynomial.derivative_by_column(k); !derivative.terms().empty())
                expression.gradient.push_back(numbers.of(derivative));
    }
    for (auto& polynomial : system.measured.positives)
        positives.push_back(unknown_polynomial(system, polynomial));
    for (auto& equation : system.equations)
        if (is_constant(equation)) constraints.push_back(unknown_polynomial(system, equation));
}

}  // namespace tl::minimal
