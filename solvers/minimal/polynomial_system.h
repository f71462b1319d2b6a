// A system of polynomial equations whose coefficients depend on parameters, and the text that
// states one. docs/algorithms/pose.md describes the language.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "solvers/minimal/coefficient.h"
#include "solvers/minimal/monomial.h"

namespace tl::minimal {

/// Monomials in falling order, none of whose coefficients is zero.
using Polynomial = std::map<Monomial, Sum, std::greater<>>;

/// Function called in the calling thread during long work, with the fraction done from 0 to 1. It
/// may throw Cancelled, which ends the work.
using ProgressPoll = std::function<void(double)>;

/// A parameter of the system: a matrix of rows x columns numbers, row by row.
struct Parameter {
    std::string name;
    int rows = 1, columns = 1;
    int first = 0;  ///< the number of its first element among all parameters
};

/// A linear combination of the unknowns: an integer for each.
using LinearForm = std::vector<int>;

/// "x", or "37*x - 2*y".
[[nodiscard]] std::string form_text(const LinearForm& form,
                                    const std::vector<std::string>& unknowns);

/// A test of models by a measurement: a polynomial in the unknowns and the measurement's columns,
/// which is zero where the measurement fits.
struct MeasurementError {
    Polynomial polynomial;
    /// Whether it is divided by the length of its gradient over the columns: the distance of the
    /// measurement to the model, to first order (Sampson 1982).
    bool is_distance = false;
};

/// Position of a parameter in a minimal sample: a column of one of its measurements.
struct SamplePosition {
    int measurement = 0, column = 0;
};

/// Lines of a system for RANSAC: measurements, their errors, and models to be left out. In the
/// pool, column k of a measurement is the factor `n_parameters + k`.
struct MeasuredModel {
    std::vector<std::string> columns;      ///< of a measurement; none: there are no such lines
    int sample_size = 0;                   ///< measurements of a minimal sample
    std::vector<SamplePosition> sample;    ///< of each parameter
    std::vector<MeasurementError> errors;  ///< their squares are summed
    std::vector<Polynomial> positives;     ///< in the unknowns; models have values above 0
};

struct PolynomialSystem {
    std::string name;    ///< "five-point"
    std::string source;  ///< the text it was read from, copied to the head of the generated solver
    std::vector<std::string> unknowns;
    std::vector<Parameter> parameters;
    int n_parameters = 0;  ///< numbers in all
    LinearForm action;     ///< the combination requested as the action variable; empty: any
    std::vector<Polynomial> equations;
    MeasuredModel measured;
    CoefficientPool pool;

    /// Coefficients of the equations modulo the prime, for the given parameters.
    [[nodiscard]] std::vector<std::map<Monomial, Residue, std::greater<>>> with(
        const std::vector<Residue>& parameter_values) const;
    /// Name of a parameter or column from factor `first` on and before `end` that a polynomial
    /// uses; "" for none.
    [[nodiscard]] std::string used_name(const Polynomial& polynomial, Factor first,
                                        Factor end) const;
};

/// Positions of the parameters in a minimal sample, and its size. Throws UserError, without a file,
/// where the parameters are no sample of the columns.
void find_sample(PolynomialSystem& system);

/// Reads a system; `file` is its name in messages. `action` replaces the action variable of the
/// text unless empty. Throws UserError "file:line: what; what to do".
[[nodiscard]] PolynomialSystem read_system(const std::string& text, const std::string& file,
                                           const std::string& action = "");

}  // namespace tl::minimal
