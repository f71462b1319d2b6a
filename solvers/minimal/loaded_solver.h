// A solver from a shared object, as template_solver.h takes it, for four systems in the lanes of a
// pack.
#pragma once

#include "solvers/eigen/team.h"
#include "solvers/minimal/shared_object.h"
#include "solvers/minimal/template_solver.h"

TL_DEVICE_BEGIN

namespace minimal {

/// `step` has memory for a Newton step, of step_size() packs.
struct LoadedSolver {
    using Real = eigen::Pack<double>;
    static_assert(Real::kLanes == 4, "generated sources have packs of four");

    const tl::minimal::SolverFunctions* functions = nullptr;
    Real* step = nullptr;

    void coefficients(const Real* p, Real* c) const {
        functions->coefficients(numbers(p), numbers(c));
    }
    void fill(const Real* c, Real* m) const { functions->fill(numbers(c), numbers(m)); }
    void action(const Real* r, Real* a) const { functions->action(numbers(r), numbers(a)); }
    void unknowns(const Real* v, const Real* r, Real eigenvalue, Real* u) const {
        functions->unknowns(numbers(v), numbers(r), numbers(&eigenvalue), numbers(u));
    }
    void residuals(const Real* c, const Real* u, Real* f, Real* derivatives) const {
        functions->residuals(numbers(c), numbers(u), numbers(f), numbers(derivatives));
    }
    [[nodiscard]] int step_size() const {
        int n = functions->n_unknowns, m = functions->n_equations;
        return m + m * n + n * n + 2 * n;
    }

  private:
    static const double* numbers(const Real* packs) {
        return reinterpret_cast<const double*>(packs);
    }
    static double* numbers(Real* packs) { return reinterpret_cast<double*>(packs); }
};

template <>
struct SolverSizes<LoadedSolver> {
    explicit SolverSizes(const LoadedSolver& solver)
        : n_unknowns(solver.functions->n_unknowns),
          n_solutions(solver.functions->n_solutions),
          n_equations(solver.functions->n_equations),
          n_rows(solver.functions->n_rows),
          n_reducible(solver.functions->n_reducible),
          n_columns(solver.functions->n_columns) {}
    int n_unknowns, n_solutions, n_equations, n_rows, n_reducible, n_columns;
};

template <>
struct StepStorage<LoadedSolver, LoadedSolver::Real> {
    explicit StepStorage(const LoadedSolver& solver) {
        int n = solver.functions->n_unknowns, m = solver.functions->n_equations;
        residuals = solver.step + n;
        derivatives = residuals + m;
        normal = derivatives + m * n;
        right = normal + n * n;
    }
    LoadedSolver::Real *residuals, *derivatives, *normal, *right;
};

/// The point is the first part of the step's memory.
template <>
struct SolutionStorage<LoadedSolver, LoadedSolver::Real> {
    explicit SolutionStorage(const LoadedSolver& solver) : unknowns(solver.step) {}
    LoadedSolver::Real* unknowns;
};

/// Divides one array of size(solver) packs into parts.
template <>
struct TemplateStorage<LoadedSolver, LoadedSolver::Real> {
    using Real = LoadedSolver::Real;

    TemplateStorage(const LoadedSolver& solver, Real* memory) {
        auto& f = *solver.functions;
        auto take = [&](int count) { return memory += count, memory - count; };
        coefficients = take(f.n_coefficients);
        matrix = take(f.n_rows * f.n_columns);
        reduced = take(f.n_reducible * f.n_solutions);
        eigen = take(eigen::Workspace<Real*>::elements(f.n_solutions, EigenPairs::real));
        parted = take(f.n_solutions);
    }
    [[nodiscard]] static int size(const LoadedSolver& solver) {
        auto& f = *solver.functions;
        return f.n_coefficients + f.n_rows * f.n_columns + f.n_reducible * f.n_solutions +
               eigen::Workspace<Real*>::elements(f.n_solutions, EigenPairs::real) + f.n_solutions;
    }
    Real *coefficients, *matrix, *reduced, *eigen, *parted;
};

}  // namespace minimal

TL_DEVICE_END
