// Screenshots are taken between two frames and written in the background.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "app/viewer/actions/compare_actions.h"
#include "app/viewer/actions/save_actions.h"
#include "app/viewer/actions/viewer_actions.h"
#include "core/base/files.h"
#include "renderer/film/deep_picture.h"
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
    take_screenshot(model, {});
    EXPECT_EQ(model.gate.asked(), Cancellation::nothing) << "the frame goes on";
    step_until([&] { return n_files() == 1; });
    // A change that comes first ends that frame's picture: the next one is taken.
    restart(model);
    step_until([&] { return !model.gate.open(); });
    take_screenshot(model, {PictureFormat::hdr});
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
        take_screenshot(model, {});
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
    take_screenshot(model, {});
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
    take_screenshot(model, {});
    finish(model);
    EXPECT_EQ(model.status.messages.dialog_title(), "Cannot write the picture");
}

TEST_F(Screenshots, SavedByDialogInEveryFormat) {
    auto& model = start_in_folder(false);
    step_until([&] { return !model.accumulating(); });
    auto shown = session_->display().picture();
    auto radiance = session_->film().radiance(session_->stream());
    for (std::size_t i = 0; i < kPictureFormats.size(); ++i) {
        auto& format = kPictureFormats[i];
        press(Key::s, {.alt = true});
        steps(4);
        auto& browser = model.view.browser;
        ASSERT_TRUE(browser.open);
        EXPECT_EQ(browser.listing.path + "/", folder_.path(""));
        choose_format(browser, i);
        EXPECT_TRUE(browser.typed.ends_with(format.extension)) << browser.typed;
        auto name = std::string("saved-") + format.id + format.extension;
        browser.typed = name;
        choose_typed(model);
        finish(model);
        auto path = folder_.path(name);
        EXPECT_EQ(model.status.messages.path(), path);
        EXPECT_EQ(model.status.messages.current(), "wrote " + path);
        if (format.is_linear) {
            auto read = read_image(path);
            for (std::size_t k = 0; k < read.rgb.size(); ++k)
                for (int c = 0; c < 3; ++c) {
                    auto& rgb = radiance.rgb[k];
                    EXPECT_NEAR(read.rgb[k][c], rgb[c], 0.01f * std::max({rgb.x, rgb.y, rgb.z}));
                }
        } else {
            auto read = read_image8(path);
            double difference = 0;
            for (std::size_t k = 0; k < read.rgba.size(); ++k)
                difference += std::abs(int{read.rgba[k]} - int{shown.rgba[k]});
            EXPECT_LT(difference / static_cast<double>(read.rgba.size()), 3) << name;
        }
    }
    auto bytes = [&](const char* name) { return std::filesystem::file_size(folder_.path(name)); };
    EXPECT_LT(bytes("saved-exr-half.exr"), bytes("saved-exr.exr"));
    auto deep = read_image16(folder_.path("saved-png16.png"));
    EXPECT_FALSE(deep.lower.empty());
    EXPECT_EQ(deep.lower, deep_picture_of(radiance, session_->display().shown_tone_map()).lower);
    auto layered = read_text_file(folder_.path("saved-exr-layers.exr"));
    for (auto* layer : {"depth.Z", "normal.X", "albedo.R"}) TL_EXPECT_CONTAINS(layered, layer);
    EXPECT_EQ(preferences_.picture_format, "hdr");
    EXPECT_EQ(preferences_.picture_folder + "/", folder_.path(""));
}

TEST_F(Screenshots, OneOf16BitsShowsBothSides) {
    auto& model = start_in_folder(false);
    compare_with(model, parse_side_choices("renderer=path"));
    step_until([&] { return model.view.compare.second && !model.accumulating(); });
    model.view.compare.split = 0.25f;
    auto path = folder_.path("both.png");
    take_screenshot(model, {PictureFormat::png16, path});
    finish(model);
    auto written = read_image16(path);
    EXPECT_FALSE(written.lower.empty());
    auto eight = read_image8(path), a = session_->display().picture();
    auto b = model.view.compare.second->session().display().picture();
    auto both = split_picture(a, b, 0.25f);
    for (std::size_t i = 0; i < both.rgba.size(); ++i)
        ASSERT_NEAR(eight.rgba[i], both.rgba[i], 1) << "value " << i;
    // Error maps have colours of 8 bits.
    model.view.compare.mode = CompareMode::difference;
    take_screenshot(model, {PictureFormat::png16, folder_.path("difference.png")});
    finish(model);
    EXPECT_TRUE(read_image16(folder_.path("difference.png")).lower.empty());
}

