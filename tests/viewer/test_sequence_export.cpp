// Sequences that the viewer renders beside its frames.
#include <gtest/gtest.h>

#include <filesystem>

#include "app/jobs/video_writer.h"
#include "app/viewer/sequence_export.h"
#include "tests/viewer/offscreen_viewer.h"

namespace tl {
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
    const std::string& message() { return viewer_->model().messages.current(); }
    /// A program `ffmpeg` that keeps what it is given in the file that is its last argument.
    void pretend_ffmpeg(const std::string& script) {
        auto path = folder_.write("bin/ffmpeg", "#!/bin/sh\n" + script);
        std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    }
};

TEST_F(SequenceExports, ATurnIsWrittenWhileTheViewerGoesOn) {
    auto& state = start_viewer();
    state.choices.kind = SequenceKind::turntable;
    session_->set_setting("film", "exposure", "1");
    render(state);
    TL_EXPECT_CONTAINS(message(), "wrote 3 frames");
    auto first = read_image8(folder_.path("f_0.png"));
    EXPECT_EQ(first.extent, (Extent{20, 14}));
    EXPECT_NE(first.rgba, read_image8(folder_.path("f_1.png")).rgba);
    // The pictures are those of the viewer's session.
    session_->resize({20, 14});
    session_->restart();
    for (int i = 0; i < 2; ++i) session_->render_frame();
    EXPECT_EQ(first.rgba, session_->picture().rgba);
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

TEST_F(SequenceExports, WrongChoicesAreOneMessage) {
    auto& state = start_viewer();
    auto& messages = viewer_->model().messages;
    state.choices.output = folder_.path("f.png");
    state.start(viewer_->model());
    EXPECT_FALSE(state.active());
    TL_EXPECT_CONTAINS(messages.dialog_text(), "without a number");
    state.choices.output = folder_.path("f_%d.png");
    state.choices.kind = SequenceKind::path;
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
    auto& messages = viewer_->model().messages;
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
}  // namespace tl
