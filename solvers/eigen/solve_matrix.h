// All steps for one matrix, or for several in step, in the order of Cvrcek 2016, 6.5: Hessenberg
// form, eigenvalues, eigenvectors of the Hessenberg form, and those of the matrix.
#pragma once

#include "solvers/eigen/eigen.h"
#include "solvers/eigen/francis.h"
#include "solvers/eigen/reduce.h"
#include "solvers/eigen/vectors.h"

TL_DEVICE_BEGIN

namespace eigen {

/// Memory for one matrix, or several in step: three of n x n (the third for complex vectors alone)
/// and kArrays of n.
template <class A>
struct Workspace {
    static constexpr int kArrays = 10;
    A h, w, u, scale, tau, re, im, x, x_im, y, y_im, z, z_im;

    /// The parts of one array of elements(n, pairs); `part(offset)` is what begins there.
    template <class Part>
    static TL_D Workspace of(int n, EigenPairs pairs, const Part& part) {
        Workspace s;
        int next = 0;
        auto take = [&](int count) {
            int begin = next;
            next += count;
            return part(begin);
        };
        s.h = take(n * n);
        s.w = take(n * n);
        s.scale = take(n);
        s.tau = take(n);
        s.re = take(n);
        s.im = take(n);
        s.x = take(n);
        s.y = take(n);
        s.z = take(n);
        bool all = pairs == EigenPairs::all;
        s.x_im = all ? take(n) : s.x;
        s.y_im = all ? take(n) : s.y;
        s.z_im = all ? take(n) : s.z;
        s.u = all ? take(n * n) : s.w;
        return s;
    }
    static constexpr TL_HD int elements(int n, EigenPairs pairs) {
        return pairs == EigenPairs::all ? 3 * n * n + kArrays * n : 2 * n * n + (kArrays - 3) * n;
    }
};

/// What the reduction leaves for the other steps.
template <class Team>
struct Progress {
    typename Team::Real first_power, second_power, norm;
    typename Team::Mask valid, finite;
    typename Team::Mask uneven;  ///< balancing has changed the sizes of vectors' components much
};

/// The Hessenberg form in `s.h`, with its reflectors, and once more in `s.w` without them.
template <class Team, class A>
TL_D Progress<Team> to_hessenberg(const Team& team, int n, const EigenLimits& limits,
                                  const Workspace<A>& s, typename Team::Mask valid) {
    using Real = typename Team::Real;
    Reduced<Team, A> m{s.h, s.scale, s.tau, Real(1), Real(1), valid};
    reduce(team, n, limits.balance, m);
    Real norm = split(team, n, s.h);
    for (int i = 0; i < n; ++i)
        for (int j = team.rank(); j < n; j += team.size())
            s.w[i * n + j] = i > j + 1 ? Real(0) : Real(s.h[i * n + j]);
    team.sync();
    Real least(1), most(1);
    for (int i = 0; i < n; ++i) {
        Real factor = s.scale[i];
        least = select(factor < least, factor, least);
        most = select(factor > most, factor, most);
    }
    return {m.first_power, m.second_power, norm, valid, m.finite, most > Real(16) * least};
}

/// Fills the eigenvalues of matrices without any with NaN.
template <class Team, class A>
TL_D void blank_values(const Team& team, int n, const Workspace<A>& s, typename Team::Mask solved) {
    using Real = typename Team::Real;
    const Real nan(std::numeric_limits<typename Team::Scalar>::quiet_NaN());
    team.sync();
    for (int i = team.rank(); i < n; i += team.size()) {
        s.re[i] = select(solved, Real(s.re[i]), nan);
        s.im[i] = select(solved, Real(s.im[i]), nan);
    }
    team.sync();
}

/// Calls sink.vector(position, column, y, want) for every eigenvector. `column` counts the real
/// ones; a pair's vector has plane ComplexPlane, and its conjugate is left out.
template <class Team, class A, class Sink>
TL_D void find_vectors(const Team& team, int n, EigenPairs pairs, const Workspace<A>& s,
                       const Progress<Team>& progress, Sink& sink) {
    using Real = typename Team::Real;
    using Index = typename Team::Index;
    if (pairs == EigenPairs::values) return;
    Index at(-1);
    for (int column = 0; column < n; ++column) {
        at = next_position<Team>(n, s.im, at, false);
        auto want = progress.valid & (at < Index(n));
        if (!team.any(want)) break;
        Index position = select(want, at, Index(0));
        RealPlane<Real, A> y{s.y};
        inverse_iteration<Team, A, RealPlane<Real, A>>(
            team, n, s.h, progress.norm, team.at(s.re, position), position,
            block_end<Team>(n, s.h, position), want, progress.uneven, {s.w}, {s.x}, y, {s.z});
        transform_back(team, n, s.h, s.tau, s.scale, s.y);
        normalise<Team, A>(team, n, y);
        sink.vector(position, column, y, want);
    }
    if (pairs == EigenPairs::real) return;
    at = Index(-1);
    for (int column = 0; column < n; ++column) {
        at = next_position<Team>(n, s.im, at, true);
        auto want = progress.valid & (at < Index(n));
        if (!team.any(want)) break;
        Index position = select(want, at, Index(0));
        ComplexPlane<Real, A> y{s.y, s.y_im};
        inverse_iteration<Team, A, ComplexPlane<Real, A>>(
            team, n, s.h, progress.norm,
            Complex<Real>(team.at(s.re, position), team.at(s.im, position)), position,
            block_end<Team>(n, s.h, position), want, progress.uneven, {s.w, s.u}, {s.x, s.x_im}, y,
            {s.z, s.z_im});
        transform_back(team, n, s.h, s.tau, s.scale, s.y);
        transform_back(team, n, s.h, s.tau, s.scale, s.y_im);
        normalise<Team, A>(team, n, y);
        sink.vector(position, column, y, want);
    }
}

/// Everything. `s.h` holds the matrix. Calls sink.values(s, progress, francis), then the sink's
/// vector() for every vector.
template <class Team, class A, class Sink>
TL_D void solve_matrix(const Team& team, int n, EigenPairs pairs, const EigenLimits& limits,
                       const Workspace<A>& s, typename Team::Mask valid, Sink& sink) {
    auto progress = to_hessenberg(team, n, limits, s, valid);
    Francis<Team, A> francis;
    francis.begin(n, progress.valid & progress.finite);
    int limit = limits.sweeps * n;
    while (team.any(francis.active)) francis.step(team, n, s.w, s.re, s.im, limit);
    progress.valid = progress.valid & progress.finite & !francis.failed;
    blank_values(team, n, s, progress.valid);
    sink.values(s, progress, francis);
    find_vectors(team, n, pairs, s, progress, sink);
}

}  // namespace eigen

TL_DEVICE_END
