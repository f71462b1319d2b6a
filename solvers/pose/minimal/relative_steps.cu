// Steps of the hybrid solver of relative poses: on the CPU the action matrices and the use of their
// eigenvectors, on the device the eigenvectors.
#include "solvers/eigen/eigen_kernels.h"
#include "solvers/pose/minimal/relative_hybrid.h"

#if !defined(__CUDACC__)
#include <tbb/parallel_for.h>

#include <cmath>
#include <vector>

#include "solvers/eigen/team.h"
#include "solvers/pose/minimal/essential_kernel.h"
#include "solvers/pose/minimal/focal_kernels.h"
#endif

TL_DEVICE_BEGIN

void start_action_vectors(Stream& stream, View<const double> matrices, int rows, std::size_t count,
                          double* values, double* vectors, int* sweeps, int* status) {
    const EigenBatch<double> batch{matrices, rows, count};
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

namespace relative_steps {

using Team = eigen::PackTeam<double>;
using Real = Team::Real;
constexpr std::size_t kLanesOfPack = Team::kLanes;

/// Writes the models of a group of problems, in the lanes of a pack.
struct GroupWriter {
    RelativeSizes sizes;
    std::size_t first, count;
    double* models;
    std::span<int> n_found;

    void essential(Team::Mask want, const Real* e) { model(want, e); }
    void model(Team::Mask want, const Real* m) {
        for (std::size_t lane = 0; lane < count; ++lane) {
            if (!(eigen::lanes_of(want) >> lane & 1)) continue;
            std::size_t problem = first + lane;
            auto n = static_cast<std::size_t>(n_found[problem]++);
            double* to = models + (problem * sizes.rows + n) * sizes.model;
            for (std::size_t j = 0; j < sizes.model; ++j) to[j] = m[j].v[static_cast<long>(lane)];
        }
    }
};

/// The two problems: their generated solver, and models from its unknowns.
struct FivePointViews {
    using Solver = minimal::FivePoint;
    using Storage = pose::EssentialStorage<Real>;
    using Sink = pose::EssentialSink<Team, GroupWriter>;
    static constexpr RelativeSizes kSizes = kFivePointSizes;
    static constexpr int kMostSteps = pose::kMostFiveSteps;
};
struct SixPointViews {
    using Solver = minimal::SixPointFocal;
    using Storage = pose::FundamentalStorage<Real>;
    using Sink = pose::FundamentalSink<Team, GroupWriter>;
    static constexpr RelativeSizes kSizes = kSixPointSizes;
    static constexpr int kMostSteps = pose::kMostFocalSteps;
};

template <class Views>
class StepsOf final : public RelativeSteps {
  public:
    void build(std::span<const PointPair> pairs, double* matrices) override {
        count_ = pairs.size() / kPairs;
        groups_.resize(count_ / kLanesOfPack + 1);
        for_groups([&](Group& group, std::size_t first, std::size_t count) {
            build_group(group, pairs, first, count, matrices);
        });
    }
    void finish(const ActionVectors& found, double* models, std::span<int> n_found) override {
        for_groups([&](Group& group, std::size_t first, std::size_t count) {
            for (std::size_t lane = 0; lane < count; ++lane) n_found[first + lane] = 0;
            GroupWriter writer{Views::kSizes, first, count, models, n_found};
            for (std::size_t column = 0; column < kRows; ++column)
                finish_column(group, found, column, writer);
        });
    }

  private:
    using Solver = typename Views::Solver;
    static constexpr std::size_t kPairs = Views::kSizes.pairs, kRows = Views::kSizes.rows;
    static_assert(Solver::kSolutions == kRows);

    /// Problems in the lanes of packs, between both steps.
    struct Group {
        typename Views::Storage storage;
        Real valid;  ///< 1 where there is an action matrix
    };

    template <class Work>
    void for_groups(const Work& work) {
        tbb::parallel_for(std::size_t{0}, (count_ + kLanesOfPack - 1) / kLanesOfPack,
                          [&](std::size_t i) {
                              std::size_t first = i * kLanesOfPack;
                              work(groups_[i], first, std::min(kLanesOfPack, count_ - first));
                          });
    }

    /// Loads the pairs of the problems in a group's lanes, and finds which are finite.
    static void load_pairs(std::span<const PointPair> pairs, std::size_t first, std::size_t count,
                           Real* own, Real& valid) {
        valid = Real(0.0);
        for (std::size_t lane = 0; lane < kLanesOfPack; ++lane) {
            auto at = static_cast<long>(lane);
            bool there = lane < count;
            for (std::size_t i = 0; i < kPairs; ++i) {
                auto& pair = pairs[(first + (there ? lane : 0)) * kPairs + i];
                const double xy[4] = {pair.x1, pair.y1, pair.x2, pair.y2};
                for (std::size_t k = 0; k < 4; ++k) {
                    bool finite = std::isfinite(xy[k]);
                    there = there && finite;
                    own[4 * i + k].v[at] = finite ? xy[k] : 0;
                }
            }
            valid.v[at] = there ? 1 : 0;
        }
    }

    /// Builds the matrices of the problems in a group's lanes.
    static void build_group(Group& group, std::span<const PointPair> pairs, std::size_t first,
                            std::size_t count, double* matrices) {
        Real own[4 * kPairs];
        load_pairs(pairs, first, count, own, group.valid);
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

    /// Turns column `column` of the vectors of a group's problems into models.
    static void finish_column(Group& group, const ActionVectors& found, std::size_t column,
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
        Real u[Solver::kUnknowns];
        (void)minimal::solution_of<Team>(Solver(), group.storage.solver, eigenvalue, y,
                                         Views::kMostSteps, want, u);
        typename Views::Sink sink{group.storage.basis, writer};
        sink.solution(want, u);
    }

    std::vector<Group> groups_;
    std::size_t count_ = 0;
};

}  // namespace relative_steps

std::unique_ptr<RelativeSteps> make_relative_steps(bool with_focal) {
    using namespace relative_steps;
    if (with_focal) return std::make_unique<StepsOf<SixPointViews>>();
    return std::make_unique<StepsOf<FivePointViews>>();
}

#endif

TL_DEVICE_END
