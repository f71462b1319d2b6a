// Generated solvers as shared objects: compiled once by the system's compiler, and kept in a cache.
#pragma once

#include <memory>
#include <string>

#include "solvers/minimal/polynomial_system.h"

namespace tl::minimal {

/// Functions of a generated solver, for packs of four doubles. Arrays are as in the generated
/// header, with four numbers per element.
struct SolverFunctions {
    int n_parameters = 0, n_unknowns = 0, n_solutions = 0, n_equations = 0, n_coefficients = 0,
        n_rows = 0, n_reducible = 0, n_columns = 0;
    void (*coefficients)(const double* p, double* c) = nullptr;
    void (*fill)(const double* c, double* m) = nullptr;
    void (*action)(const double* r, double* a) = nullptr;
    void (*unknowns)(const double* v, const double* r, const double* eigenvalue,
                     double* u) = nullptr;
    void (*residuals)(const double* c, const double* u, double* f, double* derivatives) = nullptr;
    const char* summary = nullptr;   ///< template_summary()
    const char* multiple = nullptr;  ///< multiplicity_warning()
};

/// A loaded shared object. The functions live as long as it does.
class SharedObject {
  public:
    /// Throws UserError if the file cannot be loaded, or is no solver.
    explicit SharedObject(const std::string& path);
    [[nodiscard]] const SolverFunctions& functions() const { return functions_; }

  private:
    struct Closer {
        void operator()(void* handle) const;
    };
    [[nodiscard]] void* symbol(const char* name) const;

    std::string path_;
    std::unique_ptr<void, Closer> handle_;
    SolverFunctions functions_;
};

/// Compiles C++ into a shared object, by $CXX, else c++; $CXX may have words before the compiler,
/// as in "ccache g++", and arguments after it. Throws UserError with the compiler's message, or how
/// it ended. `poll` is called with the fraction 0; if it throws, the compiler is ended first.
void compile_shared_object(const std::string& text, const std::string& path,
                           const ProgressPoll& poll = {});

}  // namespace tl::minimal
