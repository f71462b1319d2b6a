// Isolates the roots in [0, 1] of a polynomial of degree 18 (Lane & Riesenfeld 1981, "Bounds on a
// polynomial"). Its Bernstein coefficients change sign at least as often as it has roots. An
// interval without a sign change is dropped. An interval with one change has one root, which
// Newton's method with bracketing finds. Any other interval is bisected, down to a width of 2^-30;
// what is left there counts as one root, as for the double root at a silhouette.
#pragma once

#include "accel/patch/resultant.h"

TL_DEVICE_BEGIN

/// Bernstein coefficients, converted from those of the powers of v / (1 - v): coefficient k, from
/// the lowest, divided by the binomial coefficient (18, k).
struct BernsteinForm {
    double at[kResultantDegree + 1];

    TL_HD explicit BernsteinForm(const Resultant& scaled) {
        double binomial = 1;
        TL_UNROLL for (int k = 0; k <= kResultantDegree; ++k) {
            at[k] = scaled.at[kResultantDegree - k] / binomial;
            binomial = binomial * (kResultantDegree - k) / (k + 1);
        }
    }
    /// Restricts the polynomial to the part of its interval below t.
    TL_HD void keep_below(double t) {
        TL_UNROLL for (int round = 1; round <= kResultantDegree; ++round)
            TL_UNROLL for (int k = kResultantDegree; k >= round; --k) at[k] =
                at[k - 1] + t * (at[k] - at[k - 1]);
    }
    TL_HD void keep_above(double t) {
        TL_UNROLL for (int round = 1; round <= kResultantDegree; ++round)
            TL_UNROLL for (int k = 0; k <= kResultantDegree - round; ++k) at[k] =
                at[k] + t * (at[k + 1] - at[k]);
    }
    /// Number of sign changes; coefficients within the rounding error `noise` count as zeros.
    [[nodiscard]] TL_HD int sign_changes(double noise) const {
        int n = 0;
        double last = 0;
        TL_UNROLL for (int k = 0; k <= kResultantDegree; ++k) {
            if (magnitude(at[k]) <= noise) continue;
            n += last != 0 && (last > 0) != (at[k] > 0);
            last = at[k];
        }
        return n;
    }
    /// Value and derivative at t, computed with powers of t and 1 - t.
    TL_HD void evaluate(double t, double& value, double& slope) const {
        double s = 1 - t, power = 1, binomial = 1;
        double low = at[0], high = at[1];  // two polynomials of degree 17 that give value and slope
        TL_UNROLL for (int k = 1; k < kResultantDegree; ++k) {
            power *= t;
            binomial = binomial * (kResultantDegree - k) / k;
            low = s * low + binomial * power * at[k];
            high = s * high + binomial * power * at[k + 1];
        }
        value = s * low + t * high;
        slope = kResultantDegree * (high - low);
    }
};

/// The root in [0, 1] of a polynomial with one sign change. Adds its iterations.
TL_HD inline double bracketed_root(const BernsteinForm& p, double noise, int& n_iterations) {
    constexpr int kMost = 60;
    constexpr double kSmall = 1e-15;
    double lo = 0, hi = 1, t = 0.5;
    double before = 0;  // the root: of its sign
    TL_UNROLL for (int k = kResultantDegree; k >= 0; --k) if (magnitude(p.at[k]) > noise) before =
        p.at[k];
    for (int i = 0; i < kMost && hi - lo > kSmall; ++i) {
        ++n_iterations;
        double value, slope;
        p.evaluate(t, value, slope);
        if (value == 0) return t;
        if ((value > 0) == (before > 0))
            lo = t;
        else
            hi = t;
        double next = t - value / slope;
        if (!(next > lo && next < hi)) next = (lo + hi) / 2;
        if (magnitude(next - t) <= kSmall) return next;
        t = next;
    }
    return t;
}

/// Calls found(v) with the roots in [0, 1] in ascending order; `scaled` is in the basis
/// `bernstein`. Returns the number of parts examined plus the iterations.
template <class Found>
TL_HD inline int find_real_roots_bernstein(const Resultant& scaled, Found&& found) {
    constexpr int kLevels = 30, kMostParts = 512;
    const BernsteinForm whole(scaled);
    double largest = 0;
    TL_UNROLL for (int k = 0; k <= kResultantDegree; ++k) largest =
        greatest(largest, magnitude(whole.at[k]));
    if (!(largest > 0) || largest - largest != 0) return 0;
    const double noise = 0x1p-52 * largest;
    std::uint32_t part = 0;
    int level = 0, work = 0;
    for (int n = 0; n < kMostParts; ++n) {
        ++work;
        double size = 1 / double(1u << level), from = part * size, to = from + size;
        BernsteinForm p = whole;
        if (to < 1) p.keep_below(to);
        if (from > 0) p.keep_above(from / to);
        int changes = p.sign_changes(noise);
        if (changes > 1 && level < kLevels) {
            ++level;
            part *= 2;
            continue;
        }
        if (changes == 1) found(from + size * bracketed_root(p, noise, work));
        if (changes > 1) found(from + size / 2);
        // Goes to the next part that has not been examined.
        for (++part; level > 0 && part % 2 == 0; part /= 2) --level;
        if (level == 0) return work;
    }
    return work;
}

TL_DEVICE_END
