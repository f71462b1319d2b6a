// Numbers of several matches at once: one on a thread of a GPU, the lanes of a pack on the CPU.
#pragma once

#include "solvers/eigen/lane_math.h"
#if defined(__CUDACC__)
#include "solvers/eigen/cuda_teams.h"
#else
#include "solvers/eigen/team.h"
#endif

TL_DEVICE_BEGIN

namespace pose {

#if defined(__CUDACC__)

using SolverTeam = eigen::ThreadTeam<double>;
template <class T>
using Lanes = T;
template <class T>
inline constexpr int kLanes = 1;

template <class T>
TL_D T load_lanes(const T* from) {
    return *from;
}
template <class T>
TL_D T sum_of_lanes(T x) {
    return x;
}
TL_D inline double of_lane(double x, int /*lane*/) {
    return x;
}
TL_D inline void set_lane(double& x, int /*lane*/, double value) {
    x = value;
}
TL_D inline bool lane_is_in(bool mask, int /*lane*/) {
    return mask;
}
TL_D inline bool mask_of_lane(int /*lane*/) {
    return true;
}

#else

using SolverTeam = eigen::PackTeam<double>;
template <class T>
using Lanes = eigen::Pack<T>;
template <class T>
inline constexpr int kLanes = Lanes<T>::kLanes;

template <class T>
Lanes<T> load_lanes(const T* from) {
    typename Lanes<T>::Vector v;
    __builtin_memcpy(&v, from, sizeof v);
    return v;
}
/// In the order of the lanes.
template <class T>
T sum_of_lanes(Lanes<T> x) {
    T sum = 0;
    for (int lane = 0; lane < kLanes<T>; ++lane) sum += x.v[lane];
    return sum;
}
template <class T>
T of_lane(eigen::Pack<T> x, int lane) {
    return x.v[lane];
}
template <class T>
void set_lane(eigen::Pack<T>& x, int lane, T value) {
    x.v[lane] = value;
}
template <class T>
bool lane_is_in(eigen::PackMask<T> mask, int lane) {
    return mask.v[lane] != 0;
}
inline eigen::PackMask<double> mask_of_lane(int lane) {
    eigen::PackMask<double> mask{};
    mask.v[lane] = -1;
    return mask;
}

#endif

}  // namespace pose

TL_DEVICE_END
