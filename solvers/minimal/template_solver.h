// Solves polynomial systems by their elimination templates, one system or one in each lane of a
// pack: coefficients, elimination, eigenvectors of the multiplication matrix, and Newton steps. The
// steps are written for a team (solvers/eigen/team.h): threads that share a system divide columns
// and each does the Newton steps for itself.
#pragma once

#include "solvers/eigen/solve_matrix.h"

TL_DEVICE_BEGIN

namespace minimal {

/// Sizes of a solver. Those of generated solvers are constants; LoadedSolver has its own.
template <class Solver>
struct SolverSizes {
    explicit TL_D SolverSizes(const Solver& /*solver*/) {}
    static constexpr int n_unknowns = Solver::kUnknowns;
    static constexpr int n_solutions = Solver::kSolutions;
    static constexpr int n_equations = Solver::kEquations;
    static constexpr int n_rows = Solver::kRows;
    static constexpr int n_reducible = Solver::kReducible;
    static constexpr int n_columns = Solver::kColumns;
};

/// Scratch memory of a Newton step, and a point of the unknowns.
template <class Solver, class Real>
struct StepStorage {
    explicit TL_D StepStorage(const Solver& /*solver*/) {}
    Real residuals[Solver::kEquations];
    Real derivatives[Solver::kEquations * Solver::kUnknowns];
    Real normal[Solver::kUnknowns * Solver::kUnknowns];
    Real right[Solver::kUnknowns];
};
template <class Solver, class Real>
struct SolutionStorage {
    explicit TL_D SolutionStorage(const Solver& /*solver*/) {}
    Real unknowns[Solver::kUnknowns];
};

/// Scratch memory of a system's solver.
template <class Solver, class Real>
struct TemplateStorage {
    static constexpr int kElements =
        eigen::Workspace<Real*>::elements(Solver::kSolutions, EigenPairs::real);
    Real coefficients[Solver::kCoefficients];
    Real matrix[Solver::kRows * Solver::kColumns];
    Real reduced[Solver::kReducible * Solver::kSolutions];
    Real eigen[kElements];
    Real parted[Solver::kSolutions];  ///< 1 where an eigenvalue is of a pair that was taken as real
};

/// Solves for the last `n_last` rows of a triangular system, where it is regular: `result` as in
/// eliminate(). The last monomials depend only on those and the basis.
template <class Team>
TL_D void solve_last_rows(const typename Team::Real* m, int rows, int columns, int n_last,
                          typename Team::Mask regular, typename Team::Real* result) {
    using Real = typename Team::Real;
    const int n_basis = columns - rows;
    for (int r = n_last - 1; r >= 0; --r) {
        int i = rows - n_last + r;
        Real inverse = Real(1.0) / eigen::select(regular, m[i * columns + i], Real(1.0));
        for (int j = Team::rank(); j < n_basis; j += Team::size()) {
            Real sum = -m[i * columns + rows + j];
            for (int k = r + 1; k < n_last; ++k)
                sum -= m[i * columns + rows - n_last + k] * result[k * n_basis + j];
            result[r * n_basis + j] = sum * inverse;
        }
    }
    Team::sync();
}

/// Gaussian elimination with partial pivoting of a matrix of rows x columns, whose first `rows`
/// columns become triangular; then the last `n_last` rows are solved for. `result` has n_last x
/// (columns - rows): the monomials of those rows as combinations of the last columns. False where
/// the matrix is singular.
template <class Team>
TL_D typename Team::Mask eliminate(typename Team::Real* m, int rows, int columns, int n_last,
                                   typename Team::Real* result) {
    using Real = typename Team::Real;
    using Index = typename Team::Index;
    auto regular = Real(0.0) == Real(0.0);
    for (int k = 0; k < rows; ++k) {
        Real largest = eigen::absolute(m[k * columns + k]);
        Index pivot(k);
        for (int i = k + 1; i < rows; ++i) {
            Real magnitude = eigen::absolute(m[i * columns + k]);
            auto greater = magnitude > largest;
            largest = eigen::select(greater, magnitude, largest);
            pivot = eigen::select(greater, Index(i), pivot);
        }
        regular = regular & (largest > Real(0.0));
        if (Team::any(!(pivot == Index(k)))) {
            auto all = regular | !regular;
            for (int j = k + Team::rank(); j < columns; j += Team::size()) {
                Real other = Team::at(m, pivot * Index(columns) + Index(j));
                Team::put(m, pivot * Index(columns) + Index(j), m[k * columns + j], all);
                m[k * columns + j] = other;
            }
        }
        Team::sync();
        Real inverse = Real(1.0) / eigen::select(regular, m[k * columns + k], Real(1.0));
        for (int i = k + 1; i < rows; ++i) {
            Real factor = m[i * columns + k] * inverse;
            if (!Team::any(!(factor == Real(0.0)))) continue;
            for (int j = k + 1 + Team::rank(); j < columns; j += Team::size())
                m[i * columns + j] -= factor * m[k * columns + j];
        }
        Team::sync();
    }
    solve_last_rows<Team>(m, rows, columns, n_last, regular, result);
    return regular;
}

/// The same by Householder's reflectors instead of pivots (QR factorisation): twice the arithmetic,
/// but no rows to be exchanged, which differ from lane to lane. For teams of one thread.
template <class Team>
TL_D typename Team::Mask eliminate_by_reflectors(typename Team::Real* m, int rows, int columns,
                                                 int n_last, typename Team::Real* result) {
    using Real = typename Team::Real;
    auto regular = Real(0.0) == Real(0.0);
    for (int k = 0; k < rows; ++k) {
        Real squares(0.0);
        for (int i = k; i < rows; ++i) squares += m[i * columns + k] * m[i * columns + k];
        regular = regular & (squares > Real(0.0));
        Real alpha = eigen::with_sign(eigen::square_root(squares), m[k * columns + k]);
        // v = column + alpha e_k, and 2 / v'v = 1 / (alpha v_k).
        m[k * columns + k] += alpha;
        Real factor = Real(1.0) / eigen::select(regular, alpha * m[k * columns + k], Real(1.0));
        for (int j = k + 1; j < columns; ++j) {
            Real dot(0.0);
            for (int i = k; i < rows; ++i) dot += m[i * columns + k] * m[i * columns + j];
            dot = dot * factor;
            for (int i = k; i < rows; ++i) m[i * columns + j] -= dot * m[i * columns + k];
        }
        m[k * columns + k] = -alpha;
    }
    solve_last_rows<Team>(m, rows, columns, n_last, regular, result);
    return regular;
}

/// Fills storage.coefficients and storage.reduced for parameters p: the system, and the rows of its
/// multiplication matrix. False where the template is singular.
template <bool kReflectors, class Team, class Solver>
TL_D typename Team::Mask action_rows(const Solver& solver, const typename Team::Real* p,
                                     TemplateStorage<Solver, typename Team::Real>& storage) {
    using Real = typename Team::Real;
    const SolverSizes<Solver> sizes(solver);
    for (int i = Team::rank(); i < sizes.n_rows * sizes.n_columns; i += Team::size())
        storage.matrix[i] = Real(0.0);
    Team::sync();
    if (Team::rank() == 0) {
        solver.coefficients(p, &storage.coefficients[0]);
        solver.fill(&storage.coefficients[0], &storage.matrix[0]);
    }
    Team::sync();
    if constexpr (kReflectors)
        return eliminate_by_reflectors<Team>(&storage.matrix[0], sizes.n_rows, sizes.n_columns,
                                             sizes.n_reducible, &storage.reduced[0]);
    else
        return eliminate<Team>(&storage.matrix[0], sizes.n_rows, sizes.n_columns, sizes.n_reducible,
                               &storage.reduced[0]);
}

/// A Gauss-Newton step from u towards the nearest solution, where it exists. Returns whether the
/// iteration has converged.
template <class Solver, class Real>
TL_D auto improve(const Solver& solver, const Real* coefficients, Real* u) {
    const SolverSizes<Solver> sizes(solver);
    const int n = sizes.n_unknowns;
    StepStorage<Solver, Real> storage(solver);
    auto& f = storage.residuals;
    auto& derivatives = storage.derivatives;
    solver.residuals(coefficients, u, &f[0], &derivatives[0]);
    // Cholesky's factors of the normal equations.
    auto& a = storage.normal;
    auto& b = storage.right;
    for (int i = 0; i < n; ++i) {
        b[i] = Real(0.0);
        for (int e = 0; e < sizes.n_equations; ++e) b[i] += derivatives[e * n + i] * f[e];
        for (int j = 0; j <= i; ++j) {
            Real sum(0.0);
            for (int e = 0; e < sizes.n_equations; ++e)
                sum += derivatives[e * n + i] * derivatives[e * n + j];
            a[i * n + j] = sum;
        }
    }
    auto regular = Real(0.0) == Real(0.0);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j <= i; ++j) {
            for (int k = 0; k < j; ++k) a[i * n + j] -= a[i * n + k] * a[j * n + k];
            if (j < i) {
                a[i * n + j] = a[i * n + j] * a[j * n + j];
                continue;
            }
            regular = regular & (a[i * n + i] > Real(0.0));
            // The diagonal holds inverses.
            a[i * n + i] =
                Real(1.0) / eigen::square_root(eigen::select(regular, a[i * n + i], Real(1.0)));
        }
    }
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < i; ++k) b[i] -= a[i * n + k] * b[k];
        b[i] = b[i] * a[i * n + i];
    }
    for (int i = n - 1; i >= 0; --i) {
        for (int k = i + 1; k < n; ++k) b[i] -= a[k * n + i] * b[k];
        b[i] = b[i] * a[i * n + i];
    }
    Real step(0.0), size(1.0);
    for (int i = 0; i < n; ++i) {
        step += b[i] * b[i];
        size += u[i] * u[i];
        u[i] = eigen::select(regular, u[i] - b[i], u[i]);
    }
    // Convergence is quadratic: if ten digits stay, all do.
    return (!regular) | (step < Real(1e-20) * size);
}

