// When a picture is smoothed while samples are added to it.
#include <gtest/gtest.h>

#include "renderer/denoise/denoise_schedule.h"

namespace tl::denoise_schedule_tests {
namespace {

/// A running display: frames of `sample_seconds`, and a denoiser that takes `denoise_seconds`.
struct Display {
    double sample_seconds, denoise_seconds;
    DenoiseSchedule schedule{};
    DenoiseMoment now{.picture = 1};
    double denoising = 0;
    int n_runs = 0;

    /// Adds a sample, and smooths the picture where that is due. Whether it was.
    bool frame() {
        ++now.samples;
        now.seconds += sample_seconds;
        if (!schedule.due(now)) return false;
        schedule.begin(now);
        now.seconds += denoise_seconds;
        schedule.end(denoise_seconds);
        denoising += denoise_seconds;
        ++n_runs;
        return true;
    }
    void new_picture() {
        ++now.picture;
        now.samples = 0;
    }
};

TEST(DenoiseSchedule, TheFirstSampleIsSmoothedAtOnce) {
    Display display{.sample_seconds = 1, .denoise_seconds = 3};
    EXPECT_FALSE(display.schedule.due(display.now));  // there is no sample
    EXPECT_TRUE(display.frame());
}

TEST(DenoiseSchedule, TakesAtMostAThirdOfTheTime) {
    for (double cost : {0.01, 0.3, 1.0, 2.7, 50.0}) {
        Display display{.sample_seconds = 1, .denoise_seconds = cost};
        for (int i = 0; i < 1000; ++i) display.frame();
        // The first run has no frames before it.
        EXPECT_LE(display.denoising - cost, display.now.seconds / 3) << cost;
        EXPECT_GE(display.n_runs, 2) << cost;
    }
}

TEST(DenoiseSchedule, AFastOneFollowsTheGrowthOfTheSamples) {
    Display display{.sample_seconds = 1, .denoise_seconds = 1e-3};
    std::uint32_t last = 0;
    for (int i = 0; i < 2000; ++i) {
        if (!display.frame()) continue;
        std::uint32_t n = display.now.samples;
        EXPECT_TRUE(n == last + 1 || n >= DenoiseSchedule::kGrowth * last) << n;
        // Nothing is left out for long.
        EXPECT_LE(n, std::max(last + 1.0, DenoiseSchedule::kGrowth * last + 1)) << n;
        last = n;
    }
    EXPECT_LT(display.n_runs, 80);  // log 2000 / log 1.1, since most of the first are single
    EXPECT_GT(display.n_runs, 40);
}

TEST(DenoiseSchedule, AnotherPictureIsSmoothedAsSoonAsTimeAllows) {
    Display display{.sample_seconds = 1, .denoise_seconds = 2};
    EXPECT_TRUE(display.frame());
    for (int i = 0; i < 3; ++i) {
        display.new_picture();
        EXPECT_FALSE(display.frame());
        EXPECT_FALSE(display.schedule.shows(display.now.picture));  // that is of another view
        display.new_picture();
        EXPECT_FALSE(display.frame());
        display.new_picture();
        EXPECT_FALSE(display.frame());
        EXPECT_TRUE(display.frame());  // 4 seconds of frames after 2 of smoothing
        EXPECT_TRUE(display.schedule.shows(display.now.picture));
    }
}

TEST(DenoiseSchedule, ASmoothedPictureStaysUntilTheNextOne) {
    Display display{.sample_seconds = 1, .denoise_seconds = 10};
    EXPECT_TRUE(display.frame());
    EXPECT_TRUE(display.schedule.shows_all(1, 1));
    EXPECT_FALSE(display.frame());
    EXPECT_TRUE(display.schedule.shows(1));
    EXPECT_FALSE(display.schedule.shows_all(1, 2));
    display.schedule.drop();
    EXPECT_FALSE(display.schedule.shows(1));
}

TEST(DenoiseSchedule, NothingIsDueWhileARunIsUnderWay) {
    DenoiseSchedule schedule;
    schedule.begin({.picture = 1, .samples = 1, .seconds = 0});
    EXPECT_FALSE(schedule.due({.picture = 1, .samples = 50, .seconds = 100}));
    schedule.end(0.5);
    EXPECT_TRUE(schedule.due({.picture = 1, .samples = 50, .seconds = 100}));
}

}  // namespace
}  // namespace tl::denoise_schedule_tests
