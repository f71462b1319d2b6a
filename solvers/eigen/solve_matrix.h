// All steps for one matrix, or for several in step, in the order of Cvrcek 2016, 6.5: Hessenberg
// form, eigenvalues, eigenvectors of the Hessenberg form, and those of the matrix.
#pragma once

#include "solvers/eigen/eigen_limits.h"
#include "solvers/eigen/francis.h"
#include "solvers/eigen/reduce.h"
#include "solvers/eigen/vectors.h"

TL_DEVICE_BEGIN

namespace eigen {

/// Memory for one matrix, or several in step: three of n x n (the third for complex vectors alone)
/// and kArrays of n.
template <class A>
struct Workspace {
    static constexpr int kArrays = 11;
    A h, w, u, scale, tau, order, re, im, x, x_im, y, y_im, z, z_im;

    /// Divides one array of elements(n, pairs) into parts; `part(offset)` is the part that begins
    /// there.
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
        s.order = take(n);
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

/// Results of the reduction that the other steps use.
template <class Team>
struct Progress {
    typename Team::Real exponent;  ///< the Hessenberg form is that of the matrix over 2^exponent
    typename Team::Real norm;
    typename Team::Mask valid, finite;
    typename Team::Mask uneven;  ///< balancing has changed the sizes of vectors' components much
    typename Team::Mask wide;    ///< was balanced as a wide matrix (wide_range.h)
};

/// The Hessenberg form in `s.h`, with its reflectors, and once more in `s.w` without them. Of wide
/// matrices `s.z` keeps the eigenvalues that permutations isolate.
template <bool kWide, class Team, class A>
TL_D Progress<Team> to_hessenberg(const Team& team, int n, const EigenLimits& limits,
                                  const Workspace<A>& s, typename Team::Mask valid) {
    using Real = typename Team::Real;
    Reduced<Team, A> m{s.h, s.w, s.scale, s.tau, s.order, s.z, Real(0), valid, valid};
    reduce<kWide>(team, n, limits.balance, m);
    Real norm = split(team, n, s.h, instead_of_zero<Team>(m.wide));
    for (int i = 0; i < n; ++i)
        for (int j = team.rank(); j < n; j += team.size())
            s.w[i * n + j] = i > j + 1 ? Real(0) : Real(s.h[i * n + j]);
    team.sync();
    Real least(0), most(0);
    for (int i = 0; i < n; ++i) {
        Real exponent = s.scale[i];
        least = select(exponent < least, exponent, least);
        most = select(exponent > most, exponent, most);
    }
    return {m.exponent, norm, valid, m.finite, most > least + Real(4), m.wide};
}

/// Writes the eigenvalues of the matrix itself into `s.x` and `s.y`: real and imaginary parts.
template <class Team, class A>
TL_D void finish_values(const Team& team, int n, const Workspace<A>& s,
                        const Progress<Team>& progress) {
    using Scalar = typename Team::Scalar;
    using Real = typename Team::Real;
    for (int i = team.rank(); i < n; i += team.size()) {
        Real re = times_power<Scalar>(Real(s.re[i]), progress.exponent);
        if (any_of(progress.wide)) {
            Real exact = s.z[i];
            re = select(progress.wide & progress.valid & (exact == exact), exact, re);
        }
        s.x[i] = re;
        s.y[i] = times_power<Scalar>(Real(s.im[i]), progress.exponent);
    }
    team.sync();
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
template <bool kWide, class Team, class A, class Sink>
TL_D void find_vectors(const Team& team, int n, EigenPairs pairs, const Workspace<A>& s,
                       const Progress<Team>& progress, Sink& sink) {
    using Real = typename Team::Real;
    using Index = typename Team::Index;
    if (pairs == EigenPairs::values) return;
    /// The number that pivots are compared with.
    auto norm_at = [&](Index position, Index end) {
        if constexpr (kWide) {
            if (team.any(progress.wide))
                return select(progress.wide, block_norm(team, n, s.h, position, end),
                              Real(progress.norm));
        }
        return Real(progress.norm);
    };
    auto unbalance = [&](const auto& y, const auto& x) {
        if constexpr (kWide) {
            if (team.any(progress.wide))
                return scale_back_wide(team, n, s.scale, s.order, y, x, progress.wide);
        }
        scale_back(team, n, s.scale, y);
    };
    Index at(-1);
    for (int column = 0; column < n; ++column) {
        at = next_position<Team>(n, s.im, at, false);
        auto want = progress.valid & (at < Index(n));
        if (!team.any(want)) break;
        Index position = select(want, at, Index(0));
        RealPlane<Real, A> x{s.x}, y{s.y};
        Index end = block_end<Team>(n, s.h, position);
        inverse_iteration<Team, A, RealPlane<Real, A>>(team, n, s.h, norm_at(position, end),
                                                       team.at(s.re, position), position, end, want,
                                                       progress.uneven, {s.w}, x, y, {s.z});
        reflect_back(team, n, s.h, s.tau, s.y);
        unbalance(y, x);
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
        ComplexPlane<Real, A> x{s.x, s.x_im}, y{s.y, s.y_im};
        Index end = block_end<Team>(n, s.h, position);
        inverse_iteration<Team, A, ComplexPlane<Real, A>>(
            team, n, s.h, norm_at(position, end),
            Complex<Real>(team.at(s.re, position), team.at(s.im, position)), position, end, want,
            progress.uneven, {s.w, s.u}, x, y, {s.z, s.z_im});
        reflect_back(team, n, s.h, s.tau, s.y);
        reflect_back(team, n, s.h, s.tau, s.y_im);
        unbalance(y, x);
        normalise<Team, A>(team, n, y);
        sink.vector(position, column, y, want);
    }
}

/// Runs all steps for the matrix in `s.h`. Calls sink.values(s, progress, francis), then the sink's
/// vector() for every vector. Without kWide kernels are shorter, but matrices may lose elements far
/// smaller than others. The sink then reads eigenvalues from s.re and s.im, divided by
/// 2^progress.exponent.
template <bool kWide, class Team, class A, class Sink>
TL_D void solve_matrix(const Team& team, int n, EigenPairs pairs, const EigenLimits& limits,
                       const Workspace<A>& s, typename Team::Mask valid, Sink& sink) {
    auto progress = to_hessenberg<kWide>(team, n, limits, s, valid);
    Francis<Team, A> francis;
    francis.begin(n, progress.valid & progress.finite, instead_of_zero<Team>(progress.wide));
    int limit = limits.sweeps * n;
    while (team.any(francis.active)) francis.step(team, n, s.w, s.re, s.im, limit);
    progress.valid = progress.valid & progress.finite & !francis.failed;
    blank_values(team, n, s, progress.valid);
    if constexpr (kWide) finish_values(team, n, s, progress);
    sink.values(s, progress, francis);
    find_vectors<kWide>(team, n, pairs, s, progress, sink);
}

}  // namespace eigen

TL_DEVICE_END
