// Minimal problems with an unknown focal length: two views from six points, and one view of four
// known points. Each call has one problem, or one in each lane of a pack. The polynomial systems
// are solved by generated solvers.
#pragma once

#include "solvers/minimal/p4pf.h"
#include "solvers/minimal/six_point_focal.h"
#include "solvers/minimal/template_solver.h"
#include "solvers/pose/minimal/null_space.h"

TL_DEVICE_BEGIN

namespace pose {

/// Limit of Newton steps for each solution; one or two give ten stable digits.
inline constexpr int kMostFocalSteps = 5;

/// Scratch memory of six-point problems.
template <class Real>
using FundamentalStorage =
    EpipolarStorage<6, minimal::TemplateStorage<minimal::SixPointFocal, Real>, Real>;

/// Turns coordinates in the basis into fundamental matrices with their focal length.
template <class Team, class Sink>
struct FundamentalSink {
    using Real = typename Team::Real;
    const Real* basis;
    Sink& sink;

    /// u: x, y, and the inverse square of the focal length.
    TL_D void solution(typename Team::Mask want, const Real* u) {
        Real model[10], squares(0.0);
        for (int j = 0; j < 9; ++j) {
            model[j] = u[0] * basis[j] + u[1] * basis[9 + j] + basis[18 + j];
            squares += model[j] * model[j];
        }
        auto real = (u[2] > Real(0.0)) & (squares < Real(1e300));
        Real factor = Real(1.0) / eigen::square_root(squares);
        for (int j = 0; j < 9; ++j) model[j] = model[j] * factor;
        model[9] = Real(1.0) / eigen::square_root(eigen::select(real, u[2], Real(1.0)));
        sink.model(want & real, model);
    }
};

/// Calls sink.model(want, m) for each pose of six pairs x1, y1, x2, y2 with one unknown focal
/// length f: m has the nine elements of F and f. kReflectors: as in cameras_of().
template <bool kReflectors = false, class Team, class Sink>
TL_D void fundamentals_of(const Team& team, const typename Team::Real* pairs,
                          typename Team::Mask valid,
                          FundamentalStorage<typename Team::Real>& storage, Sink& sink) {
    (void)find_basis(pairs, storage);
    FundamentalSink<Team, Sink> fundamentals{storage.basis, sink};
    minimal::solve<minimal::SixPointFocal, kReflectors>(team, storage.basis, valid, kMostFocalSteps,
                                                        storage.solver, fundamentals);
}

/// Scratch memory of four-point problems.
template <class Real>
struct CameraStorage {
    Real rows[4 * 8];
    Real basis[4 * 8];
    /// the system for the third rows: 4 x 4, and a right-hand side for each vector
    Real third[4 * 8];
    Real parameters[36];
    minimal::TemplateStorage<minimal::P4pf, Real> solver;
};

/// Turns coordinates in the basis into camera matrices K (R t), K = diag(f, f, 1), with f.
template <class Team, class Sink>
struct CameraSink {
    using Real = typename Team::Real;
    const CameraStorage<Real>& storage;
    Sink& sink;

    TL_D void solution(typename Team::Mask want, const Real* u) {
        Real rows[12];
        for (int j = 0; j < 12; ++j) {
            rows[j] = Real(0.0);
            for (int v = 0; v < 4; ++v) {
                const Real& element =
                    j < 8 ? storage.basis[8 * v + j] : storage.third[8 * (j - 8) + 4 + v];
                rows[j] += (v < 3 ? u[v] : Real(1.0)) * element;
            }
        }
        Real first = length(rows), third = length(rows + 8);
        // det(R) = 1 chooses the sign.
        Real determinant = rows[0] * (rows[5] * rows[10] - rows[6] * rows[9]) -
                           rows[1] * (rows[4] * rows[10] - rows[6] * rows[8]) +
                           rows[2] * (rows[4] * rows[9] - rows[5] * rows[8]);
        auto real = (third > Real(0.0)) & (first > Real(0.0)) & (first < Real(1e150));
        Real factor =
            eigen::with_sign(Real(1.0) / eigen::select(real, third, Real(1.0)), determinant);
        Real model[13];
        for (int j = 0; j < 12; ++j) model[j] = rows[j] * factor;
        model[12] = first * eigen::absolute(factor);
        sink.model(want & real, model);
    }

