// Writes solvers of polynomial systems as C++ for both devices.
#pragma once

#include <string>

#include "solvers/minimal/elimination_template.h"

namespace tl::minimal {

/// "FivePoint" of "five-point".
[[nodiscard]] std::string solver_name(const PolynomialSystem& system);

/// A header with a struct of that name, as template_solver.h takes it.
[[nodiscard]] std::string solver_text(const PolynomialSystem& system,
                                      const EliminationTemplate& found);

/// Size of the template, basis and number of solutions, a few lines for people.
[[nodiscard]] std::string template_summary(const PolynomialSystem& system,
                                           const EliminationTemplate& found);

/// A warning where solutions are multiple for all parameters; "" where none is.
[[nodiscard]] std::string multiplicity_warning(const EliminationTemplate& found);

}  // namespace tl::minimal
