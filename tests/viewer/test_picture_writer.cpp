// Screenshots are taken between two frames and written in the background.
#include <gtest/gtest.h>

#include <filesystem>

#include "app/viewer/actions/compare_actions.h"
#include "app/viewer/actions/viewer_actions.h"
#include "tests/viewer/offscreen_viewer.h"

namespace tl::picture_writer_tests {
namespace {

class Screenshots : public OffscreenViewer {
  protected:
    ViewerModel& start_in_folder(bool apart) {
        ViewerOptions options;
        options.stop_at = 4;
        options.screenshot_folder = folder_.path("");
        options.frames_apart = apart;
        auto& model = start(options).model();
        restart(model);
        return model;
    }
    std::size_t n_files(const char* ending = ".png") {
        std::size_t count = 0;
        for (auto& entry : std::filesystem::directory_iterator(folder_.path("")))
            count += entry.path().extension() == ending ? 1 : 0;
        return count;
    }
    void finish(ViewerModel& model) {
        step_until([&] {
            return model.document.awaited_screenshots.empty() && !model.gate.busy() &&
                   !model.document.pictures.busy();
        });
        steps(2);
    }
};

TEST_F(Screenshots, OneIsThePictureOnShow) {
    for (bool apart : {false, true}) {
        auto& model = start_in_folder(apart);
        step_until([&] { return model.gate.open() && !model.accumulating(); });
        press(Key::f12);
        steps(2);
        finish(model);
        TL_EXPECT_CONTAINS(model.status.messages.current(), "wrote ");
        auto path = model.status.messages.current().substr(6);
        EXPECT_EQ(read_image8(path).rgba, session_->display().picture().rgba);
    }
    EXPECT_EQ(n_files(), 2u);
}

TEST_F(Screenshots, OneIsTakenOfAFrameUnderWay) {
    auto& model = start_in_folder(true);
    step_until([&] { return !model.gate.open(); });
    take_screenshot(model, ".png");
    EXPECT_EQ(model.gate.asked(), Cancellation::nothing) << "the frame goes on";
    step_until([&] { return n_files() == 1; });
    // A change that comes first ends that frame's picture: the next one is taken.
    restart(model);
    step_until([&] { return !model.gate.open(); });
    take_screenshot(model, ".hdr");
    choose_renderer(model, "path");
    step_until([&] { return n_files(".hdr") == 1; });
    finish(model);
    TL_EXPECT_CONTAINS(model.status.messages.current(), "_path_");
}

TEST_F(Screenshots, TooManyAtOnceAreRefusedAndEveryOtherOneIsWritten) {
    auto& model = start_in_folder(false);
    step_until([&] { return !model.accumulating(); });
    constexpr std::size_t kAsked = 12;
    std::size_t refused = 0;
    for (std::size_t i = 0; i < kAsked; ++i) {
        take_screenshot(model, ".png");
        refused += model.status.messages.current().find("no screenshot") == 0 ? 1 : 0;
        model.status.messages.info("");
    }
    finish(model);
    EXPECT_EQ(n_files() + refused, kAsked);
}

TEST_F(Screenshots, FlipIsFoundWhereItIsNotKnownYet) {
    auto& model = start_in_folder(false);
    compare_with(model, parse_side_choices("renderer=path"));
    model.view.compare.mode = CompareMode::flip;
    step_until([&] { return !model.accumulating(); });
    model.view.compare.figures.clear();
    take_screenshot(model, ".png");
    finish(model);
    ASSERT_EQ(n_files(), 1u);
    auto written = read_image8(model.status.messages.current().substr(6));
    step_until([&] { return model.view.compare.flip_of(model.session) != nullptr; });
    EXPECT_EQ(written.rgba, model.view.compare.flip_of(model.session)->picture.rgba);
}

TEST_F(Screenshots, WhatCannotBeWrittenIsTold) {
    auto& model = start_in_folder(false);
    step_until([&] { return !model.accumulating(); });
    model.options.screenshot_folder = folder_.path("none");
    take_screenshot(model, ".png");
    finish(model);
    EXPECT_EQ(model.status.messages.dialog_title(), "Cannot write the screenshot");
}

}  // namespace
}  // namespace tl::picture_writer_tests
