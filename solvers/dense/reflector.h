// A Householder reflector H = I - tau v v^T with v[0] = 1 that turns x into beta e_1. Its scalars
// follow from x[0] and the sum of the other squares alone, so that every block of a kernel can
// work them out for itself. Input is scaled to about 1 by who calls.
#pragma once

#include <cmath>

#include "accel/parallel/macros.h"

namespace tl {

template <class T>
struct Reflector {
    T beta;   ///< what is left of x
    T tau;    ///< 0: H is the identity, and v is to be taken as 0
    T scale;  ///< v = scale * x, but for v[0]

    /// What is so small that its square is no longer precise counts as zero.
    TL_HD static Reflector of(T alpha, T sum_of_other_squares) {
        constexpr T kTiny = sizeof(T) == 8 ? T(1e-280) : T(1e-30f);
        if (!(sum_of_other_squares > kTiny)) return {alpha, T(0), T(0)};
        using std::sqrt;
        T norm = sqrt(alpha * alpha + sum_of_other_squares);
        T beta = alpha >= 0 ? -norm : norm;
        return {beta, (beta - alpha) / beta, T(1) / (alpha - beta)};
    }
};

}  // namespace tl
