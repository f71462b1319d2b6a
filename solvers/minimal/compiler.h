// Compilation of generated solvers when the program runs, by the compilers of the system, into a
// cache.
#pragma once

#include <string>
#include <vector>

#include "solvers/minimal/polynomial_system.h"

namespace tl::minimal {

/// A source and the compiler's command for it.
struct Compilation {
    std::string text;                  ///< of the source
    const char* source_name;           ///< its file: "solver.cpp"
    std::vector<std::string> command;  ///< the compiler and its flags; "-o" and files are appended
    const char* advice;                ///< end of the message if the compiler fails
};

/// Words of a variable of the environment, such as CXX; none where it is not set.
[[nodiscard]] std::vector<std::string> words_of_variable(const char* variable);

/// Folder of compiled solvers: $XDG_CACHE_HOME/treelight/solvers, else ~/.cache/treelight/solvers.
/// It is made if need be, for its owner alone. Throws UserError if it cannot be, or if others may
/// write to it.
[[nodiscard]] std::string solver_cache();

/// Path in the cache of what is compiled for a system. It depends on the system, its action
/// variable and `form`: whatever else the source depends on.
[[nodiscard]] std::string cached_path(const PolynomialSystem& system, const std::string& form,
                                      const std::string& ending);

/// Compiles a source to the file `path`, in which nothing is seen before it is complete. Throws
/// UserError with the compiler's message, or how it ended. `poll` is called with the fraction 0; if
/// it throws, the compiler is ended first.
void compile_file(const Compilation& compilation, const std::string& path,
                  const ProgressPoll& poll);

}  // namespace tl::minimal
