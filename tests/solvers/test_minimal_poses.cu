// Poses from minimal numbers of points, compared with the poses that generated the points.
#include <algorithm>
#include <cmath>
#include <random>

#include "core/device/parallel_for.h"
#include "solvers/pose/random_views.h"
#include "solvers/pose/ransac/absolute_problem.h"
#include "solvers/pose/ransac/fundamental_problem.h"
#include "solvers/pose/ransac/homography_problem.h"
#include "solvers/pose/ransac/relative_problem.h"
#include "tests/device_test.h"

namespace tl::TL_DEVICE_NAME {
namespace {

using namespace pose;

/// Stores, for each problem in a team's lanes, the distance of the nearest model to the true one:
/// the largest difference of an element, up to the common sign.
template <class Problem>
struct NearestModel {
    const double* truth;  ///< kModel numbers for each problem
    double* errors;
    std::uint32_t first;

    TL_D void model(typename SolverTeam::Mask want, const typename SolverTeam::Real* m) {
        for (int lane = 0; lane < kLanes<double>; ++lane) {
            if (!lane_is_in(want, lane)) continue;
            std::uint32_t problem = first + static_cast<std::uint32_t>(lane);
            double plus = 0, minus = 0;
            for (int j = 0; j < Problem::kModel; ++j) {
                double own = of_lane(m[j], lane), other = truth[problem * Problem::kModel + j];
                // The focal length is positive: its sign is not ambiguous.
                bool is_focal = j == 9 || j == 12;
                plus = fmax(plus, fabs(own - other));
                minus = fmax(minus, fabs(is_focal ? own - other : own + other));
            }
            errors[problem] = fmin(errors[problem], fmin(plus, minus));
        }
    }
};

template <class Problem>
struct SolveProblems {
    const double* samples;
    NearestModel<Problem> nearest;

    TL_D void operator()(std::uint32_t group) const {
        constexpr int kNumbers = Problem::kSample * Problem::kCoordinates;
        constexpr auto kTeam = static_cast<std::uint32_t>(kLanes<double>);
        Lanes<double> sample[kNumbers];
        for (int i = 0; i < kNumbers; ++i) {
            double own[kTeam];
            for (std::uint32_t lane = 0; lane < kTeam; ++lane)
                own[lane] = samples[(group * kTeam + lane) * kNumbers + i];
            sample[i] = load_lanes(own);
        }
        auto own = nearest;
        own.first = group * kTeam;
        typename Problem::template Storage<Lanes<double>> storage;
        Problem::solve(SolverTeam(), sample, Lanes<double>(0.0) < Lanes<double>(1.0), storage, own);
    }
};

/// The model of a pose that Problem has, in units of the focal length or of `scale` pixels.
std::vector<double> model_of(const CameraPose& pose, PoseKind kind, double scale) {
    std::vector<double> model;
    double f = finds_focal(kind) ? pose.focal / scale : 1;
    if (is_relative(kind)) {
        double e[9], squares = 0;
        motion::essential_of(pose, e);
        // Views of a rotation have the rotation as homography.
        if (kind == PoseKind::homography) std::copy(pose.rotation, pose.rotation + 9, e);
        for (int j = 0; j < 9; ++j) {
            model.push_back(e[j] * (j / 3 == 2 ? f : 1) * (j % 3 == 2 ? f : 1));
            squares += model.back() * model.back();
        }
        for (double& x : model) x /= std::sqrt(squares);
    } else {
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 4; ++j)
                model.push_back((i < 2 ? f : 1) *
                                (j < 3 ? pose.rotation[3 * i + j] : pose.translation[i]));
    }
    if (finds_focal(kind)) model.push_back(f);
    return model;
}

/// The errors of problems, sorted: samples one after the other, and their true models.
template <class Problem>
std::vector<double> errors_of_samples(Stream& stream, const std::vector<double>& samples,
                                      const std::vector<double>& truth) {
    const std::size_t count = truth.size() / Problem::kModel;
    DeviceArray<double> samples_there(stream, std::span<const double>(samples));
    DeviceArray<double> truth_there(stream, std::span<const double>(truth));
    const std::vector<double> none(count, 1e300);
    DeviceArray<double> errors(stream, std::span<const double>(none));
    parallel_for(
        stream, "solve minimal problems", static_cast<std::uint32_t>(count) / kLanes<double>,
        SolveProblems<Problem>{samples_there.data(), {truth_there.data(), errors.data(), 0}});
    auto result = errors.download(stream);
    std::sort(result.begin(), result.end());
    return result;
}

/// The errors of `count` random problems, sorted.
template <class Problem>
std::vector<double> errors_of(Stream& stream, PoseKind kind, std::size_t count,
                              ViewsKind views_kind = ViewsKind::general) {
    constexpr double kScale = 500;
    std::vector<double> samples, truth;
    for (std::size_t i = 0; i < count; ++i) {
        auto views = make_views({kind, views_kind, Problem::kSample, 0, 0, i});
        double unit = finds_focal(kind) ? kScale : views.camera.fx;
        for (std::size_t k = 0; k < views.matches.size(); ++k) {
            std::size_t c = k % Problem::kCoordinates;
            bool in_image = is_relative(kind) || c < 2;
            double center = c % 2 == 0 ? views.camera.cx : views.camera.cy;
            samples.push_back(in_image ? (views.matches[k] - center) / unit : views.matches[k]);
        }
        auto model = model_of(views.pose, kind, kScale);
        truth.insert(truth.end(), model.begin(), model.end());
    }
    return errors_of_samples<Problem>(stream, samples, truth);
}

/// Pairs of points of which `n_behind` are behind the second camera, which has moved by t: both lie
/// on epipolar lines of F all the same.
void add_pairs(std::mt19937_64& random, int n_behind, std::vector<double>& samples,
               std::vector<double>& truth) {
    std::uniform_real_distribution<double> even(-1, 1);
    const double t[3] = {0.4 * even(random), 0.4 * even(random), -2.5};
    for (int i = 0; i < FundamentalProblem::kSample; ++i) {
        const double depth = i < n_behind ? 1.5 + 0.5 * even(random) : 6 + 2 * even(random);
        const double p[3] = {depth * even(random), depth * even(random), depth};
        const double z = p[2] + t[2];
        samples.insert(samples.end(),
                       {p[0] / depth, p[1] / depth, (p[0] + t[0]) / z, (p[1] + t[1]) / z});
    }
    // [t]x of norm 1.
    const double norm = std::sqrt(2 * motion::dot(t, t));
    for (double x : {0., -t[2], t[1], t[2], 0., -t[0], -t[1], t[0], 0.}) truth.push_back(x / norm);
}

}  // namespace
}  // namespace tl::TL_DEVICE_NAME

