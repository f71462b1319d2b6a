// Chebyshev interpolation in a box (Fong & Darve 2009, "The black-box fast multipole method"):
// kOrder points along each axis, at cos((2 i + 1) pi / 2 kOrder).
#pragma once

#include <cmath>

#include "accel/box.h"

TL_DEVICE_BEGIN

/// Passed to kernels by value, so that a GPU reads it as constants.
template <int kOrder>
struct Chebyshev {
    static constexpr int kPlaces = kOrder * kOrder * kOrder;

    float places[kOrder];          ///< points along an axis, in [-1, 1]
    float values[kOrder][kOrder];  ///< [k][i]: polynomial k at point i, weighted

    Chebyshev() {
        const double pi = std::acos(-1.0);
        for (int i = 0; i < kOrder; ++i) {
            double angle = (2 * i + 1) * pi / (2 * kOrder);
            places[i] = static_cast<float>(std::cos(angle));
            for (int k = 0; k < kOrder; ++k)
                values[k][i] = static_cast<float>((k == 0 ? 1 : 2) * std::cos(k * angle) / kOrder);
        }
    }
    /// Interpolation weight of each point along an axis, at t in [-1, 1].
    TL_D void weights_at(float t, float (&weights)[kOrder]) const {
        float before = 1, now = t;
        for (int i = 0; i < kOrder; ++i) weights[i] = values[0][i];
        for (int k = 1; k < kOrder; ++k) {
            for (int i = 0; i < kOrder; ++i) weights[i] += values[k][i] * now;
            float next = 2 * t * now - before;
            before = now;
            now = next;
        }
    }
    /// Place (i, j, k) of a box has the number (i kOrder + j) kOrder + k.
    TL_D vec3 place(std::uint32_t number) const {
        return {places[number / (kOrder * kOrder)], places[number / kOrder % kOrder],
                places[number % kOrder]};
    }
};

/// Fraction of its longest side up to which a box counts as flat along an axis. An extent this
/// small changes a link by less than the interpolation error along the other axes. It is above the
/// rounding of points in a plane.
[[nodiscard]] TL_D inline float flat_part(int order) {
    return order <= 2   ? 1e-3f
           : order == 3 ? 1e-4f
           : order == 4 ? 3e-5f
           : order == 5 ? 1e-5f
                        : 3e-6f;
}

/// The box of an expansion. Interpolation points are relative to its middle: in a small box far
/// from the origin, absolute positions would lose their digits. Along a flat axis all points are in
/// the middle, and only the first counts.
struct ExpansionBox {
    vec3 middle, half;

    TL_D ExpansionBox(const Box& box, int order) : middle(box.center()) {
        half = glm::max(box.hi - middle, middle - box.lo);
        constexpr float kLeast = 1e-30f;  // above which quotients are finite
        float longest = maximum(half.x, maximum(half.y, half.z));
        float flat = maximum(kLeast, flat_part(order) * longest);
        for (int axis = 0; axis < 3; ++axis)
            if (half[axis] <= flat) half[axis] = 0;
    }
    [[nodiscard]] TL_D bool is_flat(int axis) const { return half[axis] == 0; }
    [[nodiscard]] TL_D int n_flat() const { return is_flat(0) + is_flat(1) + is_flat(2); }
};

/// Interpolation points of a box that count, numbered without gaps.
template <int kOrder>
struct CountedPlaces {
    std::uint32_t n;
    bool is_flat_y, is_flat_z;

    CountedPlaces() = default;
    TL_D explicit CountedPlaces(const ExpansionBox& box)
        : n(1), is_flat_y(box.is_flat(1)), is_flat_z(box.is_flat(2)) {
        for (int axis = 0; axis < 3; ++axis) n *= box.is_flat(axis) ? 1 : kOrder;
    }
    /// The number of the i-th of them as Chebyshev has it.
    [[nodiscard]] TL_D std::uint32_t number(std::uint32_t i) const {
        std::uint32_t z = is_flat_z ? 0 : i % kOrder, rest = is_flat_z ? i : i / kOrder;
        std::uint32_t y = is_flat_y ? 0 : rest % kOrder, x = is_flat_y ? rest : rest / kOrder;
        return (x * kOrder + y) * kOrder + z;
    }
};

TL_DEVICE_END
