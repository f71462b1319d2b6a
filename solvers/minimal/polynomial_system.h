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

struct PolynomialSystem {
    std::string name;    ///< "five-point"
    std::string source;  ///< the text it was read from, copied to the head of the generated solver
    std::vector<std::string> unknowns;
    std::vector<Parameter> parameters;
    int n_parameters = 0;  ///< numbers in all
    LinearForm action;     ///< the combination requested as the action variable; empty: any
    std::vector<Polynomial> equations;
    CoefficientPool pool;

    /// Coefficients of the equations modulo the prime, for the given parameters.
    [[nodiscard]] std::vector<std::map<Monomial, Residue, std::greater<>>> with(
        const std::vector<Residue>& parameter_values) const;
};

/// Reads a system; `file` is its name in messages. `action` replaces the action variable of the
/// text unless empty. Throws UserError "file:line: what; what to do".
[[nodiscard]] PolynomialSystem read_system(const std::string& text, const std::string& file,
                                           const std::string& action = "");

}  // namespace tl::minimal
