// The C interface of sequences: a frame is the picture of its moment and its camera, wrong plans
// are refused, and a scene that is cancelled ends its sequences.
#include <gtest/gtest.h>

#include <cmath>

#include "library/api/treelight.h"
#include "session/add_samples.h"
#include "session/sequence.h"
#include "tests/unit/temp_folder.h"

namespace tl::sequence_api_tests {
namespace {

constexpr Extent kSize{16, 12};
using Values = std::vector<tl_setting>;

constexpr const char* kBookmarks =
    "[camera]\neye = [0, 1, 5]\ntarget = [0, 1, 0]\nfov = 40\n"
    "[[sphere]]\ncenter = [1, 1, 0]\nradius = 0.5\n"
    "[[bookmark]]\nnumber = 7\neye = [4, 1, 5]\ntarget = [0, 1, 0]\n"
    "[[bookmark]]\nnumber = 2\neye = [0, 1, 5]\ntarget = [0, 1, 0]\nfov = 60\n";

class SequenceApi : public ::testing::Test {
  protected:
    void open_scene(const std::string& path) {
        tl_scene_close(scene_);
        ASSERT_EQ(tl_scene_open(path.c_str(), nullptr, 0, nullptr, nullptr, &scene_), TL_OK)
            << tl_last_error();
    }
    void SetUp() override { open_scene("generate:explosion,triangles=300"); }
    void TearDown() override {
        tl_sequence_close(sequence_);
        tl_scene_close(scene_);
    }
    tl_status try_open(Values settings) {
        tl_sequence_close(sequence_);
        settings.push_back({"device", "cpu"});
        settings.push_back({"spp", "2"});
        return tl_sequence_open(scene_, settings.data(), settings.size(), &sequence_);
    }
    void open(const Values& settings) { ASSERT_EQ(try_open(settings), TL_OK) << tl_last_error(); }
    tl_frame frame(std::size_t index) {
        tl_frame frame{};
        EXPECT_EQ(tl_sequence_frame(sequence_, index, &frame), TL_OK) << tl_last_error();
        return frame;
    }
    tl_status try_render(std::size_t index, tl_progress progress = nullptr,
                         void* context = nullptr) {
        pixels_.assign(3 * std::size_t(kSize.pixels()), -1);
        picture_ = {kSize.width, kSize.height, 3, pixels_.data(), 7};
        return tl_render_frame(sequence_, index, &picture_, progress, context);
    }
    std::vector<float> render(std::size_t index) {
        EXPECT_EQ(try_render(index), TL_OK) << tl_last_error();
        EXPECT_EQ(picture_.samples, 2);
        return pixels_;
    }
    /// The message of a plan that is refused.
    std::string refusal_of(const Values& settings, tl_status status = TL_INVALID) {
        EXPECT_EQ(try_open(settings), status);
        EXPECT_EQ(sequence_, nullptr);
        return tl_last_error();
    }

