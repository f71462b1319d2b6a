// The frame rate of synthetic frame times.
#include <gtest/gtest.h>

#include "app/jobs/frame_rate.h"

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

}  // namespace
}  // namespace tl::frame_rate_tests
