#include "solvers/sparse/krylov.h"

#include <algorithm>
#include <cmath>

namespace tl {
namespace {

constexpr int kVectorsOfCg = 4, kVectorsOfBicgstab = 7;
constexpr int kMostBreakdowns = 50;  ///< BiCGSTAB restarts after each but the last

/// A method with its vectors.
template <class T>
class KrylovIteration {
  public:
    KrylovIteration(Stream& stream, KrylovMethod method, const KrylovSystem<T>& system, View<T> x)
        : stream_(stream),
          system_(system),
          x_(x),
          method_(method),
          n_(static_cast<std::size_t>(system.a.rows())),
          memory_(stream, n_ * (method == KrylovMethod::cg ? kVectorsOfCg : kVectorsOfBicgstab)),
          partial_(stream, kKrylovSums * (n_ / kKrylovRows + 1)),
          scalars_(stream, 1) {}

    /// The squared norm of b.
    double right_square() { return square_of(system_.b.data); }

    /// Iterates from x until an outcome. `limit`: of the squared residual.
    KrylovScalars run(double limit, int most, double from, SolverRun& run) {
        compute_residual();
        KrylovScalars s;
        s.limit = limit;
        s.most = most;
        start(s);
        if (method_ == KrylovMethod::bicgstab) start_bicgstab();
        int unread = 0;
        do {
            // A GPU gets several iterations at a time, so that it need not wait for the host.
            int n = stream_.device().kind() == DeviceKind::cpu ? 1 : std::min(8, 1 + unread++);
            for (int k = 0; k < n; ++k)
                method_ == KrylovMethod::cg ? iterate_cg() : iterate_bicgstab();
            s = read();
            double whole = std::log(from / std::max(limit, 1e-300));
            double done = std::log(from / std::max(s.rr, limit + 1e-300));
            run.report(whole > 0 ? std::clamp(done / whole, 0.0, 1.0) : 1.0);
        } while (s.outcome == KrylovOutcome::running);
        return s;
    }
    /// The squared norm of b - A x.
    double residual_square() {
        compute_residual();
        return square_of(vector(0));
    }

  private:
    T* vector(int k) { return memory_.data() + static_cast<std::size_t>(k) * n_; }
    View<T> view(int k) { return {vector(k), n_}; }
    KrylovRun on_device() {
        return {stream_, scalars_.data(), partial_.data(), static_cast<int>(n_)};
    }
    /// Sets the scalars, and the norm of the residual.
    void start(const KrylovScalars& s) {
        stream_.device().upload(stream_, scalars_.data(), &s, sizeof s);
        TL_DISPATCH(stream_.device(), measure_residual<T>(on_device(), vector(0)));
    }
    KrylovScalars read() {
        KrylovScalars s;
        stream_.device().download(stream_, &s, scalars_.data(), sizeof s);
        return s;
    }
    double square_of(const T* vector) {
        KrylovScalars s;
        s.limit = -1;
        s.most = 1;
        stream_.device().upload(stream_, scalars_.data(), &s, sizeof s);
        TL_DISPATCH(stream_.device(), measure_residual<T>(on_device(), vector));
        return read().rr;
    }
    void compute_residual() { system_.a.multiply(stream_, {T(-1), x_, T(1), system_.b}, view(0)); }
    void multiply(const T* x, T* y) {
        system_.a.multiply(stream_, {T(1), {x, n_}, T(0), {}}, {y, n_});
    }
    /// M of a vector in `to`; the vector itself without a preconditioner.
    const T* precondition(const T* from, T* to) {
        if (!system_.preconditioner) return from;
        system_.preconditioner->apply(stream_, {from, n_}, {to, n_});
        return to;
    }

    void iterate_cg() {
        CgVectors<T> v{x_.data, vector(0), vector(1), vector(2), nullptr};
        v.z = precondition(v.r, vector(3));
        TL_DISPATCH(stream_.device(), cg_direction<T>(on_device(), v));
        multiply(v.p, v.q);
        TL_DISPATCH(stream_.device(), cg_step<T>(on_device(), v));
    }
    BicgstabVectors<T> bicgstab_vectors() {
        return {x_.data, vector(0), vector(1), vector(2), vector(3), vector(4), nullptr, nullptr};
    }
    void start_bicgstab() {
        TL_DISPATCH(stream_.device(), bicgstab_start<T>(on_device(), bicgstab_vectors()));
    }
    void iterate_bicgstab() {
        auto v = bicgstab_vectors();
        v.p_hat = precondition(v.p, vector(5));
        multiply(v.p_hat, v.v);
        TL_DISPATCH(stream_.device(), bicgstab_half<T>(on_device(), v));
        v.s_hat = precondition(v.r, vector(6));
        multiply(v.s_hat, v.t);
        TL_DISPATCH(stream_.device(), bicgstab_step<T>(on_device(), v));
    }

    Stream& stream_;
    const KrylovSystem<T>& system_;
    View<T> x_;
    KrylovMethod method_;
    std::size_t n_;
    DeviceArray<T> memory_;
    DeviceArray<double> partial_;
    DeviceArray<KrylovScalars> scalars_;
};

}  // namespace

std::uint64_t krylov_bytes(KrylovMethod method, int n, std::size_t size) {
    int vectors = method == KrylovMethod::cg ? kVectorsOfCg : kVectorsOfBicgstab;
    return static_cast<std::uint64_t>(n) * static_cast<std::uint64_t>(vectors + 2) * size;
}

template <class T>
KrylovResult iterate_krylov(Stream& stream, KrylovMethod method, const KrylovSystem<T>& system,
                            const KrylovLimits& limits, View<T> x, SolverRun& run) {
    KrylovIteration<T> iteration(stream, method, system, x);
    KrylovResult result;
    double limit = limits.tolerance * limits.tolerance * iteration.right_square();
    double first = iteration.residual_square(), before = first;
    if (!std::isfinite(limit) || !std::isfinite(first)) {
        result.outcome = KrylovOutcome::not_finite;
        return result;
    }
    if (first <= limit) result.outcome = KrylovOutcome::converged;
    int n_breakdowns = 0;
    while (result.outcome == KrylovOutcome::running) {
        auto end = iteration.run(limit, limits.most_iterations - result.iterations, first, run);
        result.iterations += end.iterations;
        result.curvature = end.curvature;
        result.outcome = end.outcome;
        bool has_broken = end.outcome == KrylovOutcome::breakdown;
        if (end.outcome != KrylovOutcome::converged && !has_broken) break;
        double now = iteration.residual_square();
        bool again =
            has_broken ? std::isfinite(now) && ++n_breakdowns <= kMostBreakdowns : now < before / 4;
        if (now <= limit)
            result.outcome = KrylovOutcome::converged;
        else if (again && result.iterations < limits.most_iterations)
            result.outcome = KrylovOutcome::running;
        else
            result.stagnated = !has_broken;
        before = now;
    }
    if (result.outcome == KrylovOutcome::converged) run.report(1);
    return result;
}

template KrylovResult iterate_krylov(Stream&, KrylovMethod, const KrylovSystem<float>&,
                                     const KrylovLimits&, View<float>, SolverRun&);
template KrylovResult iterate_krylov(Stream&, KrylovMethod, const KrylovSystem<double>&,
                                     const KrylovLimits&, View<double>, SolverRun&);

}  // namespace tl
