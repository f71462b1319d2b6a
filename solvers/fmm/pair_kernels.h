// The kernels of sums over pairs, as functions of the squared distance.
#pragma once

#include <cmath>

#include "solvers/fmm/pair_sums.h"
#include "solvers/fmm/wide.h"

namespace tl {

/// A kernel over positions that were multiplied by `scale`.
struct ScaledKernel {
    PairKernel kernel;
    double length = 1;  ///< in the scaled unit
    double shift = 0;   ///< added to logarithms
    double factor = 1;  ///< of sums of the scaled kernel

    ScaledKernel(PairKernel kernel, double unscaled, double scale)
        : kernel(kernel), length(unscaled * scale) {
        // Beyond these lengths kernels differ by less than roundings, or are 0.
        constexpr double kLeast = 1e-15, kMost = 1e15;
        if (kernel != PairKernel::multiquadric || length > 0)
            length = length < kLeast ? kLeast : length > kMost ? kMost : length;
        switch (kernel) {
            case PairKernel::inverse_square:
                factor = scale * scale;
                break;
            case PairKernel::log:
                shift = -std::log(scale);
                break;
            case PairKernel::gaussian:
                break;
            case PairKernel::multiquadric:
                factor = 1 / scale;
                break;
            case PairKernel::thin_plate:
                shift = -std::log(scale);
                factor = 1 / (scale * scale);
                break;
            default:
                factor = scale;
        }
    }
};

}  // namespace tl

TL_DEVICE_BEGIN

namespace pairs {

// A kernel sets K, and its derivative divided by the distance, of squared distances; where these
// are 0, kSkipsZero says that K is 0, whatever it sets.

template <class Real>
struct InverseDistance {
    static constexpr bool kSkipsZero = true;

    explicit InverseDistance(const ScaledKernel&) {}
    TL_D void operator()(Wide<Real> square, Wide<Real>& value, Wide<Real>& slope) const {
        value = reciprocal_root(square);
        slope = -(value * value * value);
    }
};

template <class Real>
struct InverseSquare {
    static constexpr bool kSkipsZero = true;

    explicit InverseSquare(const ScaledKernel&) {}
    TL_D void operator()(Wide<Real> square, Wide<Real>& value, Wide<Real>& slope) const {
        value = Wide<Real>(Real(1)) / square;
        slope = Wide<Real>(Real(-2)) * value * value;
    }
};

template <class Real>
struct Logarithm {
    static constexpr bool kSkipsZero = true;
    Real shift;

    explicit Logarithm(const ScaledKernel& k) : shift(static_cast<Real>(k.shift)) {}
    TL_D void operator()(Wide<Real> square, Wide<Real>& value, Wide<Real>& slope) const {
        value = Wide<Real>(Real(0.5)) * logarithm(square) + Wide<Real>(shift);
        slope = Wide<Real>(Real(1)) / square;
    }
};

template <class Real>
struct Yukawa {
    static constexpr bool kSkipsZero = true;
    Real closeness;  ///< 1 / h

    explicit Yukawa(const ScaledKernel& k) : closeness(static_cast<Real>(1 / k.length)) {}
    TL_D void operator()(Wide<Real> square, Wide<Real>& value, Wide<Real>& slope) const {
        Wide<Real> inverse = reciprocal_root(square);
        value = exponential(Wide<Real>(-closeness) * square * inverse) * inverse;
        slope = -(value * (Wide<Real>(closeness) + inverse) * inverse);
    }
};

template <class Real>
struct Gaussian {
    static constexpr bool kSkipsZero = false;
    Real steepness;  ///< 1 / h^2

    explicit Gaussian(const ScaledKernel& k)
        : steepness(static_cast<Real>(1 / (k.length * k.length))) {}
    TL_D void operator()(Wide<Real> square, Wide<Real>& value, Wide<Real>& slope) const {
        value = exponential(Wide<Real>(-steepness) * square);
        slope = Wide<Real>(-2 * steepness) * value;
    }
};

template <class Real>
struct Multiquadric {
    static constexpr bool kSkipsZero = false;
    Real plus;  ///< h^2

    explicit Multiquadric(const ScaledKernel& k) : plus(static_cast<Real>(k.length * k.length)) {}
    TL_D void operator()(Wide<Real> square, Wide<Real>& value, Wide<Real>& slope) const {
        value = square_root(square + Wide<Real>(plus));
        slope = Wide<Real>(Real(1)) / value;
    }
};

template <class Real>
struct InverseMultiquadric {
    static constexpr bool kSkipsZero = false;
    Real plus;  ///< h^2

    explicit InverseMultiquadric(const ScaledKernel& k)
        : plus(static_cast<Real>(k.length * k.length)) {}
    TL_D void operator()(Wide<Real> square, Wide<Real>& value, Wide<Real>& slope) const {
        value = reciprocal_root(square + Wide<Real>(plus));
        slope = -(value * value * value);
    }
};

template <class Real>
struct ThinPlate {
    static constexpr bool kSkipsZero = true;
    Real shift;

    explicit ThinPlate(const ScaledKernel& k) : shift(static_cast<Real>(k.shift)) {}
    TL_D void operator()(Wide<Real> square, Wide<Real>& value, Wide<Real>& slope) const {
        Wide<Real> twice = logarithm(square) + Wide<Real>(2 * shift);
        value = Wide<Real>(Real(0.5)) * square * twice;
        slope = twice + Wide<Real>(Real(1));
    }
};

/// Calls work(kernel) with the kernel's own type.
template <class Real, class Work>
void with_kernel(const ScaledKernel& scaled, Work&& work) {
    switch (scaled.kernel) {
        case PairKernel::inverse_distance:
            return work(InverseDistance<Real>(scaled));
        case PairKernel::inverse_square:
            return work(InverseSquare<Real>(scaled));
        case PairKernel::log:
            return work(Logarithm<Real>(scaled));
        case PairKernel::yukawa:
            return work(Yukawa<Real>(scaled));
        case PairKernel::gaussian:
            return work(Gaussian<Real>(scaled));
        case PairKernel::multiquadric:
            return work(Multiquadric<Real>(scaled));
        case PairKernel::inverse_multiquadric:
            return work(InverseMultiquadric<Real>(scaled));
        case PairKernel::thin_plate:
            return work(ThinPlate<Real>(scaled));
    }
}

}  // namespace pairs

TL_DEVICE_END
