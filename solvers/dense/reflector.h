// A Householder reflector H = I - tau v v^H with v[0] = 1 that turns x into beta e_1. Its scalars
// depend only on x[0] and the sum of the squares of the other elements, so that every block of a
// kernel can compute them itself. The caller scales the input to about 1. Unlike LAPACK's, tau is
// real and H Hermitian for complex numbers too, and beta has the phase of -x[0].
#pragma once

#include <cmath>

#include "solvers/dense/complex.h"

namespace tl {

template <class T>
struct Reflector {
    using Real = RealOf<T>;
    T beta;    ///< the remaining element of H x
    Real tau;  ///< 0: H is the identity, and v must be taken as 0
    T scale;   ///< v = scale * x, except v[0] = 1

    /// Elements so small that their squares lose precision count as zero.
    TL_HD static Reflector of(T alpha, Real sum_of_other_squares) {
        constexpr Real kTiny = sizeof(Real) == 8 ? Real(1e-280) : Real(1e-30f);
        if (!(sum_of_other_squares > kTiny)) return {alpha, Real(0), T(0)};
        using std::sqrt;
        if constexpr (kIsComplex<T>) {
            // alpha = size * phase; the phase has absolute value 1 for the smallest numbers too.
            Real re = alpha.re < 0 ? -alpha.re : alpha.re, im = alpha.im < 0 ? -alpha.im : alpha.im;
            Real large = re > im ? re : im, size = 0;
            T phase(1);
            if (large > 0) {
                T part(alpha.re / large, alpha.im / large);
                Real length = sqrt(squared_magnitude(part));
                phase = T(part.re / length, part.im / length);
                size = large * length;
            }
            Real norm = sqrt(size * size + sum_of_other_squares), sum = size + norm;
            return {phase * -norm, sum / norm, conjugate(phase) * (1 / sum)};
        } else {
            T norm = sqrt(alpha * alpha + sum_of_other_squares);
            T beta = alpha >= 0 ? -norm : norm;
            return {beta, (beta - alpha) / beta, T(1) / (alpha - beta)};
        }
    }
};

}  // namespace tl
