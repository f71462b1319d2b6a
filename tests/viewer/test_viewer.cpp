// The viewer's loop, without a window.
#include <filesystem>
#include <fstream>

#include "app/viewer/actions/scene_opening.h"
#include "app/viewer/actions/tree_views.h"
#include "app/viewer/actions/viewer_actions.h"
#include "tests/source_path.h"
#include "tests/viewer/offscreen_viewer.h"

namespace tl::viewer_tests {
namespace {

namespace fs = std::filesystem;

class ViewerLoop : public OffscreenViewer {
  protected:
    [[nodiscard]] std::string temporary(const std::string& name) const {
        return folder_.path(name);
    }
};

TEST_F(ViewerLoop, TheWindowShowsTheFilm) {
    auto& model = start().model();
    model.view.interface_visible = false;
    auto shown = window();
    auto film =
        session_->film().picture(session_->scratch(), session_->display().config().tone_map);
    EXPECT_EQ(shown.extent, context_->size());
    EXPECT_EQ(shown.extent, film.extent);
    EXPECT_EQ(shown.rgba, film.rgba);
}

TEST_F(ViewerLoop, EveryFrameAddsASampleUntilTheLimit) {
    ViewerOptions options;
    options.stop_at = 6;
    auto& viewer = start(options);
    steps(4);
    EXPECT_EQ(session_->samples(), 4u);
    steps(12);
    EXPECT_EQ(session_->samples(), 6u);
    // Then no frame is drawn: the loop sleeps.
    auto frames = viewer.frames();
    steps(2);
    EXPECT_EQ(viewer.frames(), frames);
    // A camera movement clears the film, which again fills up to the limit.
    drag({20, kTop + 20}, {30, kTop + 20});
    EXPECT_GT(viewer.frames(), frames);
    step_until([&] { return session_->samples() == 6; });
}

TEST_F(ViewerLoop, PausedItShowsOneSampleOfEveryNewView) {
    auto& model = start().model();
    steps(5);
    press(Key::space);
    steps(1);
    auto samples = session_->samples();
    steps(3);
    EXPECT_EQ(session_->samples(), samples);
    drag({20, kTop + 20}, {30, kTop + 20});
    EXPECT_EQ(session_->samples(), 1u);
    EXPECT_TRUE(model.view.paused);
    press(Key::space);
    steps(4);
    EXPECT_GT(session_->samples(), 1u);
    // After an error it goes on.
    model.status.stopped_by = "test";
    press(Key::space);
    steps(1);
    EXPECT_FALSE(model.view.paused);
    EXPECT_EQ(model.status.stopped_by, "");
}

TEST_F(ViewerLoop, ASlowPictureIsCoarserWhileItMovesAndFineAfterwards) {
    ViewerOptions options;
    options.coarse_motion = true;
    options.stop_at = 3;
    options.screenshot_folder = temporary("");
    auto& model = start(options).model();
    model.view.resolution.budget = 1e-4f;  // no frame is as fast as that
    choose_renderer(model, "aov");
    step_until([&] { return session_->samples() == 3; });
    EXPECT_EQ(session_->extent(), kPicture);
    context_->push(CursorEvent{{20, kTop + 20}});
    context_->push(ButtonEvent{MouseButton::left, true, {}});
    context_->push(CursorEvent{{30, kTop + 20}});
    constexpr int kFactor = MotionResolution::kCoarsest;
    auto coarse =
        Extent{(kPicture.width + kFactor - 1) / kFactor, (kPicture.height + kFactor - 1) / kFactor};
    step_until([&] { return session_->extent() == coarse; });
    EXPECT_EQ(model.view.layout.picture.extent(), kPicture);
    // The pixel under the cursor is read from the smaller film.
    read_legend(model);
    float depth =
        session_->renderer().false_color()->value(session_->stream(), 30 / kFactor, 20 / kFactor);
    EXPECT_GT(depth, 0);
    EXPECT_EQ(model.view.legend.sides[0].at_cursor, depth);
    // A screenshot waits for full resolution, even during a movement.
    press(Key::f12);
    step_until([&] {
        return !fs::is_empty(options.screenshot_folder) && !model.document.pictures.busy();
    });
    auto written = fs::directory_iterator(options.screenshot_folder)->path();
    EXPECT_EQ(read_image8(written.string()).extent, kPicture);
    context_->push(ButtonEvent{MouseButton::left, false, {}});
    step_until([&] { return session_->extent() == kPicture && session_->samples() == 3; });
    // Nothing moves: the film keeps its size.
    steps(5);
    EXPECT_EQ(session_->extent(), kPicture);
    EXPECT_FALSE(model.view.resolution.settling());
}

TEST_F(ViewerLoop, WithoutTheOptionAMovingPictureKeepsItsPixels) {
    auto& model = start().model();
    model.view.resolution.budget = 1e-4f;
    steps(4);
    context_->push(CursorEvent{{20, kTop + 20}});
    context_->push(ButtonEvent{MouseButton::left, true, {}});
    for (int i = 0; i < 5; ++i) {
        context_->push(CursorEvent{{30.0f + float(i), 20}});
        steps(1);
        EXPECT_EQ(session_->extent(), kPicture);
    }
}

TEST_F(ViewerLoop, HidingThePanelGivesThePictureItsRoom) {
    auto& model = start().model();
    steps(3);
    EXPECT_EQ(session_->extent(), kPicture);
    press(Key::tab);
    steps(3);
    EXPECT_EQ(session_->extent(), context_->size());
    press(Key::tab);
    steps(3);
    EXPECT_EQ(session_->extent(), kPicture);
    EXPECT_TRUE(model.view.interface_visible);
}

TEST_F(ViewerLoop, NoRoomOrNoEyesMeansNoFrames) {
    auto& viewer = start();
    steps(3);
    auto frames = viewer.frames();
    for (Extent size : {Extent{0, 0}, Extent{100, 0}, Extent{0, 100}}) {
        context_->resize(size);
        steps(1);
    }
    EXPECT_EQ(viewer.frames(), frames);
    context_->resize({1, 1});
    steps(2);
    context_->resize(window_for(kPicture, 1, true));
    context_->set_minimised(true);
    frames = viewer.frames();
    steps(2);
    EXPECT_EQ(viewer.frames(), frames);
    context_->set_minimised(false);
    steps(3);
    EXPECT_EQ(session_->extent(), kPicture);
    EXPECT_GT(session_->samples(), 0u);
}

TEST_F(ViewerLoop, ADroppedFileOpens) {
    auto& model = start().model();
    steps(2);
    model.view.camera.orbit({0.2f, 0});
    context_->push(DropEvent{{source_path("scenes/sphere-flake.toml")}});
    steps(1);
    step_until([&] { return !model.document.loading.busy(); });
    EXPECT_EQ(session_->scene().path, source_path("scenes/sphere-flake.toml"));
    EXPECT_EQ(model.view.camera.camera().eye, session_->scene().camera.eye);
    EXPECT_EQ(preferences_.recent_files.at(0), source_path("scenes/sphere-flake.toml"));
    steps(3);
    EXPECT_GT(session_->samples(), 0u);
}

TEST_F(ViewerLoop, FlagsForCameraAndTimeAreForTheFirstScene) {
    SessionOptions flags;
    flags.eye = {1, 2, 3};
    flags.lens_radius = 0.5f;
    flags.focus_distance = 2;
    flags.time = 0.25f;
    auto& model = start({}, flags).model();
    open_scene(model, source_path("scenes/teapots.toml"));
    step_until([&] { return !model.document.loading.busy(); });
    ASSERT_TRUE(model.moves());
    EXPECT_EQ(session_->time, 0);
    EXPECT_TRUE(session_->camera == session_->scene().camera);
    EXPECT_LT(model.session_options.lens_radius, 0);
    EXPECT_LT(model.session_options.focus_distance, 0);
}

TEST_F(ViewerLoop, AFileThatDoesNotLoadLeavesTheSceneAndSaysWhy) {
    auto& model = start().model();
    auto path = temporary("broken.toml");
    std::ofstream(path) << "camera = [";
    auto before = session_->scene().name;
    open_scene(model, path);
    step_until([&] { return !model.document.loading.busy(); });
    EXPECT_EQ(session_->scene().name, before);
    EXPECT_NE(model.status.messages.dialog_text().find(path), std::string::npos);
    EXPECT_TRUE(
        model.status.messages.dialog_text().ends_with("The scene that was open stays as it is."));
    EXPECT_EQ(model.status.messages.current(),
              model.status.messages.dialog_title() + ": " + model.status.messages.dialog_text());
    auto samples = session_->samples();
    steps(3);
    EXPECT_GT(session_->samples(), samples);
}

TEST_F(ViewerLoop, ReloadingKeepsTheCamera) {
    auto& model = start().model();
    steps(2);
    drag({20, 20}, {30, 25});
    auto camera = model.view.camera.camera();
    const Scene* before = &session_->scene();
    press(Key::f5);
    steps(1);
    step_until([&] { return !model.document.loading.busy(); });
    steps(2);
    EXPECT_NE(&session_->scene(), before);
    EXPECT_EQ(model.view.camera.camera().eye, camera.eye);
    EXPECT_EQ(session_->camera.eye, camera.eye);
}

TEST_F(ViewerLoop, MayCloseInTheMiddleOfALoad) {
    auto& viewer = start();
    steps(2);
    open_scene(viewer.model(), "generate:terrain,triangles=300000");
    press(Key::q, {.control = true});
    EXPECT_FALSE(viewer.step());
}

TEST_F(ViewerLoop, SettingsChangeByTextAndResetToTheirDefault) {
    auto& model = start().model();
    steps(2);
    auto depth = [&] {
        auto settings = session_->settings().renderer();
        return find_setting(settings, "max-depth", "whitted").text();
    };
    auto initial = depth();
    change_setting(model, "whitted", "max-depth", "2");
    EXPECT_EQ(depth(), "2");
    EXPECT_EQ(session_->samples(), 0u);
    change_setting(model, "whitted", "max-depth", "no number");
    EXPECT_EQ(depth(), "2");
    EXPECT_NE(model.status.messages.dialog_text(), "");
    change_setting(model, "whitted", "max-depth", "");
    EXPECT_EQ(depth(), initial);
}

TEST_F(ViewerLoop, ExposureKeepsTheSamplesAndChangesThePicture) {
    ViewerOptions options;
    options.stop_at = 3;
    auto& model = start(options).model();
    model.view.interface_visible = false;
    step_until([&] { return session_->samples() == 3; });
    auto dark = window();
    press(Key::page_up);
    EXPECT_NE(window().rgba, dark.rgba);
    EXPECT_EQ(session_->samples(), 3u);
    EXPECT_EQ(session_->display().config().tone_map.exposure, 0.5f);
    press(Key::page_up, {.control = true});
    EXPECT_EQ(window().rgba, dark.rgba);
}

TEST_F(ViewerLoop, SteadyFramesAllocateNothingOnTheDevice) {
    ViewerOptions options;
    options.report = temporary("never-written.json");  // rays are not counted between the frames
    start(options);
    steps(8);
    auto before = session_->device().memory_stats().allocation_count;
    steps(20);
    EXPECT_EQ(session_->device().memory_stats().allocation_count, before);
}

TEST_F(ViewerLoop, AllOverlaysDrawInAnySize) {
    auto& model = start().model();
    steps(2);
    press(Key::f1);
    steps(2);
    EXPECT_TRUE(model.view.help_open);
    browse(model, source_path("scenes"));
    EXPECT_FALSE(model.view.browser.listing.entries.empty());
    steps(2);
    model.view.browser.open = false;
    model.status.messages.error("Test", std::string(2000, 'x'));
    for (Extent size : {Extent{30, 20}, Extent{1000, 700}}) {
        context_->resize(size);
        for (float scale : {0.5f, 2.0f}) {
            model.options.ui_scale = scale;
            steps(2);
        }
    }
    EXPECT_TRUE(model.view.help_open);
}

TEST_F(ViewerLoop, ClosesAfterTheWantedFramesAndWritesWhatWasAsked) {
    ViewerOptions options;
    options.frames = 5;
    options.screenshot = temporary("end.png");
    options.screenshot_ui = temporary("end-ui.png");
    options.report = temporary("end.json");
    auto& viewer = start(options);
    viewer.run();
    EXPECT_EQ(viewer.frames(), 5u);
    EXPECT_EQ(read_image8(options.screenshot).extent, kPicture);
    EXPECT_EQ(read_image8(options.screenshot_ui).extent, context_->size());
    EXPECT_GT(fs::file_size(options.report), 100u);
}

}  // namespace
}  // namespace tl::viewer_tests