    tl_scene* scene_ = nullptr;
    tl_sequence* sequence_ = nullptr;
    std::vector<float> pixels_;
    tl_picture picture_{};
};

/// All frames of a plan, as `treelight render --frames` makes them.
std::vector<std::vector<float>> frames_of_program(const std::string& scene,
                                                  const SequencePlan& plan) {
    SessionOptions o;
    o.scene = scene;
    o.device = "cpu";
    o.size = kSize;
    auto session = make_session(o);
    auto frames = frames_of(plan);
    Warnings warnings;
    place_cameras(frames, plan, session->camera, session->scene().offset, warnings);
    std::vector<std::vector<float>> pictures;
    AovBuffers no_layers;
    auto never = [] { return false; };
    auto sample = [&](std::size_t) { add_samples(*session, 2, no_layers, never, [] {}); };
    auto keep = [&](std::size_t) {
        auto& numbers = pictures.emplace_back();
        for (vec3 pixel : radiance_of(session->stream(), session->display().shown_film()).rgb)
            for (int c = 0; c < 3; ++c) numbers.push_back(pixel[c]);
    };
    render_frames(*session, frames, 2, {.sample = sample, .write = keep, .stopped = never});
    return pictures;
}

TEST_F(SequenceApi, FramesAreThoseOfTheProgramInAnyOrder) {
    auto expected = frames_of_program("generate:explosion,triangles=300",
                                      {.range = {3, 6}, .fps = 8, .turntable = 5});
    ASSERT_EQ(expected.size(), 4u);
    EXPECT_NE(expected[0], expected[1]);
    open({{"frames", "3:6"}, {"fps", "8"}, {"turntable", "5"}});
    ASSERT_EQ(tl_sequence_count(sequence_), 4u);
    for (std::size_t index : {2, 0, 3, 1, 2}) EXPECT_EQ(render(index), expected[index]) << index;
}

TEST_F(SequenceApi, AFrameIsThePictureOfItsMoment) {
    open({{"frames", "0:9"}, {"fps", "4"}, {"time", "0.5"}, {"seed", "3"}});
    EXPECT_EQ(frame(2).number, 2);
    EXPECT_EQ(frame(2).time, 1);
    auto picture = render(2);
    std::vector<float> alone(picture.size());
    tl_picture same{kSize.width, kSize.height, 3, alone.data(), 0};
    const tl_setting settings[] = {{"device", "cpu"}, {"spp", "2"}, {"time", "1"}, {"seed", "3"}};
    ASSERT_EQ(tl_render(scene_, settings, 4, &same, nullptr, nullptr), TL_OK);
    EXPECT_EQ(alone, picture);
    EXPECT_EQ(render(2), picture);
    EXPECT_NE(render(3), picture);
}

TEST_F(SequenceApi, ATurnHasItsFrames) {
    open({{"turntable", "4"}, {"eye", "0,1,5"}, {"target", "0,1,0"}});
    ASSERT_EQ(tl_sequence_count(sequence_), 4u);
    EXPECT_EQ(frame(0).eye[2], 5);
    EXPECT_NEAR(frame(1).eye[0], 5, 1e-6);
    EXPECT_NEAR(frame(2).eye[2], -5, 1e-6);
    EXPECT_EQ(frame(3).target[1], 1);
}

TEST_F(SequenceApi, TheCameraFollowsAFile) {
    test::TempFolder folder;
    auto path =
        folder.write("path.toml",
                     "strange = 1\n[[camera]]\ntime = 0\neye = [0, 0, 4]\ntarget = [0, 0, 0]\n"
                     "[[camera]]\ntime = 1\neye = [4, 0, 0]\ntarget = [0, 0, 0]\nfov = 30\n");
    open({{"frames", "0:2"}, {"fps", "2"}, {"camera-path", path.c_str()}, {"fov", "50"}});
    EXPECT_EQ(frame(0).eye[2], 4);
    EXPECT_EQ(frame(0).fov, 50);
    EXPECT_EQ(frame(1).fov, 40);
    EXPECT_EQ(frame(2).eye[0], 4);
    EXPECT_EQ(frame(2).fov, 30);
    tl_scene_info info;
    ASSERT_EQ(tl_scene_about(scene_, &info), TL_OK);
    ASSERT_EQ(info.n_warnings, 1u);
    EXPECT_NE(std::string(tl_scene_warning(scene_, 0)).find("strange"), std::string::npos);
}

TEST_F(SequenceApi, TheCameraGoesThroughTheBookmarks) {
    test::TempFolder folder;
    auto scene = folder.write("scene.toml", kBookmarks);
    open_scene(scene);
    open({{"frames", "0:4"}, {"fps", "2"}, {"bookmark-seconds", "2"}});
    EXPECT_EQ(frame(0).eye[0], 0);  // number 2
    EXPECT_EQ(frame(0).fov, 60);
    EXPECT_EQ(frame(2).eye[0], 2);
    EXPECT_EQ(frame(4).eye[0], 4);  // number 7
    EXPECT_EQ(frame(4).fov, 40);
    auto first = render(0);
    EXPECT_NE(render(4), first);
}

TEST_F(SequenceApi, WrongPlansAreRefused) {
    TL_EXPECT_CONTAINS(refusal_of({}), "needs the setting frames, FIRST:LAST, or turntable");
    for (auto* wrong : {"", "5", "2:1", "-1:1", "0:10000000", "a:b"})
        TL_EXPECT_CONTAINS(refusal_of({{"frames", wrong}}), "it wants FIRST:LAST, such as 0:99");
    for (auto* wrong : {"0", "-1", "nan", "fast"})
        TL_EXPECT_CONTAINS(refusal_of({{"frames", "0:1"}, {"fps", wrong}}), "fps");
    TL_EXPECT_CONTAINS(refusal_of({{"turntable", "0"}}), "turntable");
    TL_EXPECT_CONTAINS(refusal_of({{"turntable", "4"}, {"bookmark-seconds", "1"}}), "exclude");
    TL_EXPECT_CONTAINS(refusal_of({{"turntable", "4"}, {"camera-path", "x.toml"}}), "exclude");
    TL_EXPECT_CONTAINS(refusal_of({{"frames", "0:1"}, {"camera-path", "x.toml"}, {"eye", "1,2,3"}}),
                       "exclude eye and target");
    TL_EXPECT_CONTAINS(refusal_of({{"frames", "0:1"}, {"bookmark-seconds", "1"}}),
                       "two bookmarks at least");
    TL_EXPECT_CONTAINS(refusal_of({{"frames", "0:1"}, {"camera-path", "no-such.toml"}}),
                       "no-such.toml");
    TL_EXPECT_CONTAINS(refusal_of({{"frames", "0:1"}, {"up", "0,0,0"}}), "up has no length");
    TL_EXPECT_CONTAINS(refusal_of({{"frames", "0:1"}, {"speed", "2"}}, TL_UNKNOWN), "'speed'");
    TL_EXPECT_CONTAINS(refusal_of({{"frames", nullptr}}), "null");
    EXPECT_EQ(tl_sequence_open(nullptr, nullptr, 0, &sequence_), TL_INVALID);
    EXPECT_EQ(tl_sequence_open(scene_, nullptr, 0, nullptr), TL_INVALID);
    // Settings of a sequence are invalid for a single picture.
    picture_ = {kSize.width, kSize.height, 3, pixels_.data(), 0};
    tl_setting frames{"frames", "0:1"};
    pixels_.resize(3 * std::size_t(kSize.pixels()));
    picture_.pixels = pixels_.data();
    EXPECT_EQ(tl_render(scene_, &frames, 1, &picture_, nullptr, nullptr), TL_UNKNOWN);
}

TEST_F(SequenceApi, WhatIsNotThereIsRefused) {
    open({{"frames", "0:1"}});
    tl_frame about;
    EXPECT_EQ(try_render(2), TL_UNKNOWN);
    EXPECT_EQ(picture_.samples, 0);
    EXPECT_EQ(tl_sequence_frame(sequence_, 2, &about), TL_UNKNOWN);
    EXPECT_EQ(tl_sequence_frame(sequence_, 0, nullptr), TL_INVALID);
    EXPECT_EQ(tl_sequence_frame(nullptr, 0, &about), TL_INVALID);
    EXPECT_EQ(tl_render_frame(nullptr, 0, &picture_, nullptr, nullptr), TL_INVALID);
    EXPECT_EQ(tl_render_frame(sequence_, 0, nullptr, nullptr, nullptr), TL_INVALID);
    picture_.channels = 2;
    EXPECT_EQ(tl_render_frame(sequence_, 0, &picture_, nullptr, nullptr), TL_INVALID);
    EXPECT_EQ(tl_sequence_count(nullptr), 0u);
    tl_sequence_close(nullptr);
}

TEST_F(SequenceApi, ASequenceEndsWithinAndBetweenFrames) {
    open({{"frames", "0:3"}});
    auto first = render(0);
    auto stop_at_half = [](void*, const char*, double share) { return share >= 0.5 ? 1 : 0; };
    EXPECT_EQ(try_render(1, stop_at_half), TL_CANCELLED);
    EXPECT_EQ(picture_.samples, 1);
    EXPECT_EQ(render(0), first);
    ASSERT_EQ(tl_scene_cancel(scene_), TL_OK);
    for (std::size_t index : {1, 2}) {
        EXPECT_EQ(try_render(index), TL_CANCELLED);
        EXPECT_EQ(picture_.samples, 0);
        EXPECT_EQ(pixels_, std::vector<float>(pixels_.size(), -1));
    }
    open({{"frames", "0:3"}});
    EXPECT_EQ(render(0), first);
}

}  // namespace
}  // namespace tl::sequence_api_tests
