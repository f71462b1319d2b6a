#include "solvers/pose/estimate_pose.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "solvers/pose/ransac/chance_fit.h"
#include "solvers/pose/ransac/doubtful_pose.h"
#include "solvers/pose/ransac/working_matches.h"

namespace tl {

std::size_t match_size(PoseKind kind) {
    return is_relative(kind) ? 4 : 5;
}
bool is_relative(PoseKind kind) {
    return kind == PoseKind::relative || kind == PoseKind::relative_focal;
}
bool finds_focal(PoseKind kind) {
    return kind == PoseKind::relative_focal || kind == PoseKind::absolute_focal;
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
            return 5;
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
         "samples that the mode staged takes at a time; 0: 2048 on a GPU and 160 on the CPU"},
    };
    return all.of(config);
}

namespace {

RansacResult run_ransac(Stream& stream, PoseKind kind, const RansacTask& task, SolverRun& run) {
    auto& device = stream.device();
    switch (kind) {
        case PoseKind::relative:
            return TL_DISPATCH(device, ransac_relative(stream, task, run));
        case PoseKind::relative_focal:
            return TL_DISPATCH(device, ransac_relative_focal(stream, task, run));
        case PoseKind::absolute:
            return TL_DISPATCH(device, ransac_absolute(stream, task, run));
        case PoseKind::absolute_focal:
            break;
    }
    return TL_DISPATCH(device, ransac_absolute_focal(stream, task, run));
}

}  // namespace

PoseEstimate estimate_pose(Stream& stream, PoseKind kind, const PinholeCamera& camera,
                           std::span<const double> matches, const RansacConfig& config,
                           SolverRun& run, RansacMode mode) {
    auto start = std::chrono::steady_clock::now();
    auto working = make_working_matches(stream, kind, camera, matches,
                                        static_cast<std::uint64_t>(config.seed));
    const RansacLimits limits{config.threshold / working.scale, config.confidence,
                              static_cast<std::uint64_t>(config.most_samples),
                              static_cast<std::uint64_t>(config.seed),
                              static_cast<std::uint32_t>(config.batch)};
    const std::size_t count = working.view.count, size = match_size(kind);
    DeviceArray<std::uint8_t> on_device(stream, count);
    auto [state, stages] =
        run_ransac(stream, kind, {working.view, limits, on_device.view(), mode, config.timed}, run);
    auto marks = on_device.download(stream);

    PoseEstimate result;
    result.stages = std::move(stages);
    result.n_samples = state.n_samples;
    result.n_models = state.n_models;
    result.inliers.resize(count);
    std::vector<double> own;  // the inliers; of pairs as directions
    const double unit = is_relative(kind) ? state.best.focal : 1;
    for (std::size_t i = 0; i < count; ++i) {
        if (!marks[i]) continue;
        std::size_t at = working.order[i];
        result.inliers[at] = 1;
        ++result.n_inliers;
        for (std::size_t k = 0; k < size; ++k)
            own.push_back(working.coordinates[at * size + k] / unit);
    }
    result.pose = working.original(state.best, kind);
    // The gain is the inliers' number less the sum of their squared errors over the threshold's.
    if (result.n_inliers > 0) {
        double lost = static_cast<double>(state.n_inliers) - state.gain;
        result.rms = static_cast<double>(config.threshold) *
                     std::sqrt(std::max(lost, 0.0) / static_cast<double>(state.n_inliers));
    }
    if (is_relative(kind)) {
        motion::essential_of(state.best, result.essential);
        for (double& e : result.essential) e /= std::sqrt(2.0);
    }
    if (result.n_inliers >= least_matches(kind))
        result.log_chance =
            log_chance_fits({kind, state.best, working.coordinates, working.order, result.inliers,
                             static_cast<double>(state.n_models) /
                                 static_cast<double>(std::max<std::uint64_t>(state.n_samples, 1))});
    if (result.n_inliers < least_matches(kind))
        result.doubt = PoseDoubt::not_found;
    else if (fits_by_chance(result.log_chance, count))
        result.doubt = PoseDoubt::by_chance;
    else if (is_relative(kind))
        result.doubt = doubt_of(state.best, own, limits.threshold / unit);
    else if (finds_focal(kind) && focal_is_arbitrary(state.best, own, limits.threshold))
        result.doubt = PoseDoubt::no_focal;
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