/// Turns an eigenvector y of the multiplication matrix into the unknowns u, improved by up to
/// `most_steps` Newton steps, in the lanes `want`; lanes whose y is no solution leave it. Returns
/// where the steps have converged. y is scaled so that the monomial 1 is 1.
template <class Team, class Solver>
TL_D typename Team::Mask solution_of(const Solver& solver,
                                     TemplateStorage<Solver, typename Team::Real>& storage,
                                     typename Team::Real eigenvalue, typename Team::Real* y,
                                     int most_steps, typename Team::Mask& want,
                                     typename Team::Real* u) {
    using Real = typename Team::Real;
    const SolverSizes<Solver> sizes(solver);
    const int n = sizes.n_solutions;
    Real one = y[n - 1];
    want = want & !(one == Real(0.0));
    Real inverse = Real(1.0) / eigen::select(want, one, Real(1.0));
    Team::sync();
    for (int i = Team::rank(); i < n; i += Team::size()) y[i] = y[i] * inverse;
    Team::sync();
    solver.unknowns(y, &storage.reduced[0], eigenvalue, u);
    Team::sync();
    auto converged = Real(0.0) > Real(0.0);
    for (int i = 0; i < most_steps && Team::any(want & !converged); ++i)
        converged = improve(solver, &storage.coefficients[0], u);
    return converged;
}

