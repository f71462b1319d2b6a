// Plans of sequences of pictures.
#include "session/sequence.h"

#include <gtest/gtest.h>

namespace tl::sequence_tests {
namespace {

TEST(FrameRange, IsTwoNumbers) {
    auto range = parse_frame_range("10:12");
    EXPECT_EQ(range.first, 10);
    EXPECT_EQ(range.last, 12);
    EXPECT_EQ(range.count(), 3);
    EXPECT_EQ(parse_frame_range("5:5").count(), 1);
    for (const char* text : {"", ":", "5", "5:", ":5", "2:1", "-1:1", "0:10000000", "0:1:2", "a:b",
                             "0:99999999999", " 0:1"})
        EXPECT_THROW((void)parse_frame_range(text), UserError) << text;
}

TEST(SequencePlan, BookmarksAreCamerasAtEqualDistances) {
    Bookmarks bookmarks{{.number = 2}, {.number = 5}, {.number = 9}};
    bookmarks[1].camera.eye = {7, 0, 0};
    SequencePlan plan;
    follow_bookmarks(plan, {});
    EXPECT_TRUE(plan.cameras.empty());  // no duration is requested
    plan.bookmark_seconds = 1.5f;
    for (int run = 0; run < 2; ++run) {
        follow_bookmarks(plan, bookmarks);
        ASSERT_EQ(plan.cameras.size(), 3u);
        EXPECT_EQ(plan.cameras[2].time, 3);
        EXPECT_EQ(plan.cameras[1].camera.eye.x, 7);
    }
    bookmarks.resize(1);
    EXPECT_THROW(follow_bookmarks(plan, bookmarks), UserError);
}

TEST(SequencePlan, OneMotionOfTheCameraIsAccepted) {
    SessionOptions view, placed;
    placed.target = {1, 2, 3};
    SequencePlan path{.camera_path = "x.toml"}, bookmarks{.bookmark_seconds = 1},
        turn{.turntable = 3}, two{.camera_path = "x.toml", .turntable = 3};
    for (auto* plan : {&path, &bookmarks, &turn}) EXPECT_NO_THROW(check_motion(*plan, view));
    EXPECT_NO_THROW(check_motion(turn, placed));
    EXPECT_THROW(check_motion(path, placed), UsageError);
    EXPECT_THROW(check_motion(bookmarks, placed), UsageError);
    EXPECT_THROW(check_motion(two, view), UsageError);
}

}  // namespace
}  // namespace tl::sequence_tests
