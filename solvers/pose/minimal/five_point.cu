#include "solvers/pose/minimal/five_point.h"

#include "solvers/pose/minimal/sturm_route.h"

#if defined(__CUDACC__)
#include "core/device/atomics.h"
#include "core/device/launch_cuda.h"
#include "solvers/eigen/cuda_teams.h"
#else
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <atomic>
#include <memory>
#include <numeric>
#include <span>
#include <vector>
#endif

TL_DEVICE_BEGIN

namespace {

/// Writes the matrices of the problems in a team's lanes.
template <class Team>
struct EssentialWriter {
    using Real = typename Team::Real;
    double* essentials;
    int* n_found;
    const std::size_t* problems;  ///< problem of each lane

    TL_D void essential(typename Team::Mask want, const Real* e) {
#if defined(__CUDACC__)
        if (want) add(*problems, [&](int j) { return e[j]; });
#else
        unsigned lanes = eigen::lanes_of(want);
        for (std::size_t lane = 0; lane < Team::kLanes; ++lane)
            if (lanes >> lane & 1)
                add(problems[lane], [&](int j) { return e[j].v[static_cast<long>(lane)]; });
#endif
    }

  private:
    template <class Element>
    TL_D void add(std::size_t problem, const Element& element) {
        int& n = n_found[problem];
        double* to = essentials + (problem * kMostEssentials + static_cast<std::size_t>(n++)) * 9;
        for (int j = 0; j < 9; ++j) to[j] = element(j);
    }
};

#if defined(__CUDACC__)

constexpr unsigned kThreads = 64;

/// Problems that fall back from the Sturm route to the action matrix, in any order.
struct ProblemList {
    unsigned* count;
    unsigned* problems;
};

/// Solves a problem on each thread. The Sturm route appends problems that it leaves to `left`;
/// else, where `listed`, only the problems of `left` are solved.
template <FivePointRoute kRoute>
__global__ void __launch_bounds__(kThreads)
    five_point_kernel(const PointPair* pairs, unsigned count, double* essentials, int* n_found,
                      ProblemList left, bool listed) {
    using Team = eigen::ThreadTeam<double>;
    if (listed) count = *left.count;
    for (unsigned first = blockIdx.x * kThreads; first < count; first += gridDim.x * kThreads) {
        unsigned index = first + threadIdx.x;
        bool there = index < count;
        std::size_t problem = !there ? 0 : listed ? left.problems[index] : index;
        double own[20];
        bool finite = true;
        for (int i = 0; i < 5; ++i) {
            PointPair pair = pairs[problem * 5 + i];
            own[4 * i] = pair.x1;
            own[4 * i + 1] = pair.y1;
            own[4 * i + 2] = pair.x2;
            own[4 * i + 3] = pair.y2;
        }
        for (double& x : own) {
            finite = finite && x * 0 == 0;
            x = finite ? x : 0;
        }
        if (there) n_found[problem] = 0;
        EssentialWriter<Team> writer{essentials, n_found, &problem};
        if constexpr (kRoute == FivePointRoute::sturm) {
            pose::SturmEssentialStorage<double> storage;
            if (pose::essentials_by_sturm<Team>(own, there && finite, storage, writer))
                left.problems[atomic_append(left.count)] = static_cast<unsigned>(problem);
        } else {
            pose::EssentialStorage<double> storage;
            pose::essentials_of<kRoute == FivePointRoute::action_qr>(Team(), own, there && finite,
                                                                     storage, writer);
        }
    }
}

#else

/// Solves problems on one thread, one in each lane.
struct FivePointLanes {
    using Team = eigen::PackTeam<double>;
    using Real = Team::Real;
    static constexpr std::size_t kLanes = Team::kLanes;

    View<const PointPair> pairs;
    View<double> essentials;
    View<int> n_found;
    pose::EssentialStorage<Real> action{};
    pose::SturmEssentialStorage<Real> sturm{};

