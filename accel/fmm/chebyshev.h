// Interpolation in a box between the places of Chebyshev polynomials (Fong & Darve 2009, "The
// black-box fast multipole method"): kOrder places along each axis, at cos((2 i + 1) pi / 2
// kOrder).
#pragma once

#include <cmath>

#include "accel/box.h"

TL_DEVICE_BEGIN

/// Passed to kernels by value, so that a GPU reads it as constants.
template <int kOrder>
struct Chebyshev {
    static constexpr int kPlaces = kOrder * kOrder * kOrder;

    float places[kOrder];          ///< along an axis, in [-1, 1]
    float values[kOrder][kOrder];  ///< [k][i]: of polynomial k at place i, weighted

    Chebyshev() {
        const double pi = std::acos(-1.0);
        for (int i = 0; i < kOrder; ++i) {
            double angle = (2 * i + 1) * pi / (2 * kOrder);
            places[i] = static_cast<float>(std::cos(angle));
            for (int k = 0; k < kOrder; ++k)
                values[k][i] = static_cast<float>((k == 0 ? 1 : 2) * std::cos(k * angle) / kOrder);
        }
    }
    /// What each place along an axis counts at t in [-1, 1].
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

/// The box of an expansion. Places in it are given from its middle: those of a small box far from
/// the origin would lose their digits.
struct ExpansionBox {
    vec3 middle, half;

    TL_D explicit ExpansionBox(const Box& box) : middle(box.center()) {
        half = glm::max(box.hi - middle, middle - box.lo);
    }
    /// A place at `offset` from the middle, in [-1, 1]; 0 along axes on which the box is flat.
    TL_D vec3 inside(vec3 offset) const {
        constexpr float kLeast = 1e-30f;  // above which the quotient is finite
        vec3 t;
        for (int axis = 0; axis < 3; ++axis)
            t[axis] = half[axis] > kLeast ? offset[axis] / half[axis] : 0.0f;
        return t;
    }
};

TL_DEVICE_END
