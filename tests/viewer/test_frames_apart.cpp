// Slow frames run in the background; the interface stays responsive however long they take.
#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "app/jobs/work_share.h"
#include "app/viewer/actions/compare_actions.h"
#include "app/viewer/actions/edit_steps.h"
#include "app/viewer/actions/scene_actions.h"
#include "app/viewer/actions/scene_opening.h"
#include "app/viewer/actions/tree_views.h"
#include "app/viewer/actions/viewer_actions.h"
#include "session/session_preparation.h"
#include "tests/source_path.h"
#include "tests/viewer/offscreen_viewer.h"
#include "tests/viewer/sleeping_renderer.h"

namespace tl::frames_apart_tests {
namespace {

using Clock = std::chrono::steady_clock;

class FramesApart : public OffscreenViewer {
  protected:
    static constexpr double kFrameSeconds = test::kSanitized ? 12 : 5;
    // A step draws the interface, in software on a busy machine.
    static constexpr std::chrono::milliseconds kLongestStep{test::kSanitized ? 5000 : 400};

    Viewer& start_slow(bool coarse_motion = false) {
        ViewerOptions options;
        options.frames_apart = true;
        options.coarse_motion = coarse_motion;
        auto& viewer = start(options);
        session_->set_renderer("slow", std::make_unique<SleepingRenderer>(kFrameSeconds, kPicture));
        restart(viewer.model());
        step_until([&] { return !viewer.model().gate.open(); });
        return viewer;
    }
    /// The longest of the steps until `done` is true.
    template <class Done>
    Clock::duration longest_step_until(Done done) {
        Clock::duration longest{};
        auto last = Clock::now();
        step_until([&] {
            auto now = Clock::now();
            longest = std::max(longest, now - last);
            last = now;
            return done();
        });
        return longest;
    }
};

TEST_F(FramesApart, NotesComeWhileFramesGoOn) {
    ViewerOptions options;
    options.frames_apart = true;
    auto& model = start(options).model();
    session_->set_renderer("slow", std::make_unique<SleepingRenderer>(0.1, kPicture));
    restart(model);
    step_until([&] { return !model.gate.open(); });
    EXPECT_TRUE(model.status.notes.empty());
    model.view.boxes.level = 30;
    toggle_boxes(model);
    step_until([&] { return !model.status.notes.empty(); });
    EXPECT_TRUE(model.accumulating());
}

TEST_F(FramesApart, TheInterfaceAnswersWhileAFrameRuns) {
    auto& viewer = start_slow();
    auto begin = Clock::now();
    for (int i = 0; i < 10; ++i) {
        bool open = viewer.model().view.help_open;
        press(Key::f1);
        EXPECT_LT(longest_step_until([&] { return viewer.model().view.help_open != open; }),
                  kLongestStep);
    }
    EXPECT_FALSE(viewer.model().gate.open()) << "the same frame still runs";
    EXPECT_LT(Clock::now() - begin, std::chrono::duration<double>(kFrameSeconds));
}

TEST_F(FramesApart, AnotherRendererEndsTheFrame) {
    auto& viewer = start_slow();
    choose_renderer(viewer.model(), "whitted");
    EXPECT_EQ(session_->renderer_id(), "slow") << "not while the frame runs";
    auto begin = Clock::now();
    step_until([&] { return session_->renderer_id() == "whitted"; });
    EXPECT_LT(Clock::now() - begin, kLongestStep);
    step_until([&] { return session_->samples() > 2; });
}

TEST_F(FramesApart, OfSeveralChangesOfASettingTheLastOneCounts) {
    auto& viewer = start_slow();
    for (const char* depth : {"3", "4", "5"})
        change_setting(viewer.model(), "whitted", "max-depth", depth);
    choose_renderer(viewer.model(), "whitted");
    step_until([&] { return session_->renderer_id() == "whitted"; });
    auto settings = session_->settings().renderer();
    EXPECT_EQ(find_setting(settings, "max-depth", "whitted").text(), "5");
}

TEST_F(FramesApart, ExposureNeedNotWaitForTheFrame) {
    auto& viewer = start_slow();
    change_exposure(viewer.model(), 1);
    EXPECT_EQ(session_->display().config().tone_map.exposure, 1);
    EXPECT_FALSE(viewer.model().gate.open());
    EXPECT_EQ(viewer.model().gate.asked(), Cancellation::nothing);
}

TEST_F(FramesApart, AClickIsNotLostWithTheFrame) {
    auto& viewer = start_slow();
    auto picture = viewer.model().view.layout.picture;
    context_->push(
        CursorEvent{vec2(picture.x + picture.width / 2, picture.y + picture.height / 2)});
    context_->push(ButtonEvent{MouseButton::left, true, {}});
    context_->push(ButtonEvent{MouseButton::left, false, {}});
    steps(4);
    EXPECT_TRUE(viewer.model().document.selection.empty()) << "the frame still runs";
    choose_renderer(viewer.model(), "whitted");
    step_until([&] { return session_->renderer_id() == "whitted"; });
    step_until([&] { return !viewer.model().document.selection.empty(); });
}

TEST_F(FramesApart, AMovedViewIsShownCoarselyAtOnce) {
    auto& viewer = start_slow(true);
    // Nothing is known yet about a frame that takes five seconds but that it takes long.
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    auto picture = viewer.model().view.layout.picture;
    vec2 center(picture.x + picture.width / 2, picture.y + picture.height / 2);
    auto before = session_->camera;
    context_->push(CursorEvent{center});
    context_->push(ButtonEvent{MouseButton::left, true, {}});
    context_->push(CursorEvent{center + vec2(20, 5)});
    auto begin = Clock::now();
    step_until([&] { return session_->camera != before && session_->samples() > 0; });
    EXPECT_LT(Clock::now() - begin, std::chrono::milliseconds(test::kSanitized ? 8000 : 600));
    EXPECT_EQ(viewer.model().view.resolution.factor(), MotionResolution::kCoarsest);
}

TEST_F(FramesApart, TheViewerClosesAtOnce) {
    auto& viewer = start_slow();
    context_->request_close();
    auto begin = Clock::now();
    viewer.run();
    viewer_.reset();
    EXPECT_LT(Clock::now() - begin, std::chrono::milliseconds(test::kSanitized ? 5000 : 500));
}

TEST_F(FramesApart, ThePictureIsThatOfFramesInTheLoop) {
    ViewerOptions options;
    options.stop_at = 4;
    auto picture = [&](bool apart) {
        options.frames_apart = apart;
        auto& viewer = start(options);
        restart(viewer.model());
        step_until([&] {
            return viewer.model().gate.open() && !viewer.model().accumulating() &&
                   session_->extent() == kPicture;
        });
        return session_->display().picture().rgba;
    };
    auto expected = picture(false);
    EXPECT_EQ(picture(true), expected);
}

/// Frames, edits and pictures go through the same threads on a GPU.
TEST_F(FramesApart, OnCudaFramesAndEditsTakeTurns) {
    if (devices().size() < 2) GTEST_SKIP() << cuda_absence();
    session_->set_device(*devices()[1]);
    ViewerOptions options;
    options.frames_apart = true;
    options.stop_at = 4;
    auto& viewer = start(options);
    for (const char* builder : {"lbvh", "binned", "hploc"}) {
        choose_builder(viewer.model(), builder);
        step_until([&] { return session_->builder_id() == builder && session_->samples() == 4; });
        step_until([&] { return viewer.model().gate.open() && !viewer.model().accumulating(); });
    }
    auto apart = session_->display().picture().rgba;
    options.frames_apart = false;
    auto& loop = start(options);
    restart(loop.model());
    step_until([&] { return !loop.model().accumulating(); });
    EXPECT_EQ(session_->display().picture().rgba, apart);
    auto is_shown_by = [&](DeviceKind kind) {
        return session_->device().kind() == kind && session_->samples() == 4 &&
               !loop.model().accumulating();
    };
    choose_device(loop.model(), "cpu");
    step_until([&] { return is_shown_by(DeviceKind::cpu); });
    choose_device(loop.model(), device_id(DeviceKind::cuda));
    step_until([&] { return is_shown_by(DeviceKind::cuda); });
    EXPECT_EQ(session_->display().picture().rgba, apart);
}

TEST_F(FramesApart, AComparisonEndsWhileItsSideBIsOnItsWay) {
    auto& model = start_slow().model();
    // Side B waits for the frame, and is prepared after it.
    toggle_comparison(model);
    ASSERT_TRUE(model.gate.waits_for("side B"));
    EXPECT_TRUE(compares(model));
    toggle_comparison(model);
    EXPECT_FALSE(compares(model));
    step_until([&] { return !model.gate.busy(); });
    EXPECT_EQ(model.view.compare.second, nullptr);
    toggle_comparison(model);
    step_until(
        [&] { return model.gate.title() == "preparing side B" || model.view.compare.second; });
    toggle_comparison(model);
    step_until([&] { return !model.gate.busy(); });
    EXPECT_EQ(model.view.compare.second, nullptr);
    EXPECT_FALSE(compares(model));
}

TEST_F(FramesApart, ASceneIsPreparedBesideTheInterface) {
    auto& viewer = start_slow();
    choose_renderer(viewer.model(), "path");
    step_until([&] { return session_->renderer_id() == "path"; });
    open_scene(viewer.model(), "generate:terrain,triangles=20000");
    EXPECT_LT(longest_step_until([&] { return session_->scene().name.starts_with("terrain"); }),
              kLongestStep);
    step_until([&] { return session_->samples() > 0; });
    EXPECT_TRUE(viewer.model().status.messages.dialog_title().empty());
}

TEST_F(FramesApart, TheFirstFrameOfASceneBuildsNoTree) {
    auto& viewer = start_slow();
    choose_renderer(viewer.model(), "path");
    viewer.model().options.stop_at = 1;  // on a slow machine the gate opens only then
    auto before = session_->shared_scene();
    open_scene(viewer.model(), "generate:terrain,triangles=3000");
    step_until([&] {
        bool other = session_->shared_scene() != before;
        return other && viewer.model().gate.open() && session_->samples() > 0;
    });
    EXPECT_EQ(session_->live_scene().update_kind(), UpdateKind::none);
}

TEST(PreparedScene, TellsTheShareOfCopyAndBuildAndCanBeCancelled) {
    auto scene = std::make_shared<Scene>(load_scene("generate:terrain,triangles=80000"));
    Session session(find_device("cpu"));
    std::atomic<Cancellation> asked = Cancellation::nothing;
    session.cancellation = &asked;
    WorkShare share;
    std::vector<std::pair<std::string, double>> told;
    auto look = [&] {
        auto state = share.state();
        if (state.what) told.emplace_back(state.what, state.share.value_or(-1));
        return false;
    };
    PreparedScene prepared;
    run_told(share, look, [&](const ReadProgress& progress) {
        prepared = prepare_scene(session, scene, progress);
        build_trees(session, prepared, progress);
        EXPECT_STREQ(share.state().what, "building the tree");
        EXPECT_GT(share.state().share.value_or(0), 0) << "so many triangles have an estimate";
    });
    ASSERT_FALSE(told.empty());
    EXPECT_EQ(told.front(), std::pair(std::string("copying to the device"), 0.0));
    EXPECT_EQ(told.back(), std::pair(std::string("copying to the device"), 1.0));
    EXPECT_TRUE(std::ranges::is_sorted(told, {}, [](auto& t) { return t.second; }));

    // The frame finds the tree that was built, with the settings that the session has.
    session.adopt(std::move(prepared));
    session.resize({8, 8});
    EXPECT_TRUE(session.render_frame());
    EXPECT_EQ(session.live_scene().update_kind(), UpdateKind::none);

    prepared = prepare_scene(session, scene);
    asked = Cancellation::everything;
    EXPECT_THROW(build_trees(session, prepared), Cancelled);
    asked = Cancellation::nothing;
    EXPECT_TRUE(session.render_frame()) << "the scene on show stays";
}

TEST_F(FramesApart, TheFirstSceneComesAfterTheWindow) {
    session_ = std::make_unique<Session>(find_device("cpu"));
    ViewerOptions options;
    options.frames_apart = true;
    options.first_scene = source_path("scenes/waves.toml");
    options.play = true;
    SessionOptions flags;
    flags.fov = 33;
    auto& viewer = start(options, flags);
    EXPECT_EQ(session_->scene().triangle_count(), 0u);
    step_until([&] { return session_->scene().triangle_count() > 0 && session_->samples() > 0; });
    EXPECT_TRUE(viewer.model().view.playing);
    EXPECT_EQ(viewer.model().view.camera.camera().vertical_fov, 33);
}

TEST_F(FramesApart, TheFirstFrameOfAMotionWhichNeedsAnotherTreeDoesNotHoldTheInterface) {
    ViewerOptions options;
    options.frames_apart = true;
    auto& viewer = start(options);
    auto& model = viewer.model();
    open_scene(model, "generate:explosion");
    step_until([&] { return model.document.scene.scene() && model.moves() && !model.gate.busy(); });
    // Frames at rest are made in the loop's thread, where the machine is quick enough.
    int n_quick = 0;
    for (int k = 0; k < 500 && n_quick < 3; ++k) {
        auto samples = session_->samples();
        viewer.step();
        n_quick = model.gate.open() && session_->samples() > samples ? n_quick + 1 : 0;
    }
    if (n_quick < 3) GTEST_SKIP() << "frames take long on this machine";
    model.view.playing = true;
    auto time = session_->time;
    step_until([&] { return session_->time != time; });
    EXPECT_FALSE(model.gate.open());
}

TEST_F(FramesApart, AnObjectIsMovedBesideTheInterface) {
    ViewerOptions options;
    options.frames_apart = true;
    options.stop_at = 2;
    auto& model = start(options).model();
    open_scene(model, "generate:terrain,triangles=300000");
    step_until([&] { return model.document.scene.scene() && session_->samples() == 2; });
    auto before = session_->scene().meshes.at(0).positions.front();
    Transform up;
    up.translate = {0, 1, 0};
    edit_object(model, {ObjectKind::mesh, 0}, "move", [up](Transform& t) { t = up; });
    EXPECT_LT(longest_step_until([&] { return model.document.history.undo_name() != nullptr; }),
              kLongestStep);
    EXPECT_NEAR(session_->scene().meshes.at(0).positions.front().y, before.y + 1, 1e-4f);
    step_until([&] { return session_->samples() == 2; });
    undo(model);
    step_until([&] { return session_->scene().meshes.at(0).positions.front() == before; });
    EXPECT_EQ(model.document.history.undo_name(), nullptr);
    step_until([&] { return session_->samples() == 2; });
}

TEST_F(FramesApart, BoxesOverAFinishedPictureAreFoundBesideTheInterface) {
    ViewerOptions options;
    options.frames_apart = true;
    options.stop_at = 2;
    auto& viewer = start(options);
    auto& model = viewer.model();
    open_scene(model, "generate:splats,points=20000");
    step_until([&] { return model.document.scene.scene() && session_->samples() == 2; });
    steps(3);
    ASSERT_TRUE(model.gate.open());
    toggle_octree_boxes(model);
    viewer.step();
    EXPECT_FALSE(model.gate.open());
    EXPECT_EQ(model.view.boxes.found_count, 0u);
    model.view.boxes.level = 2;  // while the search runs
    model.view.boxes.stale = true;
    step_until([&] { return model.view.boxes.found_count == 2; });
    EXPECT_FALSE(model.view.boxes.stale);
    EXPECT_LE(model.view.boxes.found[0].n_total, 64u);
    EXPECT_EQ(session_->samples(), 2u);
}

}  // namespace
}  // namespace tl::frames_apart_tests
