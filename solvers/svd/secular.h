// One root of the secular equation f(s) = 1 + sum z_k^2 / (d_k^2 - s^2) = 0 between two poles,
// computed by all threads of a block. Iterates on the distance from the nearer pole, so that
// differences from all poles stay accurate (Gu & Eisenstat 1995). Each step solves the rational
// model of Bunch, Nielsen & Sorensen (1978), or bisects the bracket if the model's root lies
// outside. Only files compiled for a device include it.
#pragma once

#include <cmath>

#include "solvers/dense/tiles.h"
#include "solvers/svd/merge_kernels.h"

TL_DEVICE_BEGIN

inline constexpr int kSecularThreads = 64;
using SecularBlock = Block<kSecularThreads>;

/// The poles of one join.
struct SecularPoles {
    const double* d;
    const double* z;
    int count;

    /// d_k^2 - s^2 for s = d_o + offset, with neither square formed.
    [[nodiscard]] TL_D double difference(int k, double origin, double offset) const {
        return ((d[k] - origin) - offset) * ((d[k] + origin) + offset);
    }
};

/// f's two sums at a point and their derivatives with respect to s^2.
struct SecularSums {
    double below, d_below;  ///< over the poles up to the one below the root
    double above, d_above;
    [[nodiscard]] TL_D double f() const { return 1 + below + above; }
};

TL_D inline void add_terms(const SecularBlock& block, const SecularPoles& poles, int begin, int end,
                           double origin, double offset, double& sum, double& derivative) {
    double s = 0, ds = 0;
#if !defined(__CUDACC__)
#pragma omp simd reduction(+ : s, ds)
#endif
    for (int k = begin + static_cast<int>(block.rank); k < end; k += static_cast<int>(block.size)) {
        double ratio = poles.z[k] / poles.difference(k, origin, offset);
        s += poles.z[k] * ratio;
        ds += ratio * ratio;
    }
    sum = s;
    derivative = ds;
}

TL_D inline SecularSums secular_sums(const SecularBlock& block, BlockSum<double>& shared,
                                     const SecularPoles& poles, int root, double origin,
                                     double offset) {
    SecularSums sums{};
    add_terms(block, poles, 0, root + 1, origin, offset, sums.below, sums.d_below);
    add_terms(block, poles, root + 1, poles.count, origin, offset, sums.above, sums.d_above);
    sums.below = block_sum(block, shared, sums.below);
    sums.d_below = block_sum(block, shared, sums.d_below);
    sums.above = block_sum(block, shared, sums.above);
    sums.d_above = block_sum(block, shared, sums.d_above);
    return sums;
}

/// The step in s^2 to the root of the model c + a / (delta_i - x) + b / (delta_j - x). The model
/// matches value and slope of both sums; the last root has poles on one side only. NaN if the model
/// has no root.
TL_D inline double model_step(const SecularSums& sums, double delta_i, double delta_j, bool last) {
    if (last) {
        double slope = sums.d_below * delta_i * delta_i;
        double c = sums.f() - sums.d_below * delta_i;
        return delta_i + slope / c;
    }
    double a_i = sums.d_below * delta_i * delta_i, a_j = sums.d_above * delta_j * delta_j;
    double c = 1 + (sums.below - sums.d_below * delta_i) + (sums.above - sums.d_above * delta_j);
    double a = c * (delta_i + delta_j) + a_i + a_j, b = delta_i * delta_j * sums.f();
    double root = a * a - 4 * b * c;
    root = sqrt(root > 0 ? root : 0);
    return a <= 0 ? (a - root) / (2 * c) : 2 * b / (a + root);
}

/// Root number `root` (0 .. count - 1, ascending). Every thread gets the same result.
TL_D inline SecularRoot find_root(const SecularBlock& block, BlockSum<double>& shared,
                                  const SecularPoles& poles, int root) {
    constexpr double kEpsilon = 2.220446049250313e-16;
    bool last = root == poles.count - 1;
    double low_pole = poles.d[root], width = 0;
    if (last) {
        double squares = 0;
        for (int k = static_cast<int>(block.rank); k < poles.count;
             k += static_cast<int>(block.size))
            squares += poles.z[k] * poles.z[k];
        squares = block_sum(block, shared, squares);
        // sqrt(d^2 + |z|^2) - d, slightly enlarged.
        width = squares / (low_pole + sqrt(low_pole * low_pole + squares)) * (1 + 8 * kEpsilon);
    } else {
        width = poles.d[root + 1] - low_pole;
    }
    double offset = width / 2;
    auto sums = secular_sums(block, shared, poles, root, low_pole, offset);
    SecularRoot result{root, offset};
    double low = 0, high = width / 2;
    if (sums.f() < 0 && last) {
        low = offset;
        high = width;
    } else if (sums.f() < 0) {
        // Nearer to the pole above: distances from it are negative.
        result.origin = root + 1;
        offset = -(width - offset);
        low = offset;
        high = 0;
    }
    double origin = poles.d[result.origin];
    for (int iteration = 0; iteration < 200; ++iteration) {
        double f = sums.f();
        double magnitude = 1 + (sums.above - sums.below);
        if (fabs(f) <= 2 * kEpsilon * magnitude) break;
        (f < 0 ? low : high) = offset;
        double value = origin + offset;
        double delta_i = poles.difference(root, origin, offset);
        double delta_j = last ? 0 : poles.difference(root + 1, origin, offset);
        double step = model_step(sums, delta_i, delta_j, last);
        double next = offset + step / (value + sqrt(value * value + step));
        // Bisect if the step leaves the bracket or is NaN; next to zero, divide by 16.
        if (!(next > low && next < high)) {
            next = low == 0 ? high / 16 : high == 0 ? low / 16 : low + (high - low) / 2;
        }
        if (next <= low || next >= high || fabs(next - offset) <= kEpsilon / 2 * fabs(next)) {
            if (next > low && next < high) offset = next;
            break;
        }
        offset = next;
        sums = secular_sums(block, shared, poles, root, origin, offset);
    }
    result.offset = offset;
    return result;
}

TL_DEVICE_END
