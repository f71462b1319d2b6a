// Files still being written when the viewer is closed: the viewer finishes them first, or asks.
#include <filesystem>

#include "app/viewer/actions/compare_actions.h"
#include "app/viewer/actions/save_actions.h"
#include "app/viewer/actions/viewer_actions.h"
#include "app/viewer/files/screenshot.h"
#include "app/viewer/files/sequence_export.h"
#include "tests/viewer/offscreen_viewer.h"

namespace tl::closing_tests {
namespace {

class ClosingViewer : public OffscreenViewer {
  protected:
    ViewerModel& model() { return viewer_->model(); }
    ViewerModel& start_in_folder(bool apart = true) {
        ViewerOptions options;
        options.screenshot_folder = folder_.path("");
        options.frames_apart = apart;
        return start(options).model();
    }
    void quit_by_key() { press(Key::q, {.control = true}); }
    /// Runs until the loop ends; false if it does not.
    bool closes() {
        auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
        while (std::chrono::steady_clock::now() < end)
            if (!viewer_->step()) return true;
        return false;
    }
    std::size_t n_files(const std::string& ending) {
        std::size_t count = 0;
        for (auto& entry : std::filesystem::directory_iterator(folder_.path("")))
            count += entry.path().filename().string().ends_with(ending) ? 1 : 0;
        return count;
    }
    SequenceExport& start_sequence(const std::string& output, int frames = 1 << 20) {
        auto& sequence = model().state<SequenceExport>();
        sequence.choices.output = folder_.path(output);
        sequence.choices.frames = frames;
        sequence.choices.size = {8, 6};
        sequence.choices.spp = 1;
        sequence.start(model());
        return sequence;
    }
};

TEST_F(ClosingViewer, ScreenshotsThatWereAskedForAreWrittenFirst) {
    for (bool apart : {false, true}) {
        start_in_folder(apart);
        // Screenshots requested before the first sample, with frames in another thread or not.
        press(Key::f12);
        press(Key::f12, {.shift = true});
        quit_by_key();
        EXPECT_TRUE(closes());
        EXPECT_EQ(model().status.messages.n_errors(), 0u);
        viewer_.reset();
        context_->stay_open();
    }
    EXPECT_EQ(n_files(".png"), 2u);
    EXPECT_EQ(n_files(".hdr"), 2u);
}

TEST_F(ClosingViewer, EveryScreenshotOfOneFrameHasAFileOfItsOwn) {
    auto& m = start_in_folder();
    step_until([&] { return !m.gate.open(); });
    for (int i = 0; i < 2; ++i) {
        take_screenshot(m, {});
        take_screenshot(m, {PictureFormat::hdr});
    }
    take_screenshot(m, {});
    EXPECT_EQ(m.status.messages.current().find("no screenshot was taken: too many"), 0u);
    step_until(
        [&] { return m.document.pictures.unfinished() == 0 && unfinished_files(m).texts.empty(); });
    EXPECT_EQ(n_files(".png"), 2u);
    EXPECT_EQ(n_files(".hdr"), 2u);
}

TEST_F(ClosingViewer, AScreenshotOfTwoSidesOverwritesNeither) {
    auto& m = start_in_folder(false);
    compare_with(m, parse_side_choices("renderer=path"));
    steps(1);
    take_screenshot(m, {PictureFormat::hdr});
    step_until([&] { return n_files(".hdr") == 2; });
    // The first side's file has been removed, but not that of side B.
    auto name = free_screenshot_path(folder_.path(""),
                                     screenshot_name("Cornell box", "whitted-and-path", 1), ".hdr");
    auto first = folder_.path("Cornell-box_whitted-and-path_1spp_1.hdr");
    EXPECT_NE(name, first);
    ASSERT_TRUE(std::filesystem::remove(first));
    EXPECT_EQ(free_screenshot_path(folder_.path(""),
                                   screenshot_name("Cornell box", "whitted-and-path", 1), ".hdr",
                                   second_path),
              name);
}

TEST_F(ClosingViewer, WhatCannotBeWrittenKeepsTheViewerOpenOnce) {
    auto& m = start_in_folder();
    steps(2);
    m.options.screenshot_folder = folder_.path("none");
    press(Key::f12);
    quit_by_key();
    step_until([&] { return !m.status.messages.dialog_title().empty(); });
    steps(4);
    EXPECT_EQ(m.status.messages.dialog_title(), "Cannot write the picture");
    EXPECT_FALSE(m.document.closing);
    EXPECT_FALSE(context_->should_close());
    quit_by_key();
    EXPECT_TRUE(closes());
}

TEST_F(ClosingViewer, AScreenshotThatWaitsLongIsAskedAbout) {
    auto& m = start_in_folder(false);
    m.view.paused = true;
    steps(2);
    m.view.resolution.expect_slow();
    m.document.awaited_screenshots.push_back({});
    session_->restart();
    m.status.stopped_by = "nothing goes on";  // no sample follows
    quit_by_key();
    steps(2);
    EXPECT_FALSE(m.document.question) << "most are written in a moment";
    quit_by_key();
    steps(2);
    ASSERT_TRUE(m.document.question);
    EXPECT_TRUE(m.document.question->of_files);
    EXPECT_EQ(unfinished_files(m).texts, std::vector<std::string>{"a screenshot"});
    press(Key::d);
    EXPECT_TRUE(closes());
    EXPECT_EQ(n_files(".png"), 0u);
    EXPECT_NE(m.status.messages.log_text().find("no screenshot was taken"), std::string::npos);
}

TEST_F(ClosingViewer, AsksWhileASequenceIsWritten) {
    auto& m = start_in_folder();
    auto& sequence = start_sequence("s_%06d.png");
    step_until([&] { return n_files(".png") > 2; });
    auto asked = [&] { return m.document.question && m.document.question->of_files; };
    quit_by_key();
    step_until(asked);
    EXPECT_FALSE(context_->should_close());
    TL_EXPECT_CONTAINS(unfinished_files(m).texts.at(0), "s_%06d.png (");
    (void)window();  // draws the question
    press(Key::escape);
    steps(4);
    EXPECT_FALSE(m.document.question);
    EXPECT_TRUE(sequence.active()) << "it goes on";
    context_->request_close();  // the window's own button
    step_until(asked);
    press(Key::d);
    EXPECT_TRUE(closes());
}

TEST_F(ClosingViewer, WaitsForASequenceOnRequest) {
    auto& m = start_in_folder();
    constexpr int kFrames = 40;
    start_sequence("s_%02d.png", kFrames);
    quit_by_key();
    step_until([&] { return m.document.question.has_value() || n_files(".png") == kFrames; });
    if (m.document.question) press(Key::w);
    EXPECT_TRUE(closes());
    EXPECT_EQ(n_files(".png"), std::size_t{kFrames});
}

TEST_F(ClosingViewer, ASecondSequenceDoesNotEndTheFirst) {
    auto& m = start_in_folder();
    auto& sequence = start_sequence("first_%06d.png");
    EXPECT_TRUE(sequence.active()) << "while the scene is still to be copied, too";
    start_sequence("second_%06d.png", 2);
    TL_EXPECT_CONTAINS(m.status.messages.current(), "first_%06d.png");
    step_until([&] { return n_files(".png") > 2; });
    EXPECT_FALSE(std::filesystem::exists(folder_.path("second_000000.png")));
    sequence.cancel();
    step_until([&] { return !sequence.active(); });
}

TEST_F(ClosingViewer, ASequenceThatIsCancelledBeforeItBeginsWritesNothing) {
    start_in_folder();
    step_until([&] { return !model().gate.open(); });
    auto& sequence = start_sequence("s_%06d.png");
    sequence.cancel();
    step_until([&] { return !sequence.active(); });
    EXPECT_EQ(n_files(".png"), 0u);
}

TEST_F(ClosingViewer, ASceneIsSavedFirst) {
    auto& m = start_in_folder();
    step_until([&] { return !m.gate.open(); });
    m.gate.edit({.apply = [&] { folder_.write("saved.txt", "saved"); },
                 .ends = Cancellation::nothing,
                 .must_run = true});
    quit_by_key();
    EXPECT_TRUE(closes());
    EXPECT_EQ(n_files("saved.txt"), 1u);
}

}  // namespace
}  // namespace tl::closing_tests
