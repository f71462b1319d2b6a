// Poses from matches with many outliers, compared with the poses that generated them.
#include <gtest/gtest.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "solvers/pose/pose_solver.h"
#include "solvers/pose/random_views.h"
#include "solvers/pose/ransac/error_bound.h"
#include "solvers/pose/triangulate.h"
#include "tests/sanitized.h"

namespace tl::ransac_tests {
namespace {

constexpr PoseKind kKinds[] = {PoseKind::relative, PoseKind::relative_focal, PoseKind::absolute,
                               PoseKind::absolute_focal};

PoseEstimate estimate(Stream& stream, const ViewsSpec& spec, const RandomViews& views,
                      RansacConfig config = {}) {
    SolverRun run;
    return estimate_pose(stream, spec.pose, views.camera, views.matches, config, run);
}

class Ransac : public testing::TestWithParam<PoseKind> {};

TEST_P(Ransac, FindsTheExactPoseOfMatchesWithoutNoise) {
    for (Device* device : devices()) {
        auto stream = device->create_stream();
        for (auto kind : {ViewsKind::general, ViewsKind::forward}) {
            // The focal length is ill-determined where the optical axes intersect.
            if (GetParam() == PoseKind::relative_focal && kind == ViewsKind::forward) continue;
            ViewsSpec spec{GetParam(), kind, 500, 0, 0.3, 11};
            auto views = make_views(spec);
            RansacConfig config;
            config.threshold = 0.01f;  // few outliers happen to fit
            auto found = estimate(*stream, spec, views, config);
            auto error = pose_error(found.pose, views.pose, spec.pose);
            // Rounding, times the condition of a pose from 350 matches.
            EXPECT_LT(error.rotation, 1e-7);
            EXPECT_LT(error.translation, 1e-6);
            if (finds_focal(spec.pose)) {
                EXPECT_NEAR(found.pose.focal / views.pose.focal, 1, 1e-7);
            }
            EXPECT_EQ(found.doubt, PoseDoubt::none) << words_of(found.doubt);
            EXPECT_LT(found.rms, 1e-3);
            EXPECT_GE(found.n_inliers, 350u);
            EXPECT_EQ(found.n_inliers, static_cast<std::size_t>(std::count(
                                           found.inliers.begin(), found.inliers.end(), 1)));
        }
    }
}

/// The pixels of a point before a camera.
glm::dvec2 pixel_of(const PinholeCamera& camera, glm::dvec3 p) {
    return {camera.fx * p.x / p.z + camera.cx, camera.fy * p.y / p.z + camera.cy};
}

TEST_P(Ransac, TriangulatedPointsProjectOntoTheirMatches) {
    if (!is_relative(GetParam())) GTEST_SKIP() << "points are given";
    auto stream = devices()[0]->create_stream();
    ViewsSpec spec{GetParam(), ViewsKind::general, 300, 0, 0.3, 11};
    auto views = make_views(spec);
    RansacConfig config;
    config.threshold = 0.01f;
    auto found = estimate(*stream, spec, views, config);
    auto points = triangulate(GetParam(), views.camera, found, views.matches);
    ASSERT_EQ(points.size(), 3 * found.inliers.size());
    const double* r = found.pose.rotation;
    const double* t = found.pose.translation;
    for (std::size_t i = 0; i < found.inliers.size(); ++i) {
        glm::dvec3 p(points[3 * i], points[3 * i + 1], points[3 * i + 2]);
        ASSERT_EQ(std::isnan(p.x), !found.inliers[i]);
        if (!found.inliers[i]) continue;
        glm::dvec3 q;
        for (int k = 0; k < 3; ++k)
            q[k] = r[3 * k] * p.x + r[3 * k + 1] * p.y + r[3 * k + 2] * p.z + t[k];
        EXPECT_GT(std::min(p.z, q.z), 0);
        const double* match = &views.matches[4 * i];
        auto first = pixel_of(views.camera, p);
        auto second = pixel_of(views.camera, q);
        // Inliers are within the threshold of a match with a point; rays that are nearly parallel
        // move their middle by more.
        EXPECT_LT(glm::length(first - glm::dvec2(match[0], match[1])), 0.1);
        EXPECT_LT(glm::length(second - glm::dvec2(match[2], match[3])), 0.1);
    }
}

TEST_P(Ransac, FindsThePoseAmongWrongMatchesWithNoise) {
    for (Device* device : devices()) {
        auto stream = device->create_stream();
        for (auto [outliers, noise] : {std::pair{0.0, 1.0}, {0.5, 0.1}, {0.5, 0.5}, {0.7, 1.0}}) {
            if (test::kSanitized && outliers > 0.5) continue;
            const int n_scenes = test::kSanitized ? 2 : 10;
            std::vector<double> rotation;
            for (int scene = 0; scene < n_scenes; ++scene) {
                ViewsSpec spec{GetParam(), ViewsKind::general,
                               1000,       noise,
                               outliers,   static_cast<std::uint64_t>(100 + scene)};
                auto views = make_views(spec);
                RansacConfig config;
                config.threshold = static_cast<float>(std::max(1.0, 2 * noise));
                auto found = estimate(*stream, spec, views, config);
                rotation.push_back(pose_error(found.pose, views.pose, spec.pose).rotation);
                // Two standard deviations of noise in each of four coordinates; 95 % are within.
                double right = static_cast<double>(spec.count) * (1 - outliers);
                EXPECT_GT(static_cast<double>(found.n_inliers), 0.8 * right);
                EXPECT_LT(static_cast<double>(found.n_inliers),
                          right + 0.05 * static_cast<double>(spec.count));
            }
            std::sort(rotation.begin(), rotation.end());
            // Poses from 300 to 1000 inliers: errors of 0.15 degrees were seen at 1 pixel and 70 %
            // outliers.
            if (!test::kSanitized) {
                EXPECT_LT(rotation[rotation.size() / 2], 0.05 + 0.2 * noise)
                    << outliers << " " << noise;
            }
            EXPECT_LT(rotation.back(), 0.1 + 1.0 * noise) << outliers << " " << noise;
        }
    }
}

TEST_P(Ransac, GivesTheSameBitsForASeedOnAnyNumberOfThreads) {
    for (Device* device : devices()) {
        auto stream = device->create_stream();
        ViewsSpec spec{GetParam(), ViewsKind::general, 300, 0.5, 0.5, 3};
        auto views = make_views(spec);
        auto first = estimate(*stream, spec, views), second = estimate(*stream, spec, views);
        tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
        auto alone = estimate(*stream, spec, views);
        for (auto* other : {&second, &alone}) {
            for (int i = 0; i < 9; ++i) EXPECT_EQ(first.pose.rotation[i], other->pose.rotation[i]);
            for (int i = 0; i < 3; ++i)
                EXPECT_EQ(first.pose.translation[i], other->pose.translation[i]);
            EXPECT_EQ(first.pose.focal, other->pose.focal);
            EXPECT_EQ(first.inliers, other->inliers);
            EXPECT_EQ(first.n_samples, other->n_samples);
        }
        RansacConfig other_seed;
        other_seed.seed = 1;
        auto different = estimate(*stream, spec, views, other_seed);
        EXPECT_LT(pose_error(different.pose, first.pose, spec.pose).rotation, 0.5);
    }
}

TEST_P(Ransac, RefusesFewMatchesAndNumbersThatAreNotFinite) {
    for (Device* device : devices()) {
        auto stream = device->create_stream();
        ViewsSpec spec{GetParam(), ViewsKind::general, least_matches(GetParam()), 0, 0, 5};
        auto views = make_views(spec);
        EXPECT_LT(pose_error(estimate(*stream, spec, views).pose, views.pose, spec.pose).rotation,
                  1e-3);
        auto few = views;
        few.matches.resize(few.matches.size() - match_size(spec.pose));
        EXPECT_THROW((void)estimate(*stream, spec, few), UserError);
        auto broken = views;
        broken.matches[match_size(spec.pose) + 1] = std::numeric_limits<double>::quiet_NaN();
        try {
            (void)estimate(*stream, spec, broken);
            FAIL() << "nothing was thrown";
        } catch (const UserError& error) {
            EXPECT_NE(std::string(error.what()).find("match 2"), std::string::npos) << error.what();
        }
        // The same point again and again determines nothing, and ends.
        auto same = views;
        for (std::size_t i = match_size(spec.pose); i < same.matches.size(); ++i)
            same.matches[i] = same.matches[i % match_size(spec.pose)];
        RansacConfig config;
        config.most_samples = 1000;
        (void)estimate(*stream, spec, same, config);
    }
}

INSTANTIATE_TEST_SUITE_P(Kinds, Ransac, testing::ValuesIn(kKinds), [](const auto& info) {
    std::string name;
    bool upper = true;
    for (char c : row_of(info.param).id) {
        if (c != '-') name += upper ? static_cast<char>(std::toupper(c)) : c;
        upper = c == '-';
    }
    return name;
});

TEST(RansacDoubt, NamesTurnsPlanesAndMatchesWithoutAPose) {
    for (Device* device : devices()) {
        auto stream = device->create_stream();
        for (auto [kind, expected] : {std::pair{ViewsKind::general, PoseDoubt::none},
                                      {ViewsKind::forward, PoseDoubt::none},
                                      {ViewsKind::plane, PoseDoubt::one_plane},
                                      {ViewsKind::rotation, PoseDoubt::pure_rotation}})
            for (std::uint64_t seed : {1u, 2u, 3u}) {
                ViewsSpec spec{PoseKind::relative, kind, 1000, 0.5, 0.3, seed};
                auto views = make_views(spec);
                auto found = estimate(*stream, spec, views);
                EXPECT_EQ(found.doubt, expected) << static_cast<int>(kind) << " " << seed;
                // A rotation is found even where the translation is arbitrary; for a plane, either
                // of its two poses is accepted.
                if (kind == ViewsKind::plane) continue;
                EXPECT_LT(pose_error(found.pose, views.pose, spec.pose).rotation, 0.5)
                    << static_cast<int>(kind) << " " << seed;
            }
        ViewsSpec spec{PoseKind::absolute, ViewsKind::general, 30, 0.5, 0.95, 1};
        auto views = make_views(spec);
        RansacConfig config;
        config.most_samples = 10000;
        config.threshold = 0.01f;
        EXPECT_EQ(estimate(*stream, spec, views, config).doubt, PoseDoubt::not_found);
    }
}

TEST(RansacDoubt, WrongMatchesAloneAreSaidToFitByChance) {
    // One set in a hundred may pass: of 120, five or more do so once in a hundred times. Of few
    // matches more may, of which a twelfth were seen to pass.
    int n_passed = 0, n_few_passed = 0;
    auto stream = find_device("cpu").create_stream();
    for (auto kind : kKinds)
        for (std::size_t count : {9u, 15u, 60u, 300u})
            for (std::uint64_t seed = 0; seed < (test::kSanitized ? 2 : 10); ++seed) {
                ViewsSpec spec{kind, ViewsKind::general, count, 0, 1, seed};
                RansacConfig config;
                config.most_samples = 2000;
                config.threshold = seed % 2 == 0 ? 1.0f : 4.0f;
                auto found = estimate(*stream, spec, make_views(spec), config);
                if (found.doubt == PoseDoubt::by_chance || found.doubt == PoseDoubt::not_found)
                    continue;
                ++(count < 10 ? n_few_passed : n_passed);
            }
    EXPECT_LE(n_passed, 4);
    EXPECT_LE(n_few_passed, 12);
}

TEST(RansacDoubt, RightMatchesNeverSeemToFitByChance) {
    auto stream = find_device("cpu").create_stream();
    for (auto kind : kKinds) {
        // Sets without outliers, down to the smallest.
        for (std::size_t count = least_matches(kind); count < 13; ++count)
            for (double noise : {0.0, 0.3})
                for (std::uint64_t seed = 0; seed < (test::kSanitized ? 1 : 5); ++seed) {
                    ViewsSpec spec{kind, ViewsKind::general, count, noise, 0, seed};
                    auto found = estimate(*stream, spec, make_views(spec));
                    EXPECT_NE(found.doubt, PoseDoubt::by_chance)
                        << static_cast<int>(kind) << ", " << count << " matches, noise " << noise
                        << ", seed " << seed << ", 10^" << found.log_chance;
                }
        // Three of four matches are outliers.
        ViewsSpec spec{kind, ViewsKind::general, 120, 0.3, 0.75, 1};
        auto found = estimate(*stream, spec, make_views(spec));
        EXPECT_EQ(found.doubt, PoseDoubt::none) << words_of(found.doubt) << static_cast<int>(kind);
        EXPECT_LT(found.log_chance, -5);
    }
}

TEST(RansacDoubt, AViewOfAPlaneHasAFocalLengthUnlessThePlaneFacesTheCamera) {
    for (Device* device : devices()) {
        auto stream = device->create_stream();
        for (std::uint64_t seed : {1u, 2u, 3u}) {
            ViewsSpec spec{PoseKind::absolute_focal, ViewsKind::plane, 1000, 0.5, 0.3, seed};
            auto views = make_views(spec);
            auto found = estimate(*stream, spec, views);
            EXPECT_EQ(found.doubt, PoseDoubt::none) << words_of(found.doubt);
            // Half a pixel of 800, of 700 points whose distances differ by a quarter.
            EXPECT_NEAR(found.pose.focal / views.pose.focal, 1, 5e-3);
            EXPECT_LT(pose_error(found.pose, views.pose, spec.pose).rotation, 0.2);
            spec.kind = ViewsKind::facing_plane;
            auto facing = make_views(spec);
            found = estimate(*stream, spec, facing);
            EXPECT_EQ(found.doubt, PoseDoubt::no_focal) << words_of(found.doubt);
            EXPECT_GT(found.n_inliers, 500u);
        }
        // Two views of one plane do not determine the focal length.
        ViewsSpec spec{PoseKind::relative_focal, ViewsKind::plane, 1000, 0.5, 0.3, 1};
        EXPECT_EQ(estimate(*stream, spec, make_views(spec)).doubt, PoseDoubt::one_plane);
    }
}

/// The errors of scenes, and as many at the bound.
struct ErrorsAndBound {
    std::vector<double> errors, bound;
};
ErrorsAndBound errors_and_bound(Stream& stream, const ViewsSpec& base, int n_scenes) {
    ErrorsAndBound all;
    for (int scene = 0; scene < n_scenes; ++scene) {
        ViewsSpec spec = base;
        spec.seed = static_cast<std::uint64_t>(scene);
        auto views = make_views(spec);
        all.errors.push_back(
            pose_error(estimate(stream, spec, views).pose, views.pose, spec.pose).rotation);
        for (auto& error : errors_at_bound(spec, 20)) all.bound.push_back(error.rotation);
    }
    for (auto* list : {&all.errors, &all.bound}) std::sort(list->begin(), list->end());
    return all;
}

TEST(PoseBound, ErrorsAreNearWhatNoEstimatorCanUndercutWhateverTheNoise) {
    if (test::kSanitized) GTEST_SKIP() << "many scenes are needed";
    auto stream = find_device("cpu").create_stream();
    for (auto kind : kKinds)
        for (double noise : {0.1, 0.9}) {
            // The threshold of one pixel is ten times and about one standard deviation.
            ViewsSpec spec{kind, ViewsKind::general, 500, noise, 0.2, 0};
            auto [errors, bound] = errors_and_bound(*stream, spec, 60);
            ASSERT_EQ(bound.size(), 1200u);
            // A median of 60 is off by a sixth; 6 % are given away with the outermost inliers.
            double ratio = errors[30] / bound[600];
            EXPECT_LT(ratio, 1.5) << row_of(kind).id << " " << noise;
            EXPECT_GT(ratio, 0.7) << row_of(kind).id << " " << noise;
        }
}

TEST(PoseModes, StagesFindEveryKindOfPoseAndTellTheirTimes) {
    for (Device* device : devices()) {
        auto stream = device->create_stream();
        for (auto kind : kKinds) {
            ViewsSpec spec{kind, ViewsKind::general, 200, 0.2, 0.2, 4};
            auto views = make_views(spec);
            RansacConfig config;
            config.batch = 32;
            config.timed = true;
            SolverRun run;
            auto found = estimate_pose(*stream, kind, views.camera, views.matches, config, run,
                                       RansacMode::staged);
            // Poses of minimal samples, not refined.
            EXPECT_LT(pose_error(found.pose, views.pose, kind).rotation, 2) << row_of(kind).id;
            EXPECT_GT(found.n_inliers, 100u) << row_of(kind).id;
            EXPECT_EQ(found.n_samples % 32, 0u);
            std::string names;
            for (auto& stage : found.stages) names += stage.name + " ";
            EXPECT_EQ(names, "solve decompose triangulate errors count frame ");
        }
    }
}

TEST(PoseModes, SplitAndHybridFindThePoseOfTheStages) {
    for (Device* device : devices()) {
        auto stream = device->create_stream();
        for (auto kind : kKinds) {
            ViewsSpec spec{kind, ViewsKind::general, 300, 0.2, 0.3, 6};
            auto views = make_views(spec);
            RansacConfig config;
            config.batch = 64;
            config.timed = true;
            SolverRun run;
            auto found_by = [&](RansacMode mode) {
                return estimate_pose(*stream, kind, views.camera, views.matches, config, run, mode);
            };
            auto staged = found_by(RansacMode::staged), split = found_by(RansacMode::split);
            // The same samples by the same solver; devices round differently.
            EXPECT_NEAR(static_cast<double>(split.n_inliers), static_cast<double>(staged.n_inliers),
                        20)
                << row_of(kind).id;
            EXPECT_LT(pose_error(split.pose, views.pose, kind).rotation, 2) << row_of(kind).id;
            EXPECT_EQ(split.stages.back().name, "solve on the host");
            if (device->kind() == DeviceKind::cpu) {
                EXPECT_EQ(split.inliers, staged.inliers) << row_of(kind).id;
            }
            if (kind != PoseKind::relative && kind != PoseKind::relative_focal) {
                EXPECT_THROW((void)found_by(RansacMode::hybrid), UserError);
                continue;
            }
            auto hybrid = found_by(RansacMode::hybrid);
            EXPECT_LT(pose_error(hybrid.pose, views.pose, kind).rotation, 2);
            EXPECT_NEAR(static_cast<double>(hybrid.n_inliers),
                        static_cast<double>(staged.n_inliers), 20);
        }
    }
}

TEST(PoseModes, TheSolverOfSamplesIsChosen) {
    for (Device* device : devices()) {
        auto stream = device->create_stream();
        ViewsSpec spec{PoseKind::relative, ViewsKind::general, 300, 0.2, 0.3, 8};
        auto views = make_views(spec);
        auto found_by = [&](SampleSolver solver, RansacMode mode) {
            RansacConfig config;
            config.solver = solver;
            config.batch = 256;
            SolverRun run;
            auto found =
                estimate_pose(*stream, spec.pose, views.camera, views.matches, config, run, mode);
            EXPECT_LT(pose_error(found.pose, views.pose, spec.pose).rotation, 2);
            return static_cast<double>(found.n_models) / static_cast<double>(found.n_samples);
        };
        for (auto mode : {RansacMode::fused, RansacMode::staged, RansacMode::split}) {
            const double sturm = found_by(SampleSolver::sturm, mode);
            const double action = found_by(SampleSolver::action, mode);
            const double action_qr = found_by(SampleSolver::action_qr, mode);
            const double automatic = found_by(SampleSolver::automatic, mode);
            // Sturm's chain leaves an eighth of the samples without models.
            EXPECT_LT(sturm, 0.95 * action);
            EXPECT_NEAR(action_qr, action, 0.02 * action);
            EXPECT_EQ(automatic, mode == RansacMode::fused ? sturm : action);
        }
        SolverRun run;
        RansacConfig config;
        config.solver = SampleSolver::action_qr;
        for (auto kind : {PoseKind::absolute_focal, PoseKind::relative_focal}) {
            ViewsSpec focal{kind, ViewsKind::general, 300, 0.2, 0.3, 8};
            auto known = make_views(focal);
            auto found_with = [&](SampleSolver solver) {
                config.solver = solver;
                return estimate_pose(*stream, kind, known.camera, known.matches, config, run);
            };
            auto pivots = found_with(SampleSolver::action);
            auto reflectors = found_with(SampleSolver::action_qr);
            // Both find the solutions of the samples, but for those that nearly coincide, which
            // rounding makes complex: three of 133 were seen to differ.
            auto models_of_a_sample = [](const PoseEstimate& of) {
                return static_cast<double>(of.n_models) / static_cast<double>(of.n_samples);
            };
            double models = models_of_a_sample(pivots);
            EXPECT_NEAR(models_of_a_sample(reflectors), models, 0.05 * models);
            EXPECT_LT(pose_error(reflectors.pose, known.pose, kind).rotation, 0.5)
                << row_of(kind).id;
        }
        config.solver = SampleSolver::action_qr;
        EXPECT_THROW((void)estimate_pose(*stream, PoseKind::absolute, views.camera,
                                         std::vector<double>(50, 0.5), config, run),
                     UserError);
        config.solver = SampleSolver::action;
        EXPECT_THROW((void)estimate_pose(*stream, PoseKind::absolute, views.camera,
                                         std::vector<double>(50, 0.5), config, run),
                     UserError);
        EXPECT_THROW((void)estimate_pose(*stream, spec.pose, views.camera, views.matches, config,
                                         run, RansacMode::hybrid),
                     UserError);
    }
}

TEST(PoseModes, StagesRefuseBatchesWhosePairsCannotBeNumbered) {
    auto stream = find_device("cpu").create_stream();
    ViewsSpec spec{PoseKind::relative_focal, ViewsKind::general, 200, 0, 0, 4};
    auto views = make_views(spec);
    RansacConfig config;
    config.batch = 1'000'000;  // of 15 models each, for 200 matches
    SolverRun run;
    EXPECT_THROW((void)estimate_pose(*stream, spec.pose, views.camera, views.matches, config, run,
                                     RansacMode::staged),
                 UserError);
}

TEST(PoseModes, AllFindThePose) {
    Device& cpu = find_device("cpu");
    auto stream = cpu.create_stream();
    ViewsSpec spec{PoseKind::relative, ViewsKind::general, 1000, 0.5, 0.3, 2};
    auto views = make_views(spec);
    for (auto& row : pose_solvers()) {
        auto solver = make_pose_solver(row.id, cpu);
        SolverRun run;
        auto found = solver->estimate(*stream, spec.pose, views.camera, views.matches, run);
        auto error = pose_error(found.pose, views.pose, spec.pose);
        // Not all refine the pose of five noisy pairs.
        EXPECT_LT(error.rotation, 2) << row.id;
        EXPECT_LT(error.translation, 10) << row.id;
        EXPECT_GT(found.n_inliers, 400u) << row.id;
    }
}

}  // namespace
}  // namespace tl::ransac_tests