// Limits are about ten times the errors seen in as many problems. A few of them are ill-conditioned
// by nature, where points are nearly in one plane or line.
TL_DEVICE_TEST(ThreePoint, FindsThePoseOfAView) {
    auto errors = errors_of<AbsoluteProblem<false>>(stream, PoseKind::absolute, 8192);
    EXPECT_LT(errors[4096], 1e-11);
    EXPECT_LT(errors.back(), 1e-6);
}

TL_DEVICE_TEST(FourPointFocal, FindsThePoseAndTheFocalLengthOfAView) {
    auto errors = errors_of<AbsoluteProblem<true>>(stream, PoseKind::absolute_focal, 4096);
    EXPECT_LT(errors[2048], 1e-9);
    EXPECT_LT(errors[4096 - 41], 1e-5);
}

TL_DEVICE_TEST(FourPointFocal, FindsThePoseAndTheFocalLengthOfAViewOfAPlane) {
    auto errors =
        errors_of<AbsoluteProblem<true>>(stream, PoseKind::absolute_focal, 4096, ViewsKind::plane);
    EXPECT_LT(errors[2048], 1e-11);
    EXPECT_LT(errors[4096 - 41], 1e-7);
}

TL_DEVICE_TEST(SevenPoint, FindsTheFundamentalMatrixOfTwoViews) {
    auto errors = errors_of<FundamentalProblem>(stream, PoseKind::fundamental, 4096);
    EXPECT_LT(errors[2048], 1e-11);
    EXPECT_LT(errors[4096 - 41], 1e-7);
}

TL_DEVICE_TEST(SevenPoint, LeavesOutMatricesWithPointsBehindACamera) {
    constexpr std::size_t kCount = 512;
    for (int n_behind : {0, 1, 3, 7}) {
        std::mt19937_64 random(5);
        std::vector<double> samples, truth;
        for (std::size_t i = 0; i < kCount; ++i) add_pairs(random, n_behind, samples, truth);
        auto errors = errors_of_samples<FundamentalProblem>(stream, samples, truth);
        // Points that are all behind it are as those of a camera that looks the other way.
        if (n_behind % 7 == 0) {
            EXPECT_LT(errors[kCount - 6], 1e-6) << n_behind;
        } else {
            EXPECT_GT(errors[0], 1e-3) << n_behind;
        }
    }
}

TL_DEVICE_TEST(FourPoint, FindsTheHomographyOfARotation) {
    auto errors =
        errors_of<HomographyProblem>(stream, PoseKind::homography, 4096, ViewsKind::rotation);
    EXPECT_LT(errors[2048], 1e-13);
    EXPECT_LT(errors[4096 - 41], 1e-10);
}

TL_DEVICE_TEST(SixPointFocal, FindsThePoseAndTheFocalLengthOfTwoViews) {
    auto errors = errors_of<RelativeProblem<true>>(stream, PoseKind::relative_focal, 4096);
    EXPECT_LT(errors[2048], 1e-9);
    EXPECT_LT(errors[4096 - 41], 1e-4);
}
