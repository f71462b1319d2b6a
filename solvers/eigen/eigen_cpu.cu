// The CPU's modes: tasks of oneTBB, each with matrices of one thread, in the lanes of packs or one
// at a time.
#include "solvers/eigen/eigen_kernels.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>

#include "solvers/eigen/solve_matrix.h"

TL_DEVICE_BEGIN

namespace {

using namespace eigen;

/// Lane `lane` of a number.
template <class T>
T& lane_of(Pack<T>& pack, int lane) {
    return reinterpret_cast<T*>(&pack)[lane];
}
template <class T>
T& lane_of(T& x, int /*lane*/) {
    return x;
}
inline int lane_of(int index, int /*lane*/) {
    return index;
}
template <class T>
bool is_set(PackMask<T> mask, int lane) {
    return mask.v[lane] != 0;
}
inline bool is_set(bool mask, int /*lane*/) {
    return mask;
}
/// The mask of lanes 0 to n - 1.
template <class T>
PackMask<T> first_lanes(PackTeam<T>, int n) {
    Pack<T> index;
    for (int lane = 0; lane < Pack<T>::kLanes; ++lane) index.v[lane] = static_cast<T>(lane);
    return index < Pack<T>(n);
}
template <class T>
bool first_lanes(ScalarTeam<T>, int n) {
    return n > 0;
}

/// Writes the results of the matrices in a team's lanes.
template <class Team, class T>
struct LaneSink {
    using A = typename Team::Real*;
    const EigenOutputs<T>& outputs;
    std::size_t first;  ///< matrix of lane 0
    int n_lanes, n;
    EigenPairs pairs;

    void values(const Workspace<A>& s, Progress<Team>& progress, Francis<Team, A>& francis) {
        for (int lane = 0; lane < n_lanes; ++lane) {
            std::size_t matrix = first + static_cast<std::size_t>(lane);
            T* to = outputs.values + matrix * 2 * static_cast<std::size_t>(n);
            for (int i = 0; i < n; ++i) {
                to[2 * i] = lane_of(s.x[i], lane);
                to[2 * i + 1] = lane_of(s.y[i], lane);
            }
            outputs.sweeps[matrix] = static_cast<int>(lane_of(francis.sweeps, lane));
            bool finite = is_set(progress.finite, lane), failed = is_set(francis.failed, lane);
            outputs.status[matrix] = static_cast<int>(!finite  ? EigenStatus::not_finite
                                                      : failed ? EigenStatus::not_converged
                                                               : EigenStatus::solved);
            if (pairs == EigenPairs::values) continue;
            // Columns that no vector is found for stay so.
            bool solved = finite && !failed;
            if (pairs == EigenPairs::all && solved) continue;
            std::size_t size = static_cast<std::size_t>(n) * n * (pairs == EigenPairs::all ? 2 : 1);
            std::fill_n(outputs.vectors + matrix * size, size, std::numeric_limits<T>::quiet_NaN());
        }
    }

    void vector(typename Team::Index position, int column,
                const RealPlane<typename Team::Real, A>& y, typename Team::Mask want) {
        for (int lane = 0; lane < n_lanes; ++lane) {
            if (!is_set(want, lane)) continue;
            if (pairs == EigenPairs::real) {
                T* to = outputs.vectors + matrix_at(lane) + column;
                for (int i = 0; i < n; ++i) to[i * n] = lane_of(y.re[i], lane);
            } else {
                T* to = outputs.vectors + 2 * (matrix_at(lane) + column_of(position, lane));
                for (int i = 0; i < n; ++i) {
                    to[2 * i * n] = lane_of(y.re[i], lane);
                    to[2 * i * n + 1] = 0;
                }
            }
        }
    }
    void vector(typename Team::Index position, int /*column*/,
                const ComplexPlane<typename Team::Real, A>& y, typename Team::Mask want) {
        for (int lane = 0; lane < n_lanes; ++lane) {
            if (!is_set(want, lane)) continue;
            T* to = outputs.vectors + 2 * (matrix_at(lane) + column_of(position, lane));
            for (int i = 0; i < n; ++i) {
                T re = lane_of(y.re[i], lane), im = lane_of(y.im[i], lane);
                to[2 * i * n] = to[2 * i * n + 2] = re;
                to[2 * i * n + 1] = im;
                to[2 * i * n + 3] = -im;
            }
        }
    }

