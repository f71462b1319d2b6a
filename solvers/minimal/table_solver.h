// Real solutions of many instances of a polynomial system, by a generated solver that is compiled
// on first use.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "solvers/minimal/polynomial_system.h"
#include "solvers/minimal/shared_object.h"

namespace tl::minimal {

class TableSolver {
  public:
    /// Takes the solver from the cache, or generates and compiles it. Throws UserError as
    /// find_template() and compile_shared_object() do, and what `poll` throws.
    explicit TableSolver(const PolynomialSystem& system, const ProgressPoll& poll = {});

    [[nodiscard]] int n_parameters() const { return object_->functions().n_parameters; }
    [[nodiscard]] int n_unknowns() const { return object_->functions().n_unknowns; }
    /// Largest number of solutions of an instance.
    [[nodiscard]] int n_solutions() const { return object_->functions().n_solutions; }
    [[nodiscard]] std::string summary() const { return object_->functions().summary; }
    /// A warning about solutions that are multiple for all parameters; or "".
    [[nodiscard]] std::string multiple() const { return object_->functions().multiple; }
    /// Whether it has been compiled now.
    [[nodiscard]] bool is_new() const { return is_new_; }
    [[nodiscard]] const std::string& path() const { return path_; }
    /// Live as long as this object, at the same address.
    [[nodiscard]] const SolverFunctions& functions() const { return object_->functions(); }

    /// Solves instances of n_parameters() numbers each, on all threads of the CPU. `solutions` has
    /// n_solutions() times n_unknowns() numbers an instance: its real solutions in rising order of
    /// the unknowns, then NaN. `counts` has the number of solutions of each. Instances with numbers
    /// that are not finite, or for which the system is singular, have none. `poll` is called some
    /// times a second; if it throws, the results are undefined.
    void solve(std::span<const double> instances, std::span<double> solutions,
               std::span<int> counts, const ProgressPoll& poll = {}) const;

  private:
    std::string path_;
    bool is_new_ = false;
    std::optional<SharedObject> object_;
};

}  // namespace tl::minimal
