// The reduced resolution of a moving picture, without a window.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "app/viewer/views/motion_resolution.h"

namespace tl::motion_resolution_tests {
namespace {

constexpr float kStep = 1.0f / 60;  // seconds between frames

/// Frames with given times of tracing at full resolution and of the tree build, which overlaps the
/// previous frame if `ahead`.
void frames(MotionResolution& resolution, int n, bool moved, float full_ms, float tree_ms = 0,
            bool ahead = false) {
    for (int i = 0; i < n; ++i) {
        resolution.advance(moved, kStep);
        auto pixels = static_cast<float>(resolution.factor() * resolution.factor());
        float trace = full_ms / pixels;
        float frame = ahead ? std::max(trace, tree_ms) : trace + tree_ms;
        resolution.add_frame({{"build tree", tree_ms, StageKind::build},
                              {"trace and shade", trace, StageKind::trace},
                              {"frame", frame, StageKind::frame}});
    }
}

TEST(MotionResolution, FastFramesAndStillOnesStayFine) {
    MotionResolution resolution;
    frames(resolution, 50, true, 0.9f * MotionResolution::kBudget);
    EXPECT_EQ(resolution.factor(), 1);
    frames(resolution, 50, false, 20 * MotionResolution::kBudget);
    EXPECT_EQ(resolution.factor(), 1);
    EXPECT_FALSE(resolution.settling());
}

TEST(MotionResolution, TheDenoiserDoesNotMakePicturesCoarse) {
    MotionResolution resolution;
    float trace = 0.5f * MotionResolution::kBudget, denoise = 3 * MotionResolution::kBudget;
    for (int i = 0; i < 30; ++i) {
        resolution.advance(true, kStep);
        float smoothing = i % 4 == 0 ? denoise : 0;
        resolution.add_frame({{"trace and shade", trace, StageKind::trace},
                              {"denoise", smoothing, StageKind::display},
                              {"frame", trace + smoothing, StageKind::frame}});
        EXPECT_EQ(resolution.factor(), 1);
    }
}

TEST(MotionResolution, SlowFramesGetAsCoarseAsTheBudgetAsksWhileTheyMove) {
    MotionResolution resolution;
    frames(resolution, 5, false, 5 * MotionResolution::kBudget);
    frames(resolution, 1, true, 5 * MotionResolution::kBudget);
    EXPECT_EQ(resolution.factor(), 3);  // a ninth of the pixels; a quarter would be too many
    frames(resolution, 30, true, 5 * MotionResolution::kBudget);
    EXPECT_EQ(resolution.factor(), 3);
    EXPECT_TRUE(resolution.settling());
    frames(resolution, 30, true, 1e6f);
    EXPECT_EQ(resolution.factor(), MotionResolution::kCoarsest);
}

TEST(MotionResolution, StandingStillMakesFineAgainAfterARest) {
    MotionResolution resolution;
    frames(resolution, 10, true, 5 * MotionResolution::kBudget);
    auto before_rest = static_cast<int>(MotionResolution::kRest / kStep) - 1;
    frames(resolution, before_rest, false, 5 * MotionResolution::kBudget);
    EXPECT_EQ(resolution.factor(), 3);
    frames(resolution, 3, false, 5 * MotionResolution::kBudget);
    EXPECT_EQ(resolution.factor(), 1);
}

TEST(MotionResolution, AnotherSceneIsCoarseFirstAndFinerBeforeALongFrame) {
    constexpr float kFull = 4 * MotionResolution::kLong;
    MotionResolution resolution;
    frames(resolution, 10, false, 0.01f);  // of an empty scene
    resolution.expect_slow();
    std::vector<int> factors;
    for (int i = 0; i < 3; ++i) {
        resolution.advance(false, kStep, i == 0);
        factors.push_back(resolution.factor());
        auto pixels = static_cast<float>(resolution.factor() * resolution.factor());
        resolution.add_frame({{"trace and shade", kFull / pixels, StageKind::trace},
                              {"frame", kFull / pixels, StageKind::frame}},
                             true);
    }
    EXPECT_GT(factors[0], MotionResolution::kBetween);
    EXPECT_EQ(factors[1], MotionResolution::kBetween);
    frames(resolution, 20, false, kFull);
    EXPECT_EQ(resolution.factor(), 1);
    resolution.expect_slow();
    resolution.demand_fine();
    resolution.advance(false, kStep, true);
    EXPECT_EQ(resolution.factor(), 1);
}

TEST(MotionResolution, AFineFrameOnDemandIsOne) {
    MotionResolution resolution;
    frames(resolution, 10, true, 5 * MotionResolution::kBudget);
    resolution.demand_fine();
    frames(resolution, 1, true, 5 * MotionResolution::kBudget);
    EXPECT_EQ(resolution.factor(), 1);
    frames(resolution, 10, true, 5 * MotionResolution::kBudget);
    EXPECT_EQ(resolution.factor(), 3);
}

TEST(MotionResolution, TheBoundBetweenTwoFactorsIsNotCrossedToAndFro) {
    MotionResolution resolution;
    frames(resolution, 10, true, 1.1f * MotionResolution::kBudget);
    EXPECT_EQ(resolution.factor(), 2);
    frames(resolution, 20, true, 0.95f * MotionResolution::kBudget);
    EXPECT_EQ(resolution.factor(), 2);
    frames(resolution, 20, true, 0.5f * MotionResolution::kBudget);
    EXPECT_EQ(resolution.factor(), 1);
}

TEST(MotionResolution, TheScenesOwnTimeDoesNotMakeThePictureCoarser) {
    MotionResolution resolution;
    frames(resolution, 10, true, 0.2f * MotionResolution::kBudget, 10 * MotionResolution::kBudget);
    EXPECT_EQ(resolution.factor(), 1);
}

TEST(MotionResolution, WhateverIsDoneToTheSceneIsNoCostOfPixels) {
    for (auto kind : {StageKind::scene, StageKind::build, StageKind::refit, StageKind::other}) {
        MotionResolution resolution;
        constexpr float kTrace = 0.1f * MotionResolution::kBudget;
        constexpr float kStage = 2 * MotionResolution::kBudget;
        for (int i = 0; i < 10; ++i) {
            resolution.advance(true, kStep);
            // Other stages take a time for each pixel.
            auto pixels = static_cast<float>(resolution.factor() * resolution.factor());
            float stage = is_of_scene(kind) ? kStage : kStage / pixels;
            resolution.add_frame({{"a stage", stage, kind},
                                  {"trace and shade", kTrace / pixels, StageKind::trace},
                                  {"frame", kTrace / pixels + stage, StageKind::frame}});
        }
        EXPECT_EQ(resolution.factor() == 1, is_of_scene(kind)) << static_cast<int>(kind);
    }
}

/// A frame of parts, each with a time that no resolution changes and one of its pixels at full
/// resolution, ms.
struct FittedPart {
    const char* name;
    StageKind kind;
    float fixed, pixels;
};
void add_frame_of(MotionResolution& resolution, const std::vector<FittedPart>& parts) {
    resolution.advance(true, kStep);
    auto area = static_cast<float>(resolution.factor() * resolution.factor());
    std::vector<StageTime> stages;
    float whole = 0;
    for (auto& part : parts) {
        float ms = part.fixed + part.pixels / area;
        whole += ms;
        if (part.name[0] != 0) stages.push_back({part.name, ms, part.kind});
    }
    stages.push_back({"frame", whole, StageKind::frame});
    resolution.add_frame(stages);
}

TEST(MotionResolution, StaysFineWherePixelsTakeAHundredthOfTheFrame) {
    // A pool whose water is simulated for each frame.
    MotionResolution resolution;
    for (int i = 0; i < 20; ++i) {
        add_frame_of(resolution, {{"animate", StageKind::scene, 200, 0},
                                  {"build tree", StageKind::build, 5, 0},
                                  {"trace and shade", StageKind::trace, 0, 9.6f}});
        EXPECT_EQ(resolution.factor(), 1) << i;
    }
}

TEST(MotionResolution, WhatNoResolutionMakesShorterIsFoundOutAndTheResolutionReturns) {
    // The time to trace photons is independent of the picture's size; time outside of all stages
    // may be so as well.
    for (const char* name : {"trace photons", ""}) {
        MotionResolution resolution;
        std::vector<FittedPart> parts{{name, StageKind::trace, 6 * MotionResolution::kBudget, 0},
                                      {"trace and gather", StageKind::trace, 0, 10}};
        int coarse = 0;
        for (int i = 0; i < 60; ++i) {
            add_frame_of(resolution, parts);
            coarse += resolution.factor() > 1 ? 1 : 0;
        }
        EXPECT_EQ(resolution.factor(), 1) << name;
        EXPECT_LT(coarse, 10) << name << ": a first look, and no to and fro";
    }
}

TEST(MotionResolution, OnlyThePixelsArePressedIntoTheBudgetBesideAFixedTime) {
    // 20 ms of 33 are fixed: pixels that take 100 ms have 13 ms of room, a ninth is 11 ms.
    MotionResolution resolution;
    std::vector<FittedPart> parts{{"animate", StageKind::scene, 20, 0},
                                  {"trace and shade", StageKind::trace, 0, 100}};
    for (int i = 0; i < 20; ++i) add_frame_of(resolution, parts);
    EXPECT_EQ(resolution.factor(), 3);
    // Beside a fixed time of 600 ms they may take a quarter of it, a third to spare included: less
    // would not be noticed.
    parts[0].fixed = 600;
    for (int i = 0; i < 20; ++i) add_frame_of(resolution, parts);
    EXPECT_EQ(resolution.factor(), 1);
}

TEST(MotionResolution, AFrameThatWasEndedWhileTheSceneMovedTellsNothingOfPixels) {
    MotionResolution resolution;
    std::vector<FittedPart> parts{{"animate", StageKind::scene, 200, 0},
                                  {"trace and shade", StageKind::trace, 0, 9.6f}};
    for (int i = 0; i < 5; ++i) add_frame_of(resolution, parts);
    for (int i = 0; i < 20; ++i) {
        resolution.add_cancelled(0.1f, 200);
        resolution.advance(true, kStep);
        EXPECT_EQ(resolution.factor(), 1);
    }
    EXPECT_EQ(resolution.fixed_milliseconds(), 200);
    resolution.add_cancelled(80, 200);
    resolution.advance(true, kStep);
    EXPECT_GT(resolution.factor(), 1) << "the pixels have had 80 ms and were not done";
}

TEST(MotionResolution, TreesThatAreBuiltAheadHideNoneOfTheTracing) {
    MotionResolution resolution;
    float trace = 1.8f * MotionResolution::kBudget, tree = 0.5f * MotionResolution::kBudget;
    frames(resolution, 10, true, trace, tree, true);
    EXPECT_EQ(resolution.factor(), 2);
    for (int i = 0; i < 20; ++i) {
        frames(resolution, 1, true, trace, tree, true);
        EXPECT_EQ(resolution.factor(), 2);
    }
}

TEST(MotionResolution, TimesOfFramesUnderWayDoNotCount) {
    MotionResolution resolution;
    frames(resolution, 5, false, 5 * MotionResolution::kBudget);
    resolution.advance(true, kStep);
    ASSERT_EQ(resolution.factor(), 3);
    // A frame that began before the change, as large as the picture.
    resolution.add_frame({{"frame", 5 * MotionResolution::kBudget, StageKind::frame}});
    resolution.advance(true, kStep);
    EXPECT_EQ(resolution.factor(), 3);
}

TEST(MotionResolution, AnotherViewThanTheCancelledOneMayTakeFourTimesAsLong) {
    MotionResolution resolution;
    frames(resolution, 5, false, 16 * MotionResolution::kBudget);
    resolution.add_cancelled(1);
    resolution.advance(true, kStep);
    EXPECT_EQ(resolution.factor(), 8);
    // Its cost is known after a frame of it; finer pictures leave a third to spare.
    frames(resolution, 10, true, 16 * MotionResolution::kBudget);
    EXPECT_EQ(resolution.factor(), 5);
    for (int i = 0; i < 100; ++i) resolution.add_cancelled(1000);
    resolution.advance(true, kStep);
    EXPECT_EQ(resolution.factor(), MotionResolution::kCoarsest);
}

TEST(MotionResolution, TheFilmCoversThePicture) {
    MotionResolution resolution;
    frames(resolution, 10, true, 5 * MotionResolution::kBudget);
    EXPECT_EQ(resolution.film_extent({300, 301}), (Extent{100, 101}));
    EXPECT_EQ(resolution.film_extent({1, 1}), (Extent{1, 1}));
    resolution.enabled = false;
    resolution.advance(true, kStep);
    EXPECT_EQ(resolution.film_extent({300, 301}), (Extent{300, 301}));
}

}  // namespace
}  // namespace tl::motion_resolution_tests
