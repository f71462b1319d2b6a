// Test of a model by measurements: errors as sums of the columns' monomials, the features, times
// weights that depend on the model alone. So an error of all measurements is a product of a
// table of features with a few weights (Cvrcek 2016, sections 6.1 and 6.2: errors that do not
// depend on each other, without branches).
#pragma once

#include "solvers/ransac/measured_polynomial.h"

namespace tl::minimal {

/// Sum of features times weights.
struct WeightedFeatures {
    std::vector<std::size_t> features;
    std::vector<UnknownPolynomial> weights;  ///< as many
};

/// Error of a measurement: `value`, divided by the length of `gradient` unless that is empty.
struct ErrorExpression {
    WeightedFeatures value;
    std::vector<WeightedFeatures> gradient;  ///< derivatives by the columns that it has
};

struct ModelTest {
    std::size_t n_unknowns = 0, n_columns = 0;
    std::vector<ColumnPowers> features;
    std::vector<ErrorExpression> errors;       ///< the square of a measurement's error is their sum
    std::vector<UnknownPolynomial> positives;  ///< above 0 for every model
    /// Zero for every model: equations without parameters, such as that of a rotation.
    std::vector<UnknownPolynomial> constraints;

    /// Test of a system with the lines of MeasuredModel. Throws UserError where it has none, and
    /// for errors of too many terms.
    explicit ModelTest(const PolynomialSystem& system);
};

}  // namespace tl::minimal
