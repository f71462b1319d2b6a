// Sequences that the viewer renders in the background.
#include <gtest/gtest.h>

#include <filesystem>

#include "app/jobs/video_writer.h"
#include "app/viewer/files/sequence_export.h"
#include "tests/viewer/offscreen_viewer.h"

namespace tl::sequence_export_tests {
namespace {

class SequenceExports : public OffscreenViewer {
  protected:
    SequenceExport& start_viewer() {
        auto& state = start().model().state<SequenceExport>();
        auto& choices = state.choices;
        choices.frames = 3;
        choices.spp = 2;
        choices.size = {20, 14};
        choices.output = folder_.path("f_%d.png");
        return state;
    }
    void render(SequenceExport& state) {
        state.start(viewer_->model());
        step_until([&] { return !state.active(); });
    }
    const std::string& message() { return viewer_->model().status.messages.current(); }
    /// A program `ffmpeg` that writes its input to the file named by its last argument.
    void pretend_ffmpeg(const std::string& script) {
        auto path = folder_.write("bin/ffmpeg", "#!/bin/sh\n" + script);
        std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    }
};

TEST_F(SequenceExports, ATurnIsWrittenWhileTheViewerGoesOn) {
    auto& state = start_viewer();
    state.choices.kind = CameraMotion::turntable;
    session_->settings().set("film", "exposure", "1");
    render(state);
    TL_EXPECT_CONTAINS(message(), "wrote 3 frames");
    auto first = read_image8(folder_.path("f_0.png"));
    EXPECT_EQ(first.extent, (Extent{20, 14}));
    EXPECT_NE(first.rgba, read_image8(folder_.path("f_1.png")).rgba);
    // The pictures are those of the viewer's session.
    session_->resize({20, 14});
    session_->restart();
    for (int i = 0; i < 2; ++i) session_->render_frame();
    EXPECT_EQ(first.rgba, session_->display().picture().rgba);
}

TEST_F(SequenceExports, TheyCanBeCancelledAndGoneOnWith) {
    auto& state = start_viewer();
    state.choices.spp = 1 << 20;
    state.choices.size = {400, 300};
    state.start(viewer_->model());
    step_until([&] { return state.progress() > 0; });
    EXPECT_FALSE(state.progress_text().empty());
    state.cancel();
    step_until([&] { return !state.active(); });
    TL_EXPECT_CONTAINS(message(), "cancelled");
    EXPECT_FALSE(std::filesystem::exists(folder_.path("f_0.png")));
    state.choices.spp = 1;
    state.choices.resume = true;
    folder_.write("f_1.png", "there");
    render(state);
    TL_EXPECT_CONTAINS(message(), "wrote 2 frames");
    EXPECT_EQ(std::filesystem::file_size(folder_.path("f_1.png")), 5u);
}

TEST_F(SequenceExports, BookmarksAreACameraPath) {
    auto& state = start_viewer();
    auto& model = viewer_->model();
    state.choose(CameraMotion::bookmarks);
    state.start(model);
    TL_EXPECT_CONTAINS(model.status.messages.dialog_text(), "two bookmarks");
    model.status.messages.close_dialog();
    model.document.scene.bookmarks = {{.number = 2, .camera = session_->camera},
                                      {.number = 5, .camera = session_->camera}};
    model.document.scene.bookmarks[1].camera.eye += vec3(0.2f, 0.1f, 0);
    state.choices.bookmark_seconds = 0.5f;
    state.choices.fps = 4;
    state.count_frames(model);
    EXPECT_EQ(state.choices.frames, 3) << "the number follows the bookmarks";
    state.choices.fps = 2;
    state.count_frames(model);
    EXPECT_EQ(state.choices.frames, 2);
    state.choices.fps = 4;
    render(state);
    TL_EXPECT_CONTAINS(message(), "wrote 3 frames");
    // The last picture is the last bookmark's.
    session_->camera = model.document.scene.bookmarks[1].camera;
    session_->resize({20, 14});
    for (int i = 0; i < 2; ++i) session_->render_frame();
    EXPECT_EQ(read_image8(folder_.path("f_2.png")).rgba, session_->display().picture().rgba);
}

TEST_F(SequenceExports, TheHomeFolderMayBeATilde) {
    test::Environment home("HOME", folder_.path(""));
    auto& state = start_viewer();
    state.choices.frames = 1;
    state.choices.output = "~/g_%d.png";
    render(state);
    EXPECT_TRUE(std::filesystem::exists(folder_.path("g_0.png")));
}

TEST_F(SequenceExports, NothingUnfinishedIsLeftWhenTheViewerCloses) {
    pretend_ffmpeg("for last; do :; done\ncat > \"$last\"\necho done > \"$last.whole\"\n");
    test::Environment path("PATH", folder_.path("bin") + ":" + std::getenv("PATH"));
    auto& state = start_viewer();
    state.choices.output = folder_.path("turn.mp4");
    state.choices.frames = 1 << 20;
    auto n_files = [&] {
        return std::distance(std::filesystem::directory_iterator(folder_.path("")), {});
    };
    state.start(viewer_->model());
    step_until([&] { return state.progress() > 0 && n_files() == 2; });
    quit(viewer_->model());
    ASSERT_TRUE(viewer_->model().document.question) << "what is written is asked about";
    answer(viewer_->model(), UnsavedAnswer::discard);
    viewer_->run();
    viewer_.reset();
    EXPECT_EQ(n_files(), 1) << "the folder of ffmpeg";
}

TEST(VideoWriter, WhatIsUnfinishedGoesWhenTheProgramEnds) {
    test::TempFolder folder;
    auto ffmpeg = folder.write("bin/ffmpeg", "#!/bin/sh\nfor last; do :; done\ncat > \"$last\"\n");
    std::filesystem::permissions(ffmpeg, std::filesystem::perms::owner_all);
    test::Environment path("PATH", folder.path("bin") + ":" + std::getenv("PATH"));
    VideoWriter video(folder.path("turn.mp4"), {8, 8}, 25);
    video.add({{8, 8}, std::vector<std::uint8_t>(8 * 8 * 4)});
    auto n_files = [&] {
        return std::distance(std::filesystem::directory_iterator(folder.path("")), {});
    };
    auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (n_files() < 2 && std::chrono::steady_clock::now() < end)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    ASSERT_EQ(n_files(), 2);
    end_unfinished_videos();
    EXPECT_EQ(n_files(), 1);
    EXPECT_THROW(video.finish(), UserError) << "ffmpeg was ended";
}

TEST_F(SequenceExports, WrongChoicesAreOneMessage) {
    auto& state = start_viewer();
    auto& messages = viewer_->model().status.messages;
    state.choices.output = folder_.path("f.png");
    state.start(viewer_->model());
    EXPECT_FALSE(state.active());
    TL_EXPECT_CONTAINS(messages.dialog_text(), "without a number");
    state.choices.output = folder_.path("f_%d.png");
    state.choices.kind = CameraMotion::path;
    state.choices.camera_path = folder_.path("none.toml");
    render(state);
    TL_EXPECT_CONTAINS(messages.dialog_text(), "none.toml: no such file");
}

TEST_F(SequenceExports, VideosAreHandedToFfmpeg) {
    pretend_ffmpeg("for last; do :; done\ncat > \"$last\"\n");
    test::Environment path("PATH", folder_.path("bin") + ":" + std::getenv("PATH"));
    auto& state = start_viewer();
    state.choices.output = folder_.path("turn.mp4");
    render(state);
    TL_EXPECT_CONTAINS(message(), "wrote 3 frames");
    EXPECT_EQ(std::filesystem::file_size(folder_.path("turn.mp4")), 3u * 20 * 14 * 3);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path("")), {}), 2);
}

TEST_F(SequenceExports, WhatFfmpegRefusesIsToldAndLeavesNothing) {
    auto& state = start_viewer();
    state.choices.output = folder_.path("turn.mp4");
    auto& messages = viewer_->model().status.messages;
    {
        test::Environment path("PATH", folder_.path("bin"));
        render(state);
    }
    TL_EXPECT_CONTAINS(messages.dialog_text(), "install it");
    pretend_ffmpeg("for last; do :; done\ntouch \"$last\"\necho 'no such encoder' >&2\nexit 1\n");
    test::Environment path("PATH", folder_.path("bin") + ":" + std::getenv("PATH"));
    render(state);
    TL_EXPECT_CONTAINS(messages.dialog_text(), "ffmpeg has failed: no such encoder");
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder_.path("")), {}), 1);
}

}  // namespace
}  // namespace tl::sequence_export_tests
