#include "solvers/pose/estimate_pose.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "solvers/pose/ransac/chance_fit.h"
#include "solvers/pose/ransac/doubtful_pose.h"
#include "solvers/pose/ransac/host_solver.h"
#include "solvers/pose/ransac/working_matches.h"

namespace tl {

std::size_t match_size(PoseKind kind) {
    return is_relative(kind) ? 4 : 5;
}
bool is_relative(PoseKind kind) {
    return kind != PoseKind::absolute && kind != PoseKind::absolute_focal;
}
bool finds_matrix(PoseKind kind) {
    return kind == PoseKind::homography || kind == PoseKind::fundamental;
}
bool finds_focal(PoseKind kind) {
    return kind == PoseKind::relative_focal || kind == PoseKind::absolute_focal;
}
bool has_mode(PoseKind kind, RansacMode mode) {
    return mode != RansacMode::hybrid || kind == PoseKind::relative ||
           kind == PoseKind::relative_focal;
}
bool has_solver(PoseKind kind, SampleSolver solver) {
    if (solver == SampleSolver::automatic || kind == PoseKind::relative) return true;
    return solver != SampleSolver::sturm && finds_focal(kind);
}
std::size_t least_matches(PoseKind kind) {
    switch (kind) {
        case PoseKind::relative:
            return 6;
        case PoseKind::relative_focal:
            return 7;
        case PoseKind::absolute:
            return 4;
        case PoseKind::absolute_focal:
        case PoseKind::homography:
            return 5;
        case PoseKind::fundamental:
            return 8;
    }
    return 0;
}

const char* words_of(PoseDoubt doubt) {
    switch (doubt) {
        case PoseDoubt::none:
            return "";
        case PoseDoubt::not_found:
            return "no pose fits more matches than it was computed from";
        case PoseDoubt::pure_rotation:
            return "the camera has only turned: the translation is arbitrary";
        case PoseDoubt::one_plane:
            return "all inliers are in one plane, which a second pose may explain as well";
        case PoseDoubt::no_focal:
            return "all inliers are equally far away: the focal length is arbitrary, and the "
                   "distance "
                   "with it";
        case PoseDoubt::by_chance:
            return "wrong matches alone would fit a pose as well by chance: it may be arbitrary";
        case PoseDoubt::one_homography:
            return "a homography explains all inliers, of one plane or a camera that has only "
                   "turned: the fundamental matrix is arbitrary";
        case PoseDoubt::one_line:
            return "all inliers are on one line: the homography is arbitrary beside it";
    }
    return "";
}

Settings ransac_settings(RansacConfig& config) {
    static const SettingsOf<RansacConfig> all{
        {"threshold", &RansacConfig::threshold, 1e-3f, 1e3f, "pixels",
         "largest error of an inlier"},
        {"confidence", &RansacConfig::confidence, 0.0f, 0.9999999f, "",
         "probability that one of the samples has no outlier, which ends the search"},
        {"samples", &RansacConfig::most_samples, 1, 1'000'000'000, "", "largest number of samples"},
        {"seed", &RansacConfig::seed, 0, 2'000'000'000, "", "seed of the samples"},
        {"batch", &RansacConfig::batch, 0, 1'000'000, "",
         "samples that the modes in stages take at a time; 0: auto, 2048 on a GPU alone, else "
         "160"},
        {"solver", &RansacConfig::solver,
         "solver of samples: sturm, roots by Sturm's chain (relative; automatic in the mode "
         "fused); action, eigenvectors of the action matrix (relative and focal kinds); action-qr, "
         "the same by QR elimination (the same kinds)"},
    };
    return all.of(config);
}

namespace {

PoseResult find_pose(Stream& stream, PoseKind kind, const RansacTask& task, SolverRun& run) {
    auto& device = stream.device();
    switch (kind) {
        case PoseKind::relative:
            return TL_DISPATCH(device, ransac_relative(stream, task, run));
        case PoseKind::relative_focal:
            return TL_DISPATCH(device, ransac_relative_focal(stream, task, run));
        case PoseKind::absolute:
            return TL_DISPATCH(device, ransac_absolute(stream, task, run));
        default:
            return TL_DISPATCH(device, ransac_absolute_focal(stream, task, run));
    }
}
MatrixResult find_matrix(Stream& stream, PoseKind kind, const RansacTask& task, SolverRun& run) {
    return kind == PoseKind::homography
               ? TL_DISPATCH(stream.device(), ransac_homography(stream, task, run))
               : TL_DISPATCH(stream.device(), ransac_fundamental(stream, task, run));
}

/// Takes the numbers that runs of all kinds have, and the inliers in the order given.
template <class Pose>
void take_result(RansacResult<Pose>& found, const std::vector<std::uint8_t>& marks,
                 const WorkingMatches& working, float threshold, PoseEstimate& result) {
    auto& state = found.state;
    result.stages = std::move(found.stages);
    result.n_samples = state.n_samples;
    result.n_models = state.n_models;
    result.inliers.resize(marks.size());
    for (std::size_t i = 0; i < marks.size(); ++i) {
        if (!marks[i]) continue;
        result.inliers[working.order[i]] = 1;
        ++result.n_inliers;
    }
    // The gain is the inliers' number less the sum of their squared errors over the threshold's.
    if (result.n_inliers == 0) return;
    double lost = static_cast<double>(state.n_inliers) - state.gain;
    result.rms = static_cast<double>(threshold) *
                 std::sqrt(std::max(lost, 0.0) / static_cast<double>(state.n_inliers));
}

/// The inliers among matches of `size` numbers, divided by `unit`.
std::vector<double> inliers_of(const PoseEstimate& estimate, std::span<const double> matches,
                               std::size_t size, double unit) {
    std::vector<double> own;
    for (std::size_t i = 0; i < estimate.inliers.size(); ++i)
        for (std::size_t k = 0; k < size && estimate.inliers[i]; ++k)
            own.push_back(matches[i * size + k] / unit);
    return own;
}

/// Whether a homography explains nine tenths of the pairs, to within twice the threshold.
bool one_homography_fits(Stream& stream, std::span<const double> pairs, RansacConfig config,
                         SolverRun& run) {
    constexpr float kFactor = 2;
    constexpr double kShare = 0.9;
    config.threshold *= kFactor;
    config.most_samples = 64;  // two thirds of them have no outlier if nine tenths fit
    config.timed = false;
    SolverRun part(run, 1, 1);
    auto found = estimate_pose(stream, PoseKind::homography, {}, pairs, config, part);
    return static_cast<double>(found.n_inliers) >=
           kShare * static_cast<double>(found.inliers.size());
}

/// Finds a pose with its doubt, in working coordinates, and adds it to the result.
class Estimation {
  public:
    Estimation(Stream& stream, PoseKind kind, std::span<const double> matches,
               const RansacConfig& config, const WorkingMatches& working, SolverRun& run)
        : stream_(stream),
          kind_(kind),
          matches_(matches),
          config_(config),
          working_(working),
          run_(run) {}

    [[nodiscard]] PoseEstimate estimate(const RansacTask& task) {
        if (finds_matrix(kind_)) {
            auto found = find_matrix(stream_, kind_, task, run_);
            matrix_ = found.state.best;
            take(found, task);
            result_.matrix = working_.original(matrix_, kind_);
        } else {
            auto found = find_pose(stream_, kind_, task, run_);
            pose_ = found.state.best;
            take(found, task);
            result_.pose = working_.original(pose_, kind_);
            if (is_relative(kind_)) motion::essential_of(pose_, result_.essential);
            for (double& e : result_.essential) e /= std::sqrt(2.0);
        }
        measure_chance();
        result_.doubt = doubt(task.limits.threshold);
        return std::move(result_);
    }

  private:
    template <class Pose>
    void take(RansacResult<Pose>& found, const RansacTask& task) {
        std::vector<std::uint8_t> marks(task.inliers.size);
        stream_.device().download(stream_, marks.data(), task.inliers.data, marks.size());
        take_result(found, marks, working_, config_.threshold, result_);
    }
    void measure_chance() {
        if (result_.n_inliers < least_matches(kind_)) return;
        auto n_samples = static_cast<double>(std::max<std::uint64_t>(result_.n_samples, 1));
        result_.log_chance =
            log_chance_fits({kind_, pose_, matrix_, working_.coordinates, working_.order,
                             result_.inliers, static_cast<double>(result_.n_models) / n_samples});
    }
    [[nodiscard]] PoseDoubt doubt(double threshold) {
        if (result_.n_inliers < least_matches(kind_)) return PoseDoubt::not_found;
        if (fits_by_chance(result_.log_chance, result_.inliers.size())) return PoseDoubt::by_chance;
        if (kind_ == PoseKind::fundamental) {
            auto own = inliers_of(result_, matches_, match_size(kind_), 1);
            return one_homography_fits(stream_, own, config_, run_) ? PoseDoubt::one_homography
                                                                    : PoseDoubt::none;
        }
        const bool is_pair = is_relative(kind_) && !finds_matrix(kind_);
        const double unit = is_pair ? pose_.focal : 1;  // pairs as directions
        auto own = inliers_of(result_, working_.coordinates, match_size(kind_), unit);
        if (kind_ == PoseKind::homography)
            return are_on_one_line(own, threshold) ? PoseDoubt::one_line : PoseDoubt::none;
        if (is_pair) return doubt_of(pose_, own, threshold / unit);
        return finds_focal(kind_) && focal_is_arbitrary(pose_, own, threshold) ? PoseDoubt::no_focal
                                                                               : PoseDoubt::none;
    }

    Stream& stream_;
    PoseKind kind_;
    std::span<const double> matches_;
    const RansacConfig& config_;
    const WorkingMatches& working_;
    SolverRun& run_;
    CameraPose pose_;
    ViewMatrix matrix_;
    PoseEstimate result_;
};

/// Throws UserError if the kind does not have this mode or solver.
void check_choice(PoseKind kind, SampleSolver solver, RansacMode mode) {
    if (!has_mode(kind, mode))
        throw UserError(
            "pose mode hybrid is for the kinds relative and relative-focal alone; use the mode "
            "split");
    if (solver == SampleSolver::automatic) return;
    if (mode == RansacMode::hybrid)
        throw UserError(
            "pose mode hybrid has the action matrix alone; use the solver automatic, "
            "or the mode split");
    if (!has_solver(kind, solver))
        throw UserError("samples of this kind of pose do not have the solver " +
                        std::string(name_of(solver)) + "; use the solver automatic");
}

}  // namespace

PoseEstimate estimate_pose(Stream& stream, PoseKind kind, const PinholeCamera& camera,
                           std::span<const double> matches, const RansacConfig& config,
                           SolverRun& run, RansacMode mode) {
    auto start = std::chrono::steady_clock::now();
    check_choice(kind, config.solver, mode);
    auto working = make_working_matches(stream, kind, camera, matches,
                                        static_cast<std::uint64_t>(config.seed));
    const RansacLimits limits{config.threshold / working.scale, config.confidence,
                              static_cast<std::uint64_t>(config.most_samples),
                              static_cast<std::uint64_t>(config.seed),
                              static_cast<std::uint32_t>(config.batch)};
    DeviceArray<std::uint8_t> inliers(stream, working.view.count);
    std::unique_ptr<HostSolver> on_host;
    if (mode == RansacMode::split || mode == RansacMode::hybrid)
        on_host = make_host_solver(mode, kind, config.solver, working.host_view(), stream.device());
    Estimation estimation(stream, kind, matches, config, working, run);
    auto result = estimation.estimate(
        {working.view, limits, inliers.view(), mode, config.solver, config.timed, on_host.get()});
    result.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return result;
}

void add_times(std::vector<StageTime>& sums, const std::vector<StageTime>& times) {
    for (auto& time : times) {
        auto row = std::ranges::find(sums, time.name, &StageTime::name);
        if (row == sums.end())
            sums.push_back(time);
        else
            row->milliseconds += time.milliseconds;
    }
}

}  // namespace tl
