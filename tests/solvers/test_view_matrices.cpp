// Homographies and fundamental matrices from matches with many outliers, compared with those of the
// cameras and planes that generated the matches.
#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "solvers/pose/minimal/four_pairs.h"
#include "solvers/pose/minimal/svd_three.h"
#include "solvers/pose/pose_solver.h"
#include "solvers/pose/random_views.h"
#include "tests/sanitized.h"
#include "tests/unit/temp_folder.h"

namespace tl::view_matrices_tests {
namespace {

PoseEstimate estimate(Stream& stream, const ViewsSpec& spec, const RandomViews& views,
                      RansacConfig config = {}, RansacMode mode = RansacMode::fused) {
    SolverRun run;
    return estimate_pose(stream, spec.pose, {}, views.matches, config, run, mode);
}

/// Kinds of views that determine a matrix of this kind.
std::vector<ViewsKind> views_of(PoseKind kind) {
    if (kind == PoseKind::fundamental) return {ViewsKind::general, ViewsKind::forward};
    return {ViewsKind::plane, ViewsKind::facing_plane, ViewsKind::rotation};
}

/// K^-T M K^-1 for a fundamental matrix, K M K^-1 for a homography, of Frobenius norm 1.
ViewMatrix in_pixels(const double* m, const PinholeCamera& camera, PoseKind kind) {
    const double k[9] = {camera.fx, 0, camera.cx, 0, camera.fy, camera.cy, 0, 0, 1};
    const double inverse[9] = {1 / camera.fx,
                               0,
                               -camera.cx / camera.fx,
                               0,
                               1 / camera.fy,
                               -camera.cy / camera.fy,
                               0,
                               0,
                               1};
    double left[9], half[9];
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            left[3 * i + j] = kind == PoseKind::fundamental ? inverse[3 * j + i] : k[3 * i + j];
    ViewMatrix result;
    motion::multiply(left, m, half);
    motion::multiply(half, inverse, result.m);
    motion::normalise_matrix(result.m);
    return result;
}

/// The largest difference of two matrices up to their sign.
double difference(const ViewMatrix& a, const ViewMatrix& b) {
    double plus = 0, minus = 0;
    for (int i = 0; i < 9; ++i) {
        plus = std::max(plus, std::abs(a.m[i] + b.m[i]));
        minus = std::max(minus, std::abs(a.m[i] - b.m[i]));
    }
    return std::min(plus, minus);
}

/// The largest distance of x2 from H x1, in pixels, over the right matches; infinite where a third
/// component is not positive.
double largest_transfer_error(const ViewMatrix& h, const RandomViews& views) {
    double largest = 0;
    for (std::size_t i = 0; i < views.right.size(); ++i) {
        if (!views.right[i]) continue;
        const double* c = views.matches.data() + 4 * i;
        const double first[3] = {c[0], c[1], 1};
        double moved[3];
        motion::rotate(h.m, first, moved);
        if (!(moved[2] > 0)) return std::numeric_limits<double>::infinity();
        largest =
            std::max(largest, std::hypot(moved[0] / moved[2] - c[2], moved[1] / moved[2] - c[3]));
    }
    return largest;
}

class ViewMatrices : public testing::TestWithParam<PoseKind> {};

TEST_P(ViewMatrices, AreExactForMatchesWithoutNoise) {
    for (Device* device : devices()) {
        auto stream = device->create_stream();
        for (auto kind : views_of(GetParam())) {
            ViewsSpec spec{GetParam(), kind, 500, 0, 0.3, 11};
            auto views = make_views(spec);
            RansacConfig config;
            config.threshold = 0.01f;  // few outliers happen to fit
            auto found = estimate(*stream, spec, views, config);
            EXPECT_EQ(found.doubt, PoseDoubt::none) << words_of(found.doubt);
            EXPECT_GE(found.n_inliers, 350u);
            EXPECT_LT(found.rms, 1e-3);
            if (GetParam() == PoseKind::fundamental) {
                double e[9];
                motion::essential_of(views.pose, e);
                EXPECT_LT(difference(found.matrix, in_pixels(e, views.camera, GetParam())), 1e-9);
            } else {
                EXPECT_LT(largest_transfer_error(found.matrix, views), 1e-6);
            }
            if (kind == ViewsKind::rotation) {
                EXPECT_LT(difference(found.matrix,
                                     in_pixels(views.pose.rotation, views.camera, GetParam())),
                          1e-9);
            }
        }
    }
}

TEST_P(ViewMatrices, AreNearWhatNoEstimatorCanUndercutWhateverTheNoise) {
    const int n_scenes = test::kSanitized ? 3 : 40;
    for (Device* device : devices()) {
        auto stream = device->create_stream();
        for (auto [outliers, noise] : {std::pair{0.2, 0.1}, {0.5, 0.5}, {0.5, 0.9}}) {
            std::vector<double> ratios;
            for (int scene = 0; scene < n_scenes; ++scene) {
                ViewsSpec spec{GetParam(), views_of(GetParam())[0],          500, noise,
                               outliers,   static_cast<std::uint64_t>(scene)};
                auto found = estimate(*stream, spec, make_views(spec));
                EXPECT_EQ(found.doubt, PoseDoubt::none) << words_of(found.doubt);
                spec.noise = 0;
                double error = matrix_error(found.matrix, spec.pose, make_views(spec));
                spec.noise = noise;
                ratios.push_back(error / matrix_error_bound(spec));
            }
            std::sort(ratios.begin(), ratios.end());
            double ratio = ratios[ratios.size() / 2];
            EXPECT_GT(ratio, test::kSanitized ? 0.2 : 0.7) << outliers << " " << noise;
            EXPECT_LT(ratio, test::kSanitized ? 3 : 1.6) << outliers << " " << noise;
        }
    }
}

TEST_P(ViewMatrices, AreTheSameBitsForASeedOnAnyNumberOfThreads) {
    for (Device* device : devices()) {
        auto stream = device->create_stream();
        ViewsSpec spec{GetParam(), views_of(GetParam())[0], 300, 0.5, 0.4, 3};
        auto views = make_views(spec);
        auto first = estimate(*stream, spec, views), second = estimate(*stream, spec, views);
        tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
        auto alone = estimate(*stream, spec, views);
        for (auto* other : {&second, &alone}) {
            for (int i = 0; i < 9; ++i) EXPECT_EQ(first.matrix.m[i], other->matrix.m[i]);
            EXPECT_EQ(first.inliers, other->inliers);
            EXPECT_EQ(first.n_samples, other->n_samples);
        }
    }
}

TEST_P(ViewMatrices, OfFewOrEqualMatchesAreRefused) {
    for (Device* device : devices()) {
        auto stream = device->create_stream();
        const std::size_t least = least_matches(GetParam());
        ViewsSpec spec{GetParam(), views_of(GetParam())[0], least, 0, 0, 5};
        auto views = make_views(spec);
        EXPECT_EQ(estimate(*stream, spec, views).n_inliers, least);
        auto few = views;
        few.matches.resize(4 * (least - 1));
        try {
            (void)estimate(*stream, spec, few);
            FAIL() << "nothing was thrown";
        } catch (const UserError& error) {
            TL_EXPECT_CONTAINS(error.what(), "needs at least " + std::to_string(least));
        }
        // Samples of the same match again and again are degenerate, and give no model.
        auto same = views;
        for (std::size_t i = 4; i < same.matches.size(); ++i) same.matches[i] = same.matches[i % 4];
        RansacConfig config;
        config.most_samples = 1000;
        auto found = estimate(*stream, spec, same, config);
        EXPECT_EQ(found.doubt, PoseDoubt::not_found);
        EXPECT_EQ(found.n_models, 0u);
    }
}

TEST_P(ViewMatrices, StagesFindThemWithoutRefinement) {
    for (Device* device : devices()) {
        auto stream = device->create_stream();
        ViewsSpec spec{GetParam(), views_of(GetParam())[0], 200, 0.2, 0.2, 4};
        auto views = make_views(spec);
        RansacConfig config;
        config.batch = 32;
        auto found = estimate(*stream, spec, views, config, RansacMode::staged);
        EXPECT_GT(found.n_inliers, 100u);
        spec.noise = 0;
        EXPECT_LT(matrix_error(found.matrix, spec.pose, make_views(spec)), 2);
    }
}

TEST_P(ViewMatrices, OfWrongMatchesAloneAreSaidToFitByChance) {
    auto stream = find_device("cpu").create_stream();
    int n_passed = 0;
    for (std::size_t count : {15u, 60u, 300u})
        for (std::uint64_t seed = 0; seed < (test::kSanitized ? 2 : 10); ++seed) {
            ViewsSpec spec{GetParam(), ViewsKind::general, count, 0, 1, seed};
            RansacConfig config;
            config.most_samples = 2000;
            auto found = estimate(*stream, spec, make_views(spec), config);
            n_passed += found.doubt != PoseDoubt::by_chance && found.doubt != PoseDoubt::not_found;
        }
    // One set in a hundred may pass.
    EXPECT_LE(n_passed, 2);
}

INSTANTIATE_TEST_SUITE_P(Kinds, ViewMatrices,
                         testing::Values(PoseKind::homography, PoseKind::fundamental),
                         [](const auto& info) {
                             return info.param == PoseKind::homography ? "Homography"
                                                                       : "Fundamental";
                         });

TEST(ViewMatrixDoubt, OneHomographyLeavesTheFundamentalMatrixArbitrary) {
    for (Device* device : devices()) {
        auto stream = device->create_stream();
        for (auto [kind, expected] : {std::pair{ViewsKind::general, PoseDoubt::none},
                                      {ViewsKind::plane, PoseDoubt::one_homography},
                                      {ViewsKind::rotation, PoseDoubt::one_homography}})
            for (std::uint64_t seed : {1u, 2u}) {
                ViewsSpec spec{PoseKind::fundamental, kind, 500, 0.5, 0.3, seed};
                auto found = estimate(*stream, spec, make_views(spec));
                EXPECT_EQ(found.doubt, expected) << static_cast<int>(kind) << " " << seed;
            }
    }
}

TEST(ViewMatrixDoubt, MatchesOfOneLineLeaveTheHomographyArbitrary) {
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> even(0, 1);
    std::normal_distribution<double> bell;
    RandomViews views;
    // The noise across the line is below the threshold.
    for (int i = 0; i < 200; ++i) {
        double along = 1000 * even(random);
        for (double x : {along, 0.3 * along + 100, along + 20, 0.3 * along + 130})
            views.matches.push_back(x + 0.7 * bell(random));
    }
    for (Device* device : devices()) {
        auto stream = device->create_stream();
        ViewsSpec spec;
        spec.pose = PoseKind::homography;
        RansacConfig config;
        config.threshold = 2;
        EXPECT_EQ(estimate(*stream, spec, views, config).doubt, PoseDoubt::one_line);
    }
}

TEST(FourPairs, OfALineOrBehindACameraHaveNoHomography) {
    ViewMatrix h;
    // The square of side 1, moved by (3, 4) and doubled.
    const double square[16] = {0, 0, 3, 4, 1, 0, 5, 4, 0, 1, 3, 6, 1, 1, 5, 6};
    ASSERT_TRUE(motion::four_pairs(square, h));
    const double truth[9] = {2, 0, 3, 0, 2, 4, 0, 0, 1};
    for (int i = 0; i < 9; ++i) EXPECT_NEAR(h.m[i] / h.m[8], truth[i], 1e-13);
    double line[16], turned[16];
    std::copy(square, square + 16, line);
    std::copy(square, square + 16, turned);
    line[12] = 2, line[13] = 0;  // the first view's points 1, 2 and 4 are on one line
    EXPECT_FALSE(motion::four_pairs(line, h));
    // Exchanged corners make the square cross itself: some points are behind the second camera.
    std::swap(turned[2], turned[6]);
    std::swap(turned[3], turned[7]);
    EXPECT_FALSE(motion::four_pairs(turned, h));
}

TEST(SvdThree, GivesTheMatrixBackWithOrthonormalVectors) {
    std::mt19937_64 random(3);
    std::normal_distribution<double> bell;
    for (int problem = 0; problem < 200; ++problem) {
        double a[9];
        for (double& x : a) x = bell(random);
        // Every second matrix has rank 2.
        if (problem % 2 == 1)
            for (int j = 0; j < 3; ++j) a[6 + j] = 0.3 * a[j] - 2 * a[3 + j];
        auto svd = motion::svd_three(a);
        for (int i = 0; i < 3; ++i)
            for (int j = 0; j < 3; ++j) {
                double sum = 0;
                for (int k = 0; k < 3; ++k)
                    sum += svd.values[k] * svd.left[3 * k + i] * svd.right[3 * k + j];
                EXPECT_NEAR(sum, a[3 * i + j], 1e-13);
                double expected = i == j ? 1 : 0;
                EXPECT_NEAR(motion::dot(svd.left + 3 * i, svd.left + 3 * j), expected, 1e-14);
                EXPECT_NEAR(motion::dot(svd.right + 3 * i, svd.right + 3 * j), expected, 1e-14);
            }
        EXPECT_GE(svd.values[0], svd.values[1]);
        EXPECT_GE(svd.values[1], svd.values[2]);
        if (problem % 2 == 1) {
            EXPECT_LT(svd.values[2], 1e-14);
        }
    }
}

}  // namespace
}  // namespace tl::view_matrices_tests