  private:
    TL_D static Real length(const Real* row) {
        return eigen::square_root(row[0] * row[0] + row[1] * row[1] + row[2] * row[2]);
    }
};

/// Solves the 4 x 4 systems of a matrix of 4 x 8, whose last four columns are right-hand sides,
/// with partial pivoting. False where the matrix is singular.
template <class Team>
TL_D typename Team::Mask solve_four(typename Team::Real* m) {
    using Real = typename Team::Real;
    using Index = typename Team::Index;
    auto regular = Real(0.0) == Real(0.0);
    auto all = regular;
    for (int k = 0; k < 4; ++k) {
        Real largest = eigen::absolute(m[8 * k + k]);
        Index pivot(k);
        for (int i = k + 1; i < 4; ++i) {
            Real magnitude = eigen::absolute(m[8 * i + k]);
            auto greater = magnitude > largest;
            largest = eigen::select(greater, magnitude, largest);
            pivot = eigen::select(greater, Index(i), pivot);
        }
        regular = regular & (largest > Real(1e-12));
        for (int j = k; j < 8; ++j) {
            Real other = Team::at(m, pivot * Index(8) + Index(j));
            Team::put(m, pivot * Index(8) + Index(j), m[8 * k + j], all);
            m[8 * k + j] = other;
        }
        Real inverse = Real(1.0) / eigen::select(regular, m[8 * k + k], Real(1.0));
        for (int j = k; j < 8; ++j) m[8 * k + j] = m[8 * k + j] * inverse;
        for (int i = 0; i < 4; ++i) {
            if (i == k) continue;
            Real factor = m[8 * i + k];
            for (int j = k; j < 8; ++j) m[8 * i + j] -= factor * m[8 * k + j];
        }
    }
    return regular;
}

/// Calls sink.model(want, m) for each pose with its focal length f that sees four points: matches
/// x, y, X, Y, Z; m has the twelve elements of diag(f, f, 1) (R t), row by row, each row of three
/// with its fourth, and f. Points of one plane have none here. kReflectors: the template is
/// eliminated by reflectors instead of pivots.
template <bool kReflectors = false, class Team, class Sink>
TL_D void cameras_of(const Team& team, const typename Team::Real* matches,
                     typename Team::Mask valid, CameraStorage<typename Team::Real>& storage,
                     Sink& sink) {
    using Real = typename Team::Real;
    // x (row 2 of the camera) = y (row 1), for each point (X, Y, Z, 1).
    for (int i = 0; i < 4; ++i) {
        const Real* m = matches + 5 * i;
        for (int j = 0; j < 4; ++j) {
            Real at = j < 3 ? m[2 + j] : Real(1.0);
            storage.rows[8 * i + j] = m[1] * at;
            storage.rows[8 * i + 4 + j] = -(m[0] * at);
            storage.third[8 * i + j] = at;
        }
    }
    (void)null_space<4, 8>(storage.rows, storage.basis);
    // (x row 1 + y row 2) = (x^2 + y^2) row 3 at the points gives the third row for each vector.
    for (int i = 0; i < 4; ++i) {
        const Real* m = matches + 5 * i;
        Real squares = m[0] * m[0] + m[1] * m[1];
        auto there = squares > Real(0.0);
        Real inverse = Real(1.0) / eigen::select(there, squares, Real(1.0));
        for (int v = 0; v < 4; ++v) {
            const Real* b = storage.basis + 8 * v;
            Real first = b[0] * m[2] + b[1] * m[3] + b[2] * m[4] + b[3];
            Real second = b[4] * m[2] + b[5] * m[3] + b[6] * m[4] + b[7];
            storage.third[8 * i + 4 + v] = (m[0] * first + m[1] * second) * inverse;
        }
        valid = valid & there;
    }
    valid = valid & solve_four<Team>(storage.third);
    for (int v = 0; v < 4; ++v)
        for (int j = 0; j < 3; ++j) {
            storage.parameters[3 * v + j] = storage.basis[8 * v + j];
            storage.parameters[12 + 3 * v + j] = storage.basis[8 * v + 4 + j];
            storage.parameters[24 + 3 * v + j] = storage.third[8 * j + 4 + v];
        }
    CameraSink<Team, Sink> cameras{storage, sink};
    minimal::solve<minimal::P4pf, kReflectors>(team, storage.parameters, valid, kMostFocalSteps,
                                               storage.solver, cameras);
}

}  // namespace pose

TL_DEVICE_END
