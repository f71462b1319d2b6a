// A Householder reflector H = I - tau v v^T with v[0] = 1 that turns x into beta e_1. Its scalars
// depend only on x[0] and the sum of the squares of the other elements, so that every block of a
// kernel can compute them itself. The caller scales the input to about 1.
#pragma once

#include <cmath>

#include "core/base/macros.h"

namespace tl {

template <class T>
struct Reflector {
    T beta;   ///< the remaining element of H x
    T tau;    ///< 0: H is the identity, and v must be taken as 0
    T scale;  ///< v = scale * x, except v[0] = 1

    /// Elements so small that their squares lose precision count as zero.
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
