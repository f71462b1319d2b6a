// Real roots of polynomials by Sturm's theorem, for one polynomial or one in each lane of a pack.
// The sign changes of Sturm's chain at two positions differ by the number of roots between them.
// Bisection isolates each root, and Newton steps within its bracket follow.
#pragma once

#include "solvers/eigen/lane_math.h"

TL_DEVICE_BEGIN

namespace pose {

/// Sturm's chain p_0, p_1, ... of a polynomial of degree kDegree and its derivative, each scaled by
/// a positive factor: scales_k p_k+2 = (slopes_k x + offsets_k) p_k+1 - p_k.
template <int kDegree, class Real>
class SturmChain {
  public:
    /// `c`: the coefficients from the constant on.
    TL_D explicit SturmChain(const Real* c) {
        Real derivative[kDegree], a[kDegree + 1], b[kDegree];
        for (int i = 0; i < kDegree; ++i) derivative[i] = Real(i + 1.0) * c[i + 1];
        (void)scaled<kDegree>(c, a);
        (void)scaled<kDegree - 1>(derivative, b);
        divide<kDegree>(a, b, Real(kRounding), Real(kRounding));
    }

    /// Number of sign changes of the chain at x. For a < b it is larger at a, by the number of
    /// roots between them.
    [[nodiscard]] TL_D Real changes(Real x) const {
        // Starts with the constant at the chain's end.
        Real upper = last_, own = (slopes_[kDegree - 1] * x + offsets_[kDegree - 1]) * last_;
        Real n = change(upper, own);
        for (int k = kDegree - 2; k >= 0; --k) {
            Real next = (slopes_[k] * x + offsets_[k]) * own - scales_[k] * upper;
            n += change(own, next);
            upper = own;
            own = next;
        }
        return n;
    }
    /// An estimate of the relative error of the chain's end, from rounding in all divisions. Where
    /// two roots nearly fall together, real or not, the end is near 0, and its sign is doubtful.
    [[nodiscard]] TL_D Real error() const { return error_; }

  private:
    TL_D static Real change(Real a, Real b) {
        return eigen::select(a * b < Real(0.0), Real(1.0), Real(0.0));
    }
    /// Divides by the largest magnitude of a coefficient, which is returned.
    template <int kOwn>
    TL_D static Real scaled(const Real* c, Real* result) {
        Real largest(1e-300);
        for (int i = 0; i <= kOwn; ++i) {
            Real magnitude = eigen::absolute(c[i]);
            largest = eigen::select(magnitude > largest, magnitude, largest);
        }
        Real inverse = Real(1.0) / largest;
        for (int i = 0; i <= kOwn; ++i) result[i] = c[i] * inverse;
        return largest;
    }
    /// Divides a, of degree kOwn, by b with the remainder -r: a = (slope x + offset) b - r. The
    /// largest coefficients of both are 1; their errors are a_error and b_error.
    template <int kOwn>
    TL_D void divide(const Real* a, const Real* b, Real a_error, Real b_error) {
        constexpr int k = kDegree - kOwn;
        auto there = eigen::absolute(b[kOwn - 1]) > Real(1e-280);
        Real lead = Real(1.0) / eigen::select(there, b[kOwn - 1], Real(1e-280));
        slopes_[k] = a[kOwn] * lead;
        if constexpr (kOwn == 1) {
            offsets_[k] = a[0] * lead;
            last_ = b[0];
            error_ = b_error;
        } else {
            offsets_[k] = (a[kOwn - 1] - slopes_[k] * b[kOwn - 2]) * lead;
            Real r[kOwn - 1], next[kOwn - 1];
            r[0] = offsets_[k] * b[0] - a[0];
            for (int i = 1; i < kOwn - 1; ++i)
                r[i] = offsets_[k] * b[i] + slopes_[k] * b[i - 1] - a[i];
            scales_[k] = scaled<kOwn - 2>(r, next);
            Real factor = eigen::absolute(slopes_[k]) + eigen::absolute(offsets_[k]);
            Real error = (factor * (b_error + Real(kRounding)) + a_error) / scales_[k];
            divide<kOwn - 1>(b, next, b_error, error);
        }
    }

    static constexpr double kRounding = 2.2e-16;
    Real slopes_[kDegree], offsets_[kDegree], scales_[kDegree];
    Real last_, error_;
};

/// Largest magnitude of the roots that are found, and a magnitude beyond which roots are very rare.
inline constexpr double kLargestRoot = 1e6, kFarthestRoot = 1e12;
/// Number of real roots of magnitude below `most`.
template <int kDegree, class Real>
TL_D Real n_roots(const SturmChain<kDegree, Real>& chain, double most) {
    return chain.changes(Real(-most)) - chain.changes(Real(most));
}
template <int kDegree, class Real>
TL_D Real value(const Real* c, Real x) {
    Real f = c[kDegree];
    for (int j = kDegree - 1; j >= 0; --j) f = f * x + c[j];
    return f;
}
/// Calls found(there, x) for every real root of magnitude below kLargestRoot of the polynomial
/// whose Sturm chain this is, the smallest first, as often as a lane has one.
template <class Team, int kDegree, class Found>
TL_D void find_roots(const typename Team::Real* c,
                     const SturmChain<kDegree, typename Team::Real>& chain,
                     typename Team::Mask valid, const Found& found) {
    using Real = typename Team::Real;
    // Bisects t of x = t / (1 - |t|), which maps all x to t from -1 to 1.
    auto place = [](Real t) { return t / (Real(1.0) - eigen::absolute(t)); };
    const Real largest(kLargestRoot / (1 + kLargestRoot));
    const Real all = chain.changes(Real(-kLargestRoot)),
               count = eigen::select(valid, n_roots(chain, kLargestRoot), Real(0.0));
    Real from = -largest;
    for (int k = 0; Team::any(Real(k) < count); ++k) {
        auto there = Real(k) < count;
        Real low = from, high = largest, n_low(k), n_high = count;
        constexpr int kMostBisections = 60;
        for (int i = 0; i < kMostBisections; ++i) {
            auto apart = (n_high == Real(k + 1.0)) & (n_low == Real(k));
            // Newton's steps do better in short intervals.
            if (!Team::any(there & !(apart & (high - low < Real(0.0625))))) break;
            Real middle = (low + high) * Real(0.5), n = all - chain.changes(place(middle));
            auto below = n > Real(k);
            high = eigen::select(below, middle, high);
            n_high = eigen::select(below, n, n_high);
            low = eigen::select(below, low, middle);
            n_low = eigen::select(below, n_low, n);
        }
        from = high;
        // Newton steps; a step that would leave the bracket is replaced by its middle.
        Real a = place(low), b = place(high), x = place((low + high) * Real(0.5));
        Real sign = value<kDegree>(c, a);
        constexpr int kMostSteps = 30;
        for (int i = 0; i < kMostSteps; ++i) {
            Real f = c[kDegree], slope(0.0);
            for (int j = kDegree - 1; j >= 0; --j) {
                slope = slope * x + f;
                f = f * x + c[j];
            }
            auto left = f * sign > Real(0.0);  // the root is right of x
            a = eigen::select(left, x, a);
            b = eigen::select(left, b, x);
            Real next = x - f / slope;
            auto inside = (next > a) & (next < b);
            Real step = eigen::select(inside, next, (a + b) * Real(0.5)) - x;
            x += step;
            if (!Team::any(there &
                           (eigen::absolute(step) > Real(1e-9) * (Real(1.0) + eigen::absolute(x)))))
                break;
        }
        found(there, x);
    }
}

}  // namespace pose

TL_DEVICE_END