/// Largest ratio of imaginary to real part of eigenvalues that are near the real axis.
inline constexpr double kNearRealAxis = 1e-3;

/// Receives eigenvectors as solutions. Rounding can turn two real solutions that nearly coincide
/// into a complex pair. So pairs near the real axis count as two real eigenvalues, whose vectors
/// are solutions if Newton's steps converge.
template <class Solver, class Team, class Sink>
struct SolutionSink {
    using Real = typename Team::Real;
    using Mask = typename Team::Mask;
    const Team& team;
    const Solver& solver;
    TemplateStorage<Solver, Real>& storage;
    int most_steps;
    Sink& sink;
    const Real* eigenvalues = nullptr;
    Real power{};

    template <class Progress, class Francis>
    TL_D void values(const eigen::Workspace<Real*>& s, const Progress& progress, const Francis&) {
        eigenvalues = s.re;
        const SolverSizes<Solver> sizes(solver);
        for (int i = Team::rank(); i < sizes.n_solutions; i += Team::size()) {
            Real re = s.re[i], im = s.im[i];
            auto near = (!(im == Real(0.0))) &
                        (eigen::absolute(im) < Real(kNearRealAxis) * eigen::absolute(re));
            storage.parted[i] = eigen::select(near, Real(1.0), Real(0.0));
            s.re[i] = eigen::select(near, re + im, re);
            s.im[i] = eigen::select(near, Real(0.0), im);
        }
        Team::sync();
        power = eigen::times_power<typename Team::Scalar>(Real(1), progress.exponent);
    }
    TL_D void vector(typename Team::Index position, int /*column*/,
                     const eigen::RealPlane<Real, Real*>& y, Mask want) {
        SolutionStorage<Solver, Real> solution(solver);
        Real* u = &solution.unknowns[0];
        auto converged = solution_of<Team>(solver, storage, Team::at(eigenvalues, position) * power,
                                           y.re, most_steps, want, u);
        Real parted = Team::at(storage.parted, position);
        sink.solution(want & (converged | (parted == Real(0.0))), u);
    }
    /// Never called: only vectors of real eigenvalues are requested.
    TL_D void vector(typename Team::Index, int, const eigen::ComplexPlane<Real, Real*>&, Mask) {}
};

/// Solves systems with parameters p (one number a lane each). Calls sink.solution(want, u) for each
/// real solution, u: kUnknowns numbers, `want`: in which lanes. Newton's steps improve each, up to
/// `most_steps`. A system that is singular, or has a parameter that is not finite, has no
/// solutions. kReflectors: the template is eliminated by reflectors instead of pivots.
template <class Solver, bool kReflectors = false, class Team, class Sink>
TL_D void solve(const Team& team, const typename Team::Real* p, typename Team::Mask valid,
                int most_steps, TemplateStorage<Solver, typename Team::Real>& storage, Sink& sink,
                const Solver& solver = {}) {
    using Real = typename Team::Real;
    const SolverSizes<Solver> sizes(solver);
    const int n = sizes.n_solutions;
    auto regular = action_rows<kReflectors, Team>(solver, p, storage);
    auto s = eigen::Workspace<Real*>::of(n, EigenPairs::real,
                                         [&](int offset) { return &storage.eigen[offset]; });
    if (Team::rank() == 0) solver.action(&storage.reduced[0], s.h);
    Team::sync();
    SolutionSink<Solver, Team, Sink> solutions{team, solver, storage, most_steps, sink};
    eigen::solve_matrix<false, Team, Real*>(team, n, EigenPairs::real, EigenLimits{}, s,
                                            valid & regular, solutions);
}

}  // namespace minimal

TL_DEVICE_END
