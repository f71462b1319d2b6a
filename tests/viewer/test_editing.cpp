// Editing of objects selected by clicks, stored cameras, and saved scenes.
#include <filesystem>

#include "app/viewer/actions/camera_actions.h"
#include "app/viewer/actions/compare_actions.h"
#include "app/viewer/actions/edit_steps.h"
#include "app/viewer/actions/save_actions.h"
#include "app/viewer/actions/scene_actions.h"
#include "app/viewer/actions/scene_opening.h"
#include "app/viewer/actions/viewer_actions.h"
#include "app/viewer/actions/viewer_commands.h"
#include "core/base/files.h"
#include "tests/source_path.h"
#include "tests/viewer/offscreen_viewer.h"

namespace tl::editing_tests {
namespace {

class Editing : public OffscreenViewer {
  protected:
    static constexpr std::uint32_t kSamples = 2;

    void SetUp() override {
        OffscreenViewer::SetUp();
        if (!session_) return;
        start({.stop_at = kSamples});
        open(source_path("scenes/cornell-box.toml"));
    }
    ViewerModel& model() { return viewer_->model(); }
    void open(const std::string& path) {
        open_scene(model(), path);
        step_until([&] { return !model().document.loading.busy(); });
        step_until([&] { return model().document.scene.path == path && !model().gate.busy(); });
    }
    std::vector<vec3> finished_picture() {
        step_until([&] { return session_->samples() == kSamples; });
        return radiance_of(session_->stream(), session_->film().view()).rgb;
    }
    void click(vec2 at) {
        context_->push(CursorEvent{at});
        context_->push(ButtonEvent{MouseButton::left, true, {}});
        context_->push(ButtonEvent{MouseButton::left, false, {}});
        steps(4);
    }
    /// Position of a scene point in framebuffer pixels.
    vec2 place_of(vec3 point) {
        auto& camera = model().view.camera.camera();
        vec3 forward = glm::normalize(camera.target - camera.eye);
        vec3 right = glm::normalize(glm::cross(forward, camera.up));
        vec3 to = point - camera.eye;
        float depth = glm::dot(to, forward),
              height = 2 * depth * std::tan(glm::radians(camera.vertical_fov) / 2);
        auto& picture = model().view.layout.picture;
        auto h = static_cast<float>(picture.height);
        return vec2(
            float(picture.x) + float(picture.width) / 2 + glm::dot(to, right) / height * h,
            float(picture.y) + h / 2 - glm::dot(to, glm::cross(right, forward)) / height * h);
    }
};

TEST_F(Editing, AClickSelectsAndADragDoesNot) {
    (void)finished_picture();
    auto& scene = session_->scene();
    ASSERT_FALSE(scene.spheres.empty());
    vec2 at = place_of(scene.spheres[0].center);
    click(at);
    ASSERT_TRUE(model().document.selection.object);
    EXPECT_EQ(*model().document.selection.object, (ObjectId{ObjectKind::sphere, 0}));
    EXPECT_EQ(model().document.selection.material,
              static_cast<std::uint32_t>(scene.spheres[0].material));
    auto before = model().view.camera.camera();
    press(Key::escape);
    steps(2);
    EXPECT_TRUE(model().document.selection.empty());
    drag(at, at + vec2(12, 3));
    EXPECT_TRUE(model().document.selection.empty());
    EXPECT_NE(model().view.camera.camera(), before);
}

TEST_F(Editing, EveryPrimitiveBelongsToTheObjectThatHasIt) {
    auto& scene = session_->scene();
    auto found = [&](std::uint32_t primitive) {
        return selection_of(scene, {.hit = true,
                                    .material = 0,
                                    .primitive = primitive,
                                    .instance = ProbedPixel::kNoInstance})
            .object;
    };
    std::uint32_t primitive = 0;
    for (std::uint32_t i = 0; i < scene.meshes.size(); ++i)
        for (std::size_t k = 0; k < scene.meshes[i].triangles.size(); ++k, ++primitive)
            EXPECT_EQ(found(primitive), (ObjectId{ObjectKind::mesh, i}));
    primitive += 2;  // the lamp
    EXPECT_EQ(found(primitive), (ObjectId{ObjectKind::sphere, 0}));
}

TEST_F(Editing, TheMarkOfWhatIsSelectedIsOnTheWindowAlone) {
    auto picture = finished_picture();
    auto unmarked = window();
    select(model(), {.material = 0, .object = ObjectId{ObjectKind::sphere, 0}});
    auto marked = window();
    EXPECT_NE(marked.rgba, unmarked.rgba);
    EXPECT_EQ(finished_picture(), picture);
}

TEST_F(Editing, EditsShowAndAreUndoneBitForBit) {
    auto first = finished_picture();
    edit_material(model(), 1, "colour", [](Material& m) { m.diffuse = vec3(0.1f, 0.8f, 0.1f); });
    auto second = finished_picture();
    EXPECT_NE(second, first);
    edit_light(model(), 0, "radiance", [](Light& light) { light.radiance *= 2.0f; });
    edit_object(model(), {ObjectKind::sphere, 0}, "move", [](Transform& t) {
        t.translate = {0.05, 0.1, 0};
    });
    EXPECT_NE(finished_picture(), second);
    EXPECT_EQ(*model().document.history.undo_name(), "move of sphere 0");
    undo(model());
    undo(model());
    EXPECT_EQ(finished_picture(), second);
    undo(model());
    EXPECT_EQ(finished_picture(), first);
    EXPECT_EQ(model().document.history.undo_name(), nullptr);
}

TEST_F(Editing, BothSidesOfAComparisonFollow) {
    compare_trees(model());
    edit_material(model(), 1, "colour", [](Material& m) { m.diffuse = vec3(0.1f, 0.8f, 0.1f); });
    auto first = finished_picture();
    auto& second = model().view.compare.second->session();
    step_until([&] { return second.samples() == kSamples; });
    EXPECT_EQ(radiance_of(second.stream(), second.film().view()).rgb, first);
}

TEST_F(Editing, WhatCannotBeDoneIsToldAndChangesNothing) {
    edit_environment(model(), "environment map",
                     [](EnvironmentChoice& choice) { choice.file = "/no/such/sky.hdr"; });
    EXPECT_EQ(model().status.messages.dialog_title(), "Cannot change environment map");
    EXPECT_EQ(model().document.scene.edited.edits(), SceneEdits{});
    EXPECT_EQ(model().document.history.undo_name(), nullptr);
}

TEST_F(Editing, CamerasAreKeptByKeys) {
    auto first = model().view.camera.camera();
    press(static_cast<Key>('3'), {.control = true});
    steps(2);
    model().view.camera.orbit(vec2(0.3f, 0.1f));
    press(static_cast<Key>('4'), {.control = true});
    steps(2);
    auto second = model().view.camera.camera();
    press(static_cast<Key>('3'), {.alt = true});
    steps(2);
    EXPECT_EQ(model().view.camera.camera(), first);
    press(static_cast<Key>('4'), {.alt = true});
    steps(2);
    EXPECT_EQ(model().view.camera.camera(), second);
    press(static_cast<Key>('9'), {.alt = true});
    steps(2);
    EXPECT_NE(model().status.messages.current().find("no camera"), std::string::npos);
    undo(model());
    EXPECT_EQ(model().document.scene.bookmarks.size(), 1u);
}

TEST_F(Editing, ACameraIsCopiedAndPasted) {
    auto first = model().view.camera.camera();
    press(Key::c, {.control = true});
    steps(2);
    model().view.camera.orbit(vec2(0.3f, 0.1f));
    press(Key::v, {.control = true});
    steps(2);
    EXPECT_EQ(model().view.camera.camera(), first);
    context_->set_clipboard("a shopping list");
    press(Key::v, {.control = true});
    steps(2);
    EXPECT_EQ(model().view.camera.camera(), first);
    EXPECT_NE(model().status.messages.current().find("holds no camera"), std::string::npos);
}

TEST_F(Editing, ASavedSceneOpensToTheSameViewer) {
    change_setting(model(), "whitted", "max-depth", "3");
    change_setting(model(), "film", "exposure", "0.5");
    choose_builder(model(), "lbvh");
    edit_material(model(), 1, "colour", [](Material& m) { m.diffuse = vec3(0.1f, 0.8f, 0.1f); });
    model().view.camera.orbit(vec2(0.2f, 0.1f));
    store_bookmark(model(), 5);
    rename_bookmark(model(), 5, "corner");
    model().view.camera.zoom(2);
    steps(2);
    auto picture = finished_picture();
    auto path = folder_.path("saved.toml");
    save_scene_as(model(), path);
    EXPECT_EQ(model().document.saved_path, path);
    viewer_.reset();
    session_ = std::make_unique<Session>(find_device("cpu"));
    start({.stop_at = kSamples});
    model().session_options.allow_outside = true;
    open(path);
    EXPECT_EQ(finished_picture(), picture);
    EXPECT_EQ(session_->builder_id(), "lbvh");
    ASSERT_EQ(model().document.scene.bookmarks.size(), 1u);
    EXPECT_EQ(model().document.scene.bookmarks[0].name, "corner");
    auto again = folder_.path("again.toml");
    save_scene_as(model(), again);
    EXPECT_EQ(read_file(again), read_file(path));
    // No undo step of this viewer covers the changes that the file makes.
    EXPECT_EQ(model().document.history.undo_name(), nullptr);
}

TEST_F(Editing, ReloadingKeepsWhatWasNotSaved) {
    edit_material(model(), 1, "colour", [](Material& m) { m.diffuse = vec3(0.1f, 0.8f, 0.1f); });
    auto edited = finished_picture();
    store_bookmark(model(), 2);
    reload_scene(model());
    ASSERT_TRUE(model().document.question) << "asked first";
    answer(model(), UnsavedAnswer::keep);
    step_until([&] { return !model().document.loading.busy(); });
    step_until([&] { return !model().gate.busy() && !model().document.history.undo_name(); });
    EXPECT_EQ(finished_picture(), edited);
    EXPECT_EQ(model().document.scene.bookmarks.size(), 1u);
    EXPECT_TRUE(has_unsaved_edits(model()));
}

TEST_F(Editing, ReloadingKeepsWhatWasSavedElsewhere) {
    test::TempFolder folder;
    edit_material(model(), 1, "colour", [](Material& m) { m.diffuse = vec3(0.1f, 0.8f, 0.1f); });
    auto edited = finished_picture();
    save_scene_as(model(), folder.path("other.toml"));
    step_until([&] { return !model().gate.busy(); });
    reload_scene(model());
    step_until([&] { return !model().document.loading.busy(); });
    step_until([&] { return !model().gate.busy() && !model().document.history.undo_name(); });
    EXPECT_EQ(finished_picture(), edited);
    EXPECT_FALSE(has_unsaved_edits(model()));
}

}  // namespace
}  // namespace tl::editing_tests
