// The frame rate of synthetic frame times.
#include <gtest/gtest.h>

#include "app/jobs/format.h"
#include "app/jobs/frame_rate.h"
#include "app/jobs/frame_statistics.h"

namespace tl::frame_rate_tests {
namespace {

void frames(FrameRate& rate, int count, double seconds) {
    for (int i = 0; i < count; ++i) rate.add_frame(seconds);
}

TEST(FrameRate, IsTheMeanOfTheLastSecond) {
    FrameRate rate;
    EXPECT_EQ(rate.per_second(), 0);
    frames(rate, 10, 0.01);
    EXPECT_NEAR(rate.per_second(), 100, 1e-9);
    // Frames more than a second ago do not count.
    frames(rate, 600, 0.002);
    EXPECT_NEAR(rate.per_second(), 500, 1e-6);
    frames(rate, 1, 0.5);
    EXPECT_NEAR(rate.per_second(), 251, 1);
    // A frame longer than a second fills the window.
    frames(rate, 1, 4);
    EXPECT_NEAR(rate.per_second(), 0.25, 1e-9);
    // A frame of zero duration is ignored.
    rate.add_frame(0);
    EXPECT_NEAR(rate.per_second(), 0.25, 1e-9);
}

TEST(FrameRate, SettlesOnceASecondOfFramesIsEven) {
    FrameRate rate;
    frames(rate, 90, 0.01);
    EXPECT_FALSE(rate.settled());
    frames(rate, 20, 0.01);
    EXPECT_TRUE(rate.settled());
    // Getting faster, as while a program warms up.
    frames(rate, 100, 0.005);
    EXPECT_FALSE(rate.settled());
    frames(rate, 200, 0.005);
    EXPECT_TRUE(rate.settled());
    // One stall.
    frames(rate, 1, 0.3);
    EXPECT_FALSE(rate.settled());
}

TEST(FrameRate, OfAFewSlowFramesNeverSettles) {
    FrameRate rate;
    frames(rate, 50, 0.4);
    EXPECT_FALSE(rate.settled());
    EXPECT_NEAR(rate.per_second(), 2.5, 1e-9);
}

TEST(FrameStatistics, TimeAndRateSideBySideAreOfTheSameFrames) {
    FrameStatistics statistics;
    EXPECT_EQ(statistics.rate_of_newest().per_second, 0);
    for (float ms : {20.0f, 585.0f, 129.49f}) statistics.add_frame(ms);
    auto [ms, fps] = statistics.rate_of_newest();
    // Half a second and more: the last two frames.
    EXPECT_FLOAT_EQ(ms, (585 + 129.49f) / 2);
    EXPECT_FLOAT_EQ(fps, 1000 / ms);
    EXPECT_FLOAT_EQ(statistics.frames_per_second(), fps);
}

TEST(FrameRates, AreToldInThreeDigitsAndSlowOnesInSeconds) {
    EXPECT_EQ(frame_rate_text(0), "0 fps");
    EXPECT_EQ(frame_rate_text(59.83), "59.8 fps");
    EXPECT_EQ(frame_rate_text(1234.5), "1234 fps");
    EXPECT_EQ(frame_rate_text(0.4), "2.50 s a frame");
    EXPECT_EQ(time_text(0.4119), "0.412 ms");
    EXPECT_EQ(time_text(0.00125), "0.001 ms");
    EXPECT_EQ(time_text(41.26), "41.3 ms");
    EXPECT_EQ(time_text(2512), "2.51 s");
    EXPECT_EQ(three_digits(512.3), "512");
}

}  // namespace
}  // namespace tl::frame_rate_tests