    /// Solves up to kLanes problems; returns the lanes that the Sturm route has left.
    unsigned solve(std::span<const std::size_t> problems, FivePointRoute route) {
        Real own[20], valid(0.0);
        std::size_t of_lanes[kLanes] = {};
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            auto at = static_cast<long>(lane);
            bool there = lane < problems.size();
            if (there) n_found[of_lanes[lane] = problems[lane]] = 0;
            for (std::size_t i = 0; i < 5; ++i) {
                auto& pair = pairs[problems[there ? lane : 0] * 5 + i];
                const double xy[4] = {pair.x1, pair.y1, pair.x2, pair.y2};
                for (std::size_t k = 0; k < 4; ++k) {
                    bool finite = xy[k] * 0 == 0;
                    there = there && finite;
                    own[4 * i + k].v[at] = finite ? xy[k] : 0;
                }
            }
            valid.v[at] = there ? 1 : 0;
        }
        EssentialWriter<Team> writer{essentials.data, n_found.data, of_lanes};
        auto wanted = valid > Real(0.0);
        if (route == FivePointRoute::sturm)
            return eigen::lanes_of(pose::essentials_by_sturm<Team>(own, wanted, sturm, writer));
        if (route == FivePointRoute::action_qr)
            pose::essentials_of<true>(Team(), own, wanted, action, writer);
        else
            pose::essentials_of(Team(), own, wanted, action, writer);
        return 0;
    }

    /// Solves the problems from `first` to `end`; returns the number that the Sturm route has left.
    std::size_t solve_part(std::size_t first, std::size_t end, FivePointRoute route) {
        std::vector<std::size_t> problems(end - first), left;
        std::iota(problems.begin(), problems.end(), first);
        in_lanes(problems, [&](std::span<const std::size_t> own) {
            unsigned lanes = solve(own, route);
            for (std::size_t lane = 0; lane < own.size(); ++lane)
                if (lanes >> lane & 1) left.push_back(own[lane]);
        });
        // Packs full of these cost less than a few of them in many packs.
        in_lanes(left, [&](std::span<const std::size_t> own) {
            (void)solve(own, FivePointRoute::action);
        });
        return left.size();
    }

  private:
    template <class Solve>
    static void in_lanes(std::span<const std::size_t> problems, const Solve& solve) {
        for (; !problems.empty(); problems = problems.subspan(std::min(kLanes, problems.size())))
            solve(problems.first(std::min(kLanes, problems.size())));
    }
};

#endif

}  // namespace

void five_point(Stream& stream, View<const PointPair> pairs, std::size_t count,
                View<double> essentials, View<int> n_found, FivePointRoute route,
                std::size_t* n_left) {
    if (n_left) *n_left = 0;
    if (count == 0) return;
#if defined(__CUDACC__)
    constexpr std::size_t kMost = std::size_t{1} << 30;  // problems are numbered by 32 bits
    for (std::size_t first = 0; first < count; first += kMost) {
        std::size_t n = count - first < kMost ? count - first : kMost;
        unsigned n_blocks = blocks_for(n, kThreads);
        auto launch_route = [&](auto kernel, unsigned blocks, ProblemList left, bool listed) {
            launch(stream, "five-point", blocks, kThreads, kernel, pairs.data + 5 * first,
                   static_cast<unsigned>(n), essentials.data + first * kMostEssentials * 9,
                   n_found.data + first, left, listed);
        };
        if (route != FivePointRoute::sturm) {
            launch_route(route == FivePointRoute::action
                             ? five_point_kernel<FivePointRoute::action>
                             : five_point_kernel<FivePointRoute::action_qr>,
                         n_blocks, {}, false);
            continue;
        }
        Scratch scratch(stream);
        ProblemList left{scratch.take<unsigned>(1).data, scratch.take<unsigned>(n).data};
        stream.device().fill_zero(stream, left.count, sizeof(unsigned));
        launch_route(five_point_kernel<FivePointRoute::sturm>, n_blocks, left, false);
        constexpr unsigned kShareLeft = 8;
        launch_route(five_point_kernel<FivePointRoute::action>,
                     (n_blocks + kShareLeft - 1) / kShareLeft, left, true);
        if (!n_left) continue;
        unsigned own = 0;
        stream.device().download(stream, &own, left.count, sizeof own);
        *n_left += own;
    }
#else
    constexpr std::size_t kPart = 256;
    std::atomic<std::size_t> all_left{0};
    tbb::parallel_for(
        tbb::blocked_range<std::size_t>(0, (count + kPart - 1) / kPart), [&](const auto& parts) {
            auto lanes = std::make_unique<FivePointLanes>(pairs, essentials, n_found);
            for (auto k = parts.begin(); k < parts.end() && !stream.is_cancelled(); ++k)
                all_left += lanes->solve_part(k * kPart, std::min(count, (k + 1) * kPart), route);
        });
    stream.check_cancelled();
    if (n_left) *n_left = all_left;
#endif
}

TL_DEVICE_END