  private:
    [[nodiscard]] std::size_t matrix_at(int lane) const {
        return (first + static_cast<std::size_t>(lane)) * static_cast<std::size_t>(n) * n;
    }
    static std::size_t column_of(typename Team::Index position, int lane) {
        return static_cast<std::size_t>(lane_of(position, lane));
    }
};

template <class Team, class T>
void solve_groups(Stream& stream, const EigenBatch<T>& batch, EigenRange range, EigenPairs pairs,
                  const EigenLimits& limits, const EigenOutputs<T>& outputs) {
    using Real = typename Team::Real;
    constexpr std::size_t kLanes = Team::kLanes;
    const int n = batch.n;
    const auto size = static_cast<std::size_t>(n) * n;
    auto solve_group = [&](Real* memory, std::size_t group) {
        std::size_t first = range.first + group * kLanes;
        int n_lanes = static_cast<int>(std::min(kLanes, range.first + range.count - first));
        auto s = Workspace<Real*>::of(n, pairs, [&](int offset) { return memory + offset; });
        for (int lane = 0; lane < static_cast<int>(kLanes); ++lane) {
            bool there = lane < n_lanes;
            const T* from = batch.a.data + (first + (there ? lane : 0)) * size;
            for (std::size_t e = 0; e < size; ++e) lane_of(s.h[e], lane) = from[e];
        }
        LaneSink<Team, T> sink{outputs, first, n_lanes, n, pairs};
        solve_matrix<true, Team, Real*>(Team(), n, pairs, limits, s, first_lanes(Team(), n_lanes),
                                        sink);
    };
    std::size_t n_groups = (range.count + kLanes - 1) / kLanes;
    // A task takes about a tenth of a millisecond or more.
    std::size_t grain = std::max<std::size_t>(1, 16000 / size);
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, n_groups, grain), [&](const auto& part) {
        std::vector<Real> memory(static_cast<std::size_t>(Workspace<Real*>::elements(n, pairs)));
        for (std::size_t group = part.begin(); group < part.end() && !stream.is_cancelled();
             ++group)
            solve_group(memory.data(), group);
    });
    stream.check_cancelled();
}

}  // namespace

template <class T>
void eigen_simd(Stream& stream, const EigenBatch<T>& batch, EigenRange range, EigenPairs pairs,
                const EigenLimits& limits, const EigenOutputs<T>& outputs) {
    solve_groups<PackTeam<T>, T>(stream, batch, range, pairs, limits, outputs);
}
template <class T>
void eigen_scalar(Stream& stream, const EigenBatch<T>& batch, EigenRange range, EigenPairs pairs,
                  const EigenLimits& limits, const EigenOutputs<T>& outputs) {
    solve_groups<ScalarTeam<T>, T>(stream, batch, range, pairs, limits, outputs);
}

template void eigen_simd(Stream&, const EigenBatch<float>&, EigenRange, EigenPairs,
                         const EigenLimits&, const EigenOutputs<float>&);
template void eigen_simd(Stream&, const EigenBatch<double>&, EigenRange, EigenPairs,
                         const EigenLimits&, const EigenOutputs<double>&);
template void eigen_scalar(Stream&, const EigenBatch<float>&, EigenRange, EigenPairs,
                           const EigenLimits&, const EigenOutputs<float>&);
template void eigen_scalar(Stream&, const EigenBatch<double>&, EigenRange, EigenPairs,
                           const EigenLimits&, const EigenOutputs<double>&);

TL_DEVICE_END
