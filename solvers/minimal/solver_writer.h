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

/// The same functions as a source of their own, for a shared object (shared_object.h).
[[nodiscard]] std::string source_text(const PolynomialSystem& system,
                                      const EliminationTemplate& found);
/// The struct and a kernel named kKernelName, with a warp or a thread for each instance, to follow
/// the headers of the source of a kernel (solver_kernel.h).
[[nodiscard]] std::string kernel_text(const PolynomialSystem& system,
                                      const EliminationTemplate& found, bool by_warps);
inline constexpr const char* kKernelName = "treelight_solve";

/// Number of the text's form, part of the name of compiled solvers: raised with every change of
/// what is written for the same system.
inline constexpr int kSourceVersion = 1;
/// The same of what kernel_text() adds for a kernel.
inline constexpr int kKernelVersion = 1;

/// Size of the template, basis and number of solutions, a few lines for people.
[[nodiscard]] std::string template_summary(const PolynomialSystem& system,
                                           const EliminationTemplate& found);

/// A warning where solutions are multiple for all parameters; "" where none is.
[[nodiscard]] std::string multiplicity_warning(const EliminationTemplate& found);

}  // namespace tl::minimal
