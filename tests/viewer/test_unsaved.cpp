// The viewer asks before it discards unsaved edits.
#include <filesystem>

#include "app/viewer/actions/camera_actions.h"
#include "app/viewer/actions/edit_steps.h"
#include "app/viewer/actions/save_actions.h"
#include "app/viewer/actions/scene_actions.h"
#include "app/viewer/actions/scene_opening.h"
#include "app/viewer/actions/viewer_actions.h"
#include "tests/source_path.h"
#include "tests/viewer/offscreen_viewer.h"

namespace tl::unsaved_tests {
namespace {

const std::string kScene = source_path("scenes/cornell-box.toml");

class UnsavedEdits : public OffscreenViewer {
  protected:
    void SetUp() override {
        OffscreenViewer::SetUp();
        if (!session_) return;
        start({.stop_at = 2});
        open_scene(model(), kScene);
        opened(kScene);
    }
    ViewerModel& model() { return viewer_->model(); }
    void opened(const std::string& path) {
        step_until([&] { return !model().document.loading.busy(); });
        step_until([&] { return model().document.scene.path == path && !model().gate.busy(); });
    }
    void edit() {
        edit_material(model(), 1, "colour",
                      [](Material& m) { m.diffuse = vec3(0.1f, 0.8f, 0.1f); });
    }
    bool edited() { return model().document.scene.edited.edits() != SceneEdits{}; }
    void tap(Key key, Modifiers modifiers = {}) {
        press(key, modifiers);
        for (int i = 0; i < 6; ++i) (void)viewer_->step();
    }
    bool closed() { return context_->should_close() && !viewer_->step(); }
    void quit_by_key() { tap(Key::q, {.control = true}); }
};

TEST_F(UnsavedEdits, NothingIsAskedWhereNothingWouldBeLost) {
    edit();
    EXPECT_TRUE(has_unsaved_edits(model()));
    undo(model());
    EXPECT_FALSE(has_unsaved_edits(model()));
    change_setting(model(), "whitted", "max-depth", "3");
    quit_by_key();
    EXPECT_FALSE(model().document.question);
    EXPECT_TRUE(closed());
}

TEST_F(UnsavedEdits, QuittingAsksAndMayBeCancelled) {
    edit();
    quit_by_key();
    ASSERT_TRUE(model().document.question);
    EXPECT_FALSE(context_->should_close());
    tap(Key::escape);
    EXPECT_FALSE(model().document.question);
    EXPECT_TRUE(edited());
    context_->request_close();  // the window's own button
    steps(4);
    ASSERT_TRUE(model().document.question);
    EXPECT_FALSE(context_->should_close());
    context_->request_close();  // once more
    steps(2);
    EXPECT_TRUE(model().document.question);
    tap(Key::d);
    EXPECT_TRUE(closed());
}

TEST_F(UnsavedEdits, SavingComesFirstWhereItIsChosen) {
    edit();
    auto path = folder_.path("kept.toml");
    save_scene_as(model(), path);
    EXPECT_FALSE(has_unsaved_edits(model()));
    auto before = std::filesystem::file_size(path);
    edit_light(model(), 0, "radiance", [](Light& light) { light.radiance *= 2.0f; });
    quit_by_key();
    ASSERT_TRUE(model().document.question);
    tap(Key::enter);
    EXPECT_TRUE(closed());
    EXPECT_GT(std::filesystem::file_size(path), before);
}

TEST_F(UnsavedEdits, ANameIsAskedForWhereThereIsNone) {
    edit();
    quit_by_key();
    tap(Key::s);
    EXPECT_FALSE(model().document.question);
    ASSERT_TRUE(model().view.browser.open);
    EXPECT_FALSE(context_->should_close()) << "not before it is saved";
    model().view.browser.typed = folder_.path("named.toml");
    choose_typed(model());
    EXPECT_TRUE(std::filesystem::exists(folder_.path("named.toml")));
    EXPECT_TRUE(closed());
}

TEST_F(UnsavedEdits, WhatCannotBeSavedKeepsTheViewerOpen) {
    edit();
    quit_by_key();
    tap(Key::s);
    save_scene_as(model(), folder_.path("none/named.toml"), quit);
    steps(2);
    EXPECT_FALSE(model().status.messages.dialog_title().empty());
    EXPECT_FALSE(context_->should_close());
}

TEST_F(UnsavedEdits, AnotherSceneAsks) {
    edit();
    open_scene(model(), "generate:terrain,triangles=200");
    ASSERT_TRUE(model().document.question);
    EXPECT_FALSE(model().document.loading.busy());
    steps(4);
    tap(Key::d);
    step_until([&] { return session_->scene().name.starts_with("terrain"); });
    EXPECT_FALSE(has_unsaved_edits(model()));
}

TEST_F(UnsavedEdits, EditsMadeWhileASceneLoadsAreAskedAboutToo) {
    open_scene(model(), "generate:terrain,triangles=200");
    edit();
    step_until([&] { return model().document.question.has_value(); });
    EXPECT_TRUE(edited());
    answer(model(), UnsavedAnswer::cancel);
    steps(4);
    EXPECT_EQ(model().document.scene.path, kScene);
    EXPECT_TRUE(edited());
}

TEST_F(UnsavedEdits, ReloadingByHandCanGoBackToTheFile) {
    edit();
    store_bookmark(model(), 2);
    tap(Key::f5);
    ASSERT_TRUE(model().document.question);
    tap(Key::d);
    step_until(
        [&] { return !model().document.loading.busy() && !model().gate.busy() && !edited(); });
    EXPECT_TRUE(model().document.scene.bookmarks.empty());
    EXPECT_FALSE(has_unsaved_edits(model()));
}

TEST_F(UnsavedEdits, BookmarksCount) {
    store_bookmark(model(), 3);
    EXPECT_TRUE(has_unsaved_edits(model()));
    save_scene_as(model(), folder_.path("cameras.toml"));
    EXPECT_FALSE(has_unsaved_edits(model()));
}

TEST_F(UnsavedEdits, TheTitleHasAStar) {
    steps(2);
    EXPECT_EQ(context_->title().find('*'), std::string::npos);
    edit();
    steps(2);
    EXPECT_EQ(context_->title().find(session_->scene().name + "*"), 0u) << context_->title();
    save_scene_as(model(), folder_.path("kept.toml"));
    steps(2);
    EXPECT_EQ(context_->title().find('*'), std::string::npos);
}

TEST_F(UnsavedEdits, TheLettersOfTheQuestionDoNothingElse) {
    edit();
    quit_by_key();
    tap(Key::k);  // only where the edits can be kept
    EXPECT_TRUE(model().document.question);
    auto camera = model().view.camera.camera();
    context_->push(KeyEvent{Key::s, Key::s, true, false, {}});
    steps(10);
    EXPECT_EQ(model().view.camera.camera(), camera) << "S would fly";
}

}  // namespace
}  // namespace tl::unsaved_tests
