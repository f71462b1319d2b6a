// Names of the files of a sequence.
#include "app/jobs/frame_names.h"

#include <gtest/gtest.h>

#include "tests/unit/temp_folder.h"

namespace tl::frame_names_tests {
namespace {

using test::refusal;

TEST(FrameNames, HaveTheNumberInPlaceOfThePattern) {
    EXPECT_EQ(FrameNames("f_%04d.png").of(12), "f_0012.png");
    EXPECT_EQ(FrameNames("f_%04d.png").of(123456), "f_123456.png");
    EXPECT_EQ(FrameNames("out/%d-x.exr").of(0), "out/0-x.exr");
    EXPECT_EQ(FrameNames("100%%_%02d.png").of(7), "100%_07.png");
}

TEST(FrameNames, RefuseWhatIsNoSequence) {
    auto fault = [](const std::string& pattern) {
        return refusal([&] { FrameNames names(pattern); });
    };
    TL_EXPECT_CONTAINS(fault("f.png"), "-o f.png: without a number all frames would be one file");
    TL_EXPECT_CONTAINS(fault("100%%.png"), "without a number");
    TL_EXPECT_CONTAINS(fault("%d_%d.png"), "two numbers");
    TL_EXPECT_CONTAINS(fault("%s.png"), "without %d");
    TL_EXPECT_CONTAINS(fault("f%"), "without %d");
    TL_EXPECT_CONTAINS(fault("f%4d.png"), "%4d is neither");
    TL_EXPECT_CONTAINS(fault("f%0100d.png"), "%0100d is neither");
    TL_EXPECT_CONTAINS(fault("f%n.png"), "without %d");
    TL_EXPECT_CONTAINS(fault("%d/f.png"), "name of a folder");
}

TEST(FrameNames, TellHowToMakeAVideo) {
    EXPECT_EQ(FrameNames("f_%04d.png").video_command(30, 0, {320, 240}),
              "ffmpeg -framerate 30 -i f_%04d.png -pix_fmt yuv420p f.mp4");
    EXPECT_EQ(FrameNames("a dir/it's %d.exr").video_command(23.976, 5, {321, 240}),
              "ffmpeg -framerate 23.976 -start_number 5 -apply_trc iec61966_2_1 "
              "-i 'a dir/it'\\''s %d.exr' -vf 'pad=ceil(iw/2)*2:ceil(ih/2)*2' -pix_fmt yuv420p "
              "'a dir/it'\\''s .mp4'");
    EXPECT_EQ(FrameNames("-%d.png").video_command(1, 0, {2, 2}),
              "ffmpeg -framerate 1 -i ./-%d.png -pix_fmt yuv420p video.mp4");
}

}  // namespace
}  // namespace tl::frame_names_tests
