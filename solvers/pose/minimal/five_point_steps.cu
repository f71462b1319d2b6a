// Steps of the hybrid five-point solver: on the CPU the action matrices and the use of their
// eigenvectors, on the device the eigenvectors.
#include "solvers/eigen/eigen_kernels.h"
#include "solvers/pose/minimal/five_point_hybrid.h"

#if !defined(__CUDACC__)
#include <tbb/parallel_for.h>

#include <cmath>
#include <vector>

#include "solvers/eigen/team.h"
#include "solvers/pose/minimal/essential_kernel.h"
#endif

TL_DEVICE_BEGIN

void start_action_vectors(Stream& stream, View<const double> matrices, std::size_t count,
                          double* values, double* vectors, int* sweeps, int* status) {
    const EigenBatch<double> batch{matrices, kFivePointRows, count};
    const EigenOutputs<double> outputs{values, vectors, sweeps, status};
    const EigenLimits limits;
#if defined(__CUDACC__)
    // A thread a matrix is slower for parts of a few thousand.
    eigen_lanes(stream, batch, {0, count}, EigenPairs::real, limits, outputs);
#else
    eigen_simd(stream, batch, {0, count}, EigenPairs::real, limits, outputs);
#endif
}

#if !defined(__CUDACC__)

namespace five_point_steps {

using Team = eigen::PackTeam<double>;
using Real = Team::Real;
constexpr std::size_t kLanesOfPack = Team::kLanes;
constexpr auto kRows = static_cast<std::size_t>(kFivePointRows);

/// Problems in the lanes of packs, between both steps.
struct Group {
    pose::EssentialStorage<Real> storage;
    Real valid;  ///< 1 where there is an action matrix
};

/// Writes the essential matrices of a group.
struct GroupWriter {
    std::size_t first, count;
    double* essentials;
    std::span<int> n_found;

    void essential(Team::Mask want, const Real* e) {
        for (std::size_t lane = 0; lane < count; ++lane) {
            if (!(eigen::lanes_of(want) >> lane & 1)) continue;
            std::size_t problem = first + lane;
            auto n = static_cast<std::size_t>(n_found[problem]++);
            double* to = essentials + (problem * kMostEssentials + n) * 9;
            for (int j = 0; j < 9; ++j) to[j] = e[j].v[static_cast<long>(lane)];
        }
    }
};

/// Builds the matrices of the problems in a group's lanes.
void build_group(Group& group, std::span<const PointPair> pairs, std::size_t first,
                 std::size_t count, double* matrices) {
    Real own[20];
    group.valid = Real(0.0);
    for (std::size_t lane = 0; lane < kLanesOfPack; ++lane) {
        auto at = static_cast<long>(lane);
        bool there = lane < count;
        for (std::size_t i = 0; i < 5; ++i) {
            auto& pair = pairs[(first + (there ? lane : 0)) * 5 + i];
            const double xy[4] = {pair.x1, pair.y1, pair.x2, pair.y2};
            for (std::size_t k = 0; k < 4; ++k) {
                bool finite = std::isfinite(xy[k]);
                there = there && finite;
                own[4 * i + k].v[at] = finite ? xy[k] : 0;
            }
        }
        group.valid.v[at] = there ? 1 : 0;
    }
    using Solver = minimal::FivePoint;
    static_assert(Solver::kSolutions == kFivePointRows);
    auto& solver = group.storage.solver;
    (void)pose::find_basis(own, group.storage);
    auto regular = minimal::action_rows<false, Team>(Solver(), group.storage.basis, solver);
    group.valid = eigen::select(regular, group.valid, Real(0.0));
    Real matrix[kRows * kRows];
    Solver().action(&solver.reduced[0], matrix);
    for (std::size_t lane = 0; lane < count; ++lane) {
        auto at = static_cast<long>(lane);
        double* to = matrices + (first + lane) * kRows * kRows;
        for (std::size_t e = 0; e < kRows * kRows; ++e)
            to[e] = group.valid.v[at] > 0 ? matrix[e].v[at] : 0;
    }
}

/// Turns column `column` of the vectors of a group's problems into essential matrices.
void finish_column(Group& group, const ActionVectors& found, std::size_t column,
                   GroupWriter& writer) {
    Real y[kRows], eigenvalue(0.0), there(0.0);
    for (Real& element : y) element = Real(0.0);
    for (std::size_t lane = 0; lane < writer.count; ++lane) {
        auto at = static_cast<long>(lane);
        const double* values = found.values + (writer.first + lane) * 2 * kRows;
        const double* vectors = found.vectors + (writer.first + lane) * kRows * kRows;
        std::size_t n_real = 0;
        for (std::size_t i = 0; i < kRows; ++i) {
            // Values that were not found are NaN.
            if (!(values[2 * i + 1] == 0)) continue;
            if (n_real++ != column || !(group.valid.v[at] > 0)) continue;
            eigenvalue.v[at] = values[2 * i];
            there.v[at] = 1;
            for (std::size_t k = 0; k < kRows; ++k) y[k].v[at] = vectors[k * kRows + column];
        }
    }
    auto want = there > Real(0.0);
    if (!Team::any(want)) return;
    Real u[minimal::FivePoint::kUnknowns];
    (void)minimal::solution_of<Team>(minimal::FivePoint(), group.storage.solver, eigenvalue, y,
                                     pose::kMostFiveSteps, want, u);
    pose::EssentialSink<Team, GroupWriter> sink{group.storage.basis, writer};
    sink.solution(want, u);
}

}  // namespace five_point_steps

struct FivePointSteps::Lanes {
    std::vector<five_point_steps::Group> groups;
    std::size_t count = 0;

    template <class Work>
    void for_groups(const Work& work) {
        constexpr std::size_t kLanesOfPack = five_point_steps::kLanesOfPack;
        tbb::parallel_for(std::size_t{0}, (count + kLanesOfPack - 1) / kLanesOfPack,
                          [&](std::size_t i) {
                              std::size_t first = i * kLanesOfPack;
                              work(groups[i], first, std::min(kLanesOfPack, count - first));
                          });
    }
};

FivePointSteps::FivePointSteps() : lanes_(std::make_unique<Lanes>()) {}
FivePointSteps::~FivePointSteps() = default;

using namespace five_point_steps;

void FivePointSteps::build(std::span<const PointPair> pairs, double* matrices) {
    lanes_->count = pairs.size() / 5;
    lanes_->groups.resize(lanes_->count / five_point_steps::kLanesOfPack + 1);
    lanes_->for_groups([&](Group& group, std::size_t first, std::size_t count) {
        build_group(group, pairs, first, count, matrices);
    });
}

void FivePointSteps::finish(const ActionVectors& found, double* essentials,
                            std::span<int> n_found) {
    lanes_->for_groups([&](Group& group, std::size_t first, std::size_t count) {
        for (std::size_t lane = 0; lane < count; ++lane) n_found[first + lane] = 0;
        GroupWriter writer{first, count, essentials, n_found};
        for (std::size_t column = 0; column < kRows; ++column)
            finish_column(group, found, column, writer);
    });
}

#endif

TL_DEVICE_END
