// Teams: the threads or lanes that work on a matrix together. The steps of the eigenvalue kernels
// are written for a *team*. Loops over columns or rows go in steps of size() from rank(), and
// sync() separates a step that writes from one that reads. Matrices whose steps are taken together
// (the lanes of a pack) share the bounds of loops, by least() and most(), and end loops by any().
#pragma once

#include "solvers/eigen/lane_math.h"

TL_DEVICE_BEGIN

namespace eigen {

#if !defined(__CUDACC__)

/// One thread with one matrix: the scalar mode.
template <class T>
struct ScalarTeam {
    using Scalar = T;
    using Real = T;
    using Mask = bool;
    using Index = int;
    static constexpr int kLanes = 1;

    [[nodiscard]] static int rank() { return 0; }
    [[nodiscard]] static int size() { return 1; }
    static void sync() {}
    [[nodiscard]] static bool any(bool mask) { return mask; }
    [[nodiscard]] static int least(int index) { return index; }
    [[nodiscard]] static int most(int index) { return index; }
    [[nodiscard]] static T sum(T x) { return x; }
    [[nodiscard]] static T largest(T x) { return x; }
    template <class A>
    [[nodiscard]] static T at(const A& a, int index) {
        return a[index];
    }
    template <class A>
    static void put(const A& a, int index, T value, bool mask) {
        if (mask) a[index] = value;
    }
};

/// One thread with a matrix in each lane of a pack.
template <class T>
struct PackTeam {
    using Scalar = T;
    using Real = Pack<T>;
    using Mask = PackMask<T>;
    using Index = Pack<T>;  ///< whole numbers, to 2^24 in float
    static constexpr int kLanes = Pack<T>::kLanes;

    [[nodiscard]] static int rank() { return 0; }
    [[nodiscard]] static int size() { return 1; }
    static void sync() {}
    [[nodiscard]] static bool any(Mask mask) { return any_of(mask); }
    [[nodiscard]] static int least(Index index) {
        T value = index.v[0];
        for (int lane = 1; lane < kLanes; ++lane)
            value = index.v[lane] < value ? index.v[lane] : value;
        return static_cast<int>(value);
    }
    [[nodiscard]] static int most(Index index) { return -least(-index); }
    [[nodiscard]] static Real sum(Real x) { return x; }
    [[nodiscard]] static Real largest(Real x) { return x; }
    [[nodiscard]] static Real at(const Real* a, Index index) {
        Real value(T(0));
        for (int lane = 0; lane < kLanes; ++lane)
            value.v[lane] = a[static_cast<int>(index.v[lane])].v[lane];
        return value;
    }
    static void put(Real* a, Index index, Real value, Mask mask) {
        for (int lane = 0; lane < kLanes; ++lane)
            if (mask.v[lane]) a[static_cast<int>(index.v[lane])].v[lane] = value.v[lane];
    }
};

#endif

}  // namespace eigen

TL_DEVICE_END