TEST_F(Screenshots, SavingByDialogAsksBeforeItReplaces) {
    auto& model = start_in_folder(false);
    step_until([&] { return !model.accumulating(); });
    folder_.write("a.png", "old");
    auto enter = [&](const char* name) {
        ask_to_save_picture(model);
        model.view.browser.typed = name;
        choose_typed(model);
    };
    enter("a.png");
    auto& browser = model.view.browser;
    ASSERT_TRUE(browser.open);
    TL_EXPECT_CONTAINS(browser.fault, "exists");
    EXPECT_EQ(std::filesystem::file_size(folder_.path("a.png")), 3u);
    choose_typed(model);
    EXPECT_FALSE(browser.open);
    finish(model);
    EXPECT_EQ(read_image8(folder_.path("a.png")).extent, kPicture);
    // An ending of another format chooses that one; without one, the chosen one is added.
    enter("b.exr");
    finish(model);
    EXPECT_FALSE(read_image(folder_.path("b.exr")).rgb.empty());
    // Linear pictures of a comparison have a second file, which is not replaced unasked either.
    compare_with(model, parse_side_choices("renderer=path"));
    step_until([&] { return model.view.compare.second && !model.accumulating(); });
    folder_.write("c-b.hdr", "old");
    enter("c.hdr");
    ASSERT_TRUE(browser.open);
    TL_EXPECT_CONTAINS(browser.fault, "c-b.hdr exists");
    close_browser(browser);
}

TEST_F(Screenshots, AClickOnTheMessageCopiesThePath) {
    context_->resize(window_for({600, 100}, 1, true));
    auto& model = start_in_folder(false);
    step_until([&] { return !model.accumulating(); });
    take_screenshot(model, {});
    finish(model);
    auto path = model.status.messages.path();
    ASSERT_FALSE(path.empty());
    EXPECT_TRUE(std::filesystem::path(path).is_absolute());
    auto& status = model.view.layout.status;
    for (int x = status.width - 20; x > 200 && context_->clipboard() != path; x -= 40) {
        vec2 at(static_cast<float>(x), static_cast<float>(status.y + status.height / 2));
        drag(at, at);
    }
    EXPECT_EQ(context_->clipboard(), path);
    EXPECT_FALSE(model.view.log_open);
}

TEST_F(Screenshots, TheFolderOfAFileOpensInTheDesktop) {
    auto& model = start_in_folder(false);
    step_until([&] { return !model.accumulating(); });
    take_screenshot(model, {});
    finish(model);
    auto path = model.status.messages.path();
    {
        // Without the program, the message names the folder.
        test::Environment none("PATH", folder_.path("none"));
        open_folder(model, path);
    }
    auto folder = std::filesystem::path(path).parent_path().string();
    EXPECT_EQ(model.status.messages.current(),
              "xdg-open is not installed (package xdg-utils); the folder is " + folder);
    EXPECT_EQ(model.status.messages.n_errors(), 0u);
    auto program = folder_.path("bin/xdg-open");
    folder_.write("bin/xdg-open",
                  "#!/bin/sh\nprintf %s \"$1\" > \"$0.part\"\nmv \"$0.part\" \"$0.log\"\n");
    std::filesystem::permissions(program, std::filesystem::perms::owner_all);
    test::Environment found("PATH", folder_.path("bin") + ":" + std::getenv("PATH"));
    open_folder(model, path);
    step_until([&] { return std::filesystem::exists(program + ".log"); });
    EXPECT_EQ(read_text_file(program + ".log"), folder);
    TL_EXPECT_CONTAINS(model.status.messages.current(), "opened the folder");
}

}  // namespace
}  // namespace tl::picture_writer_tests
