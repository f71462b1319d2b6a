// Handles over the picture move, rotate and scale what is selected.
#include <algorithm>

#include "app/viewer/actions/edit_steps.h"
#include "app/viewer/actions/gizmo_actions.h"
#include "app/viewer/actions/scene_actions.h"
#include "app/viewer/actions/scene_opening.h"
#include "core/base/files.h"
#include "tests/viewer/wide_viewer.h"

namespace tl::gizmo_tests {
namespace {

constexpr ObjectId kSphere{ObjectKind::sphere, 0};

TEST(GizmoAngles, EveryRotationIsFoundAgain) {
    for (float x : {-170.0f, -35.0f, 0.0f, 20.0f, 95.0f})
        for (float y : {-90.0f, -60.0f, 0.0f, 45.0f, 90.0f})
            for (float z : {-120.0f, 0.0f, 15.0f, 300.0f}) {
                vec3 degrees(x, y, z);
                auto rotation = rotation_of(degrees);
                vec3 found = angles_of(rotation, degrees);
                auto again = rotation_of(found);
                for (int i = 0; i < 3; ++i)
                    EXPECT_LT(glm::length(again[i] - rotation[i]), 1e-5)
                        << x << " " << y << " " << z;
                EXPECT_LT(glm::length(found - degrees), 1e-3f);
            }
}

TEST(GizmoAngles, TheRotationIsThatOfATransform) {
    Transform transform{.rotate = {20, -50, 110}};
    glm::mat3 expected(transform.matrix()), found(rotation_of(transform.rotate));
    for (int i = 0; i < 3; ++i) EXPECT_LT(glm::length(found[i] - expected[i]), 1e-6f);
}

TEST(GizmoAngles, WholeTurnsAreKept) {
    Transform before{.rotate = {0, 0, 350}};
    auto after = with_change(before, {.axis = {0, 0, 1}, .degrees = 20});
    EXPECT_FLOAT_EQ(after.rotate.z, 370);
    EXPECT_EQ(after.rotate.x, 0);
}

TEST(GizmoSteps, SuitTheSize) {
    EXPECT_DOUBLE_EQ(snap_step_for(3), 0.1);
    EXPECT_DOUBLE_EQ(snap_step_for(0.35f), 0.01);
    EXPECT_DOUBLE_EQ(snap_step_for(120), 10);
    EXPECT_DOUBLE_EQ(snap_step_for(0), 0.1);
}

TEST(PictureProjections, APixelIsFoundAgain) {
    PictureProjection projection({vec3(1, 2, 5), vec3(0), vec3(0, 1, 0), 40}, {10, 20, 300, 200});
    vec3 point(0.3f, -0.2f, 0.5f);
    auto pixel = projection.pixel_of(point);
    ASSERT_TRUE(pixel);
    vec3 way = glm::normalize(point - projection.eye());
    EXPECT_LT(glm::length(projection.direction_at(*pixel) - way), 1e-5f);
    auto middle = projection.pixel_of(vec3(0));
    EXPECT_NEAR(middle->x, 160, 1e-3);
    EXPECT_NEAR(middle->y, 120, 1e-3);
    EXPECT_FALSE(projection.pixel_of(vec3(2, 4, 10)));
}

/// A viewer of the Cornell box with a large picture, whose sphere is selected.
class Handles : public WideViewer {
  protected:
    void SetUp() override {
        WideViewer::SetUp();
        if (!session_) return;
        context_->resize(window_for({400, 300}, 1, true));
        start({.frames_apart = apart()});
        open(source_path("scenes/cornell-box.toml"));
        selects({.material = 0, .object = kSphere});
    }
    [[nodiscard]] virtual bool apart() const { return false; }
    ViewerModel& model() { return viewer_->model(); }
    void open(const std::string& path) {
        open_scene(model(), path);
        step_until([&] { return !model().document.loading.busy(); });
        step_until([&] { return model().document.scene.path == path && !model().gate.busy(); });
    }
    void selects(const Selection& selection) {
        select(model(), selection);
        steps(4);
    }
    void shows(GizmoMode mode) {
        if (model().view.gizmo.mode != mode) toggle_gizmo(model(), mode);
        steps(3);
    }
    /// A pixel of a handle.
    vec2 place_of(GizmoHandle handle) {
        auto& shown = model().view.gizmo.shown;
        EXPECT_TRUE(shown);
        auto shape = std::ranges::find(shown->shapes, handle, &GizmoShape::handle);
        EXPECT_NE(shape, shown->shapes.end());
        if (!shape->is_area) return shape->points[shape->points.size() * 3 / 4];
        vec2 sum(0);
        for (auto& point : shape->points) sum += point;
        return sum / static_cast<float>(shape->points.size());
    }
    /// Pixels that a way in the scene takes at the gizmo.
    vec2 pixels_of(vec3 way) {
        auto& shown = *model().view.gizmo.shown;
        return *shown.projection.pixel_of(shown.gizmo.origin + way) -
               *shown.projection.pixel_of(shown.gizmo.origin);
    }
    void drag_handle(GizmoHandle handle, vec2 way, Modifiers modifiers = {}) {
        vec2 from = place_of(handle);
        drag(from, from + way, MouseButton::left, modifiers);
        settle();
    }
    void settle() {
        steps(3);
        step_until([&] { return !model().gate.busy() && viewer_->idle(); });
    }
    Transform transform(const ObjectId& id = kSphere) {
        auto& objects = model().document.scene.edited.edits().objects;
        auto found = objects.find(id);
        return found == objects.end() ? Transform{} : found->second;
    }
    /// Presses the left button on a handle and moves the cursor.
    void hold(GizmoHandle handle, vec2 way) {
        vec2 from = place_of(handle);
        context_->push(CursorEvent{from});
        context_->push(ButtonEvent{MouseButton::left, true, {}});
        context_->push(CursorEvent{from + way});
        steps(3);
    }
    void let_go() {
        context_->push(ButtonEvent{MouseButton::left, false, {}});
        steps(3);
    }
};

TEST_F(Handles, AnArrowMovesAlongItsAxisAlone) {
    auto eye = model().view.camera.camera();
    vec2 way = pixels_of(vec3(0.1f, 0, 0));
    drag_handle(GizmoHandle::x, way);
    auto moved = transform().translate;
    EXPECT_NEAR(moved.x, 0.1, 0.002);
    EXPECT_EQ(moved.y, 0);
    EXPECT_EQ(moved.z, 0);
    EXPECT_EQ(model().view.camera.camera(), eye);
    EXPECT_EQ(*model().document.history.undo_name(), "move of sphere 0");
    undo(model());
    settle();
    EXPECT_EQ(transform(), Transform{});
    EXPECT_EQ(model().document.history.undo_name(), nullptr) << "a drag is one step";
    redo(model());
    settle();
    EXPECT_EQ(transform().translate, moved);
}

TEST_F(Handles, TheSphereIsWhereTheHandleWasDragged) {
    auto before = session_->scene().spheres[0];
    drag_handle(GizmoHandle::y, pixels_of(vec3(0, 0.15f, 0)));
    auto& after = session_->scene().spheres[0];
    EXPECT_NEAR(after.center.y - before.center.y, 0.15f, 0.003f);
    EXPECT_EQ(after.radius, before.radius);
}

TEST_F(Handles, APlaneMovesAlongTwoAxes) {
    drag_handle(GizmoHandle::xy, pixels_of(vec3(0.06f, 0.08f, 0)));
    auto moved = transform().translate;
    EXPECT_NEAR(moved.x, 0.06, 0.003);
    EXPECT_NEAR(moved.y, 0.08, 0.003);
    EXPECT_EQ(moved.z, 0);
}

TEST_F(Handles, TheMiddleMovesInThePlaneOfThePicture) {
    vec2 way(30, -20);
    drag_handle(GizmoHandle::middle, way);
    auto moved = transform().translate;
    auto& camera = model().view.camera.camera();
    auto forward = glm::dvec3(glm::normalize(camera.target - camera.eye));
    EXPECT_NEAR(glm::dot(moved, forward), 0, 1e-5);
    EXPECT_GT(glm::length(moved), 0.01);
}

TEST_F(Handles, CtrlSnapsAndShiftMovesFinely) {
    // The sphere's diagonal is between 0.1 and 1.
    drag_handle(GizmoHandle::x, pixels_of(vec3(0.103f, 0, 0)), {.control = true});
    EXPECT_DOUBLE_EQ(transform().translate.x, 0.1);
    undo(model());
    settle();
    drag_handle(GizmoHandle::x, pixels_of(vec3(0.1f, 0, 0)), {.shift = true});
    EXPECT_NEAR(transform().translate.x, 0.01, 0.0005);
}

TEST_F(Handles, SnappingIsASettingThatCtrlTurnsRound) {
    model().view.gizmo.snaps = true;
    drag_handle(GizmoHandle::x, pixels_of(vec3(0.103f, 0, 0)));
    EXPECT_DOUBLE_EQ(transform().translate.x, 0.1);
    undo(model());
    settle();
    drag_handle(GizmoHandle::x, pixels_of(vec3(0.107f, 0, 0)), {.control = true});
    EXPECT_NEAR(transform().translate.x, 0.107, 0.002);
}

TEST_F(Handles, RingsRotateInStepsOfFifteenDegreesWithCtrl) {
    shows(GizmoMode::rotate);
    auto& shown = *model().view.gizmo.shown;
    vec2 middle = *shown.projection.pixel_of(shown.gizmo.origin),
         from = place_of(GizmoHandle::middle);
    vec2 arm = from - middle;
    // Counterclockwise in the picture by 45 degrees; y points down.
    float c = std::sqrt(0.5f);
    vec2 to = middle + vec2(c * arm.x + c * arm.y, -c * arm.x + c * arm.y);
    drag(from, to, MouseButton::left, {.control = true});
    settle();
    auto rotation = rotation_of(transform().rotate);
    auto& camera = model().view.camera.camera();
    auto axis = glm::dvec3(glm::normalize(camera.eye - camera.target));
    double cosine = (rotation[0][0] + rotation[1][1] + rotation[2][2] - 1) / 2;
    EXPECT_NEAR(glm::degrees(std::acos(cosine)), 45, 1e-3);
    EXPECT_LT(glm::length(rotation * axis - axis), 1e-4) << "about the view";
    EXPECT_EQ(*model().document.history.undo_name(), "rotate of sphere 0");
}

TEST_F(Handles, ARingRotatesAboutItsAxis) {
    shows(GizmoMode::rotate);
    drag_handle(GizmoHandle::y, vec2(25, 3));
    auto rotate = transform().rotate;
    EXPECT_NE(rotate.y, 0);
    EXPECT_EQ(rotate.x, 0);
    EXPECT_EQ(rotate.z, 0);
}

TEST_F(Handles, ASphereScalesAsAWhole) {
    shows(GizmoMode::scale);
    ASSERT_EQ(model().view.gizmo.shown->shapes.size(), 2u)
        << "the circle in the middle and the ring";
    float size = model().view.gizmo.shown->gizmo.size;
    drag_handle(GizmoHandle::middle, vec2(size, 0));
    EXPECT_NEAR(transform().scale.x, 2, 0.01f);
    EXPECT_TRUE(transform().is_uniform());
}

TEST_F(Handles, TheRingScalesByTheDistanceFromTheMiddle) {
    shows(GizmoMode::scale);
    auto& shown = *model().view.gizmo.shown;
    vec2 middle = *shown.projection.pixel_of(shown.gizmo.origin);
    vec2 from = shown.shapes.back().points[40];  // left of the middle
    ASSERT_EQ(shown.shapes.back().handle, GizmoHandle::middle);
    drag(from, middle + 1.25f * (from - middle));
    settle();
    EXPECT_NEAR(transform().scale.x, 1.25, 0.01f);
    EXPECT_TRUE(transform().is_uniform());
}

TEST_F(Handles, AMeshScalesAlongOneAxis) {
    selects({.material = 0, .object = ObjectId{ObjectKind::mesh, 0}});
    shows(GizmoMode::scale);
    vec2 from = place_of(GizmoHandle::x);
    auto& shown = *model().view.gizmo.shown;
    vec2 middle = *shown.projection.pixel_of(shown.gizmo.origin);
    drag(from, middle + 1.5f * (from - middle), MouseButton::left, {.control = true});
    settle();
    auto scale = transform({ObjectKind::mesh, 0}).scale;
    EXPECT_NEAR(scale.x, 1.5f, 0.11f);
    EXPECT_EQ(scale.y, 1);
    EXPECT_EQ(scale.z, 1);
}

TEST_F(Handles, EscCancelsADrag) {
    hold(GizmoHandle::x, pixels_of(vec3(0.1f, 0, 0)));
    step_until([&] { return transform().translate.x > 0.05; });
    press(Key::escape);
    settle();
    EXPECT_EQ(transform(), Transform{});
    EXPECT_EQ(model().document.history.undo_name(), nullptr);
    let_go();
    EXPECT_TRUE(model().document.selection.object) << "the selection stays";
    EXPECT_FALSE(model().view.gizmo.drag);
}

TEST_F(Handles, ARightClickCancelsADrag) {
    auto camera = model().view.camera.camera();
    hold(GizmoHandle::y, vec2(0, -30));
    step_until([&] { return transform() != Transform{}; });
    context_->push(ButtonEvent{MouseButton::right, true, {}});
    context_->push(ButtonEvent{MouseButton::right, false, {}});
    settle();
    EXPECT_EQ(transform(), Transform{});
    EXPECT_EQ(model().document.history.undo_name(), nullptr);
    context_->push(CursorEvent{vec2(50, 90)});
    let_go();
    EXPECT_EQ(model().view.camera.camera(), camera);
}

TEST_F(Handles, OtherKeysWaitForTheEndOfADrag) {
    hold(GizmoHandle::x, vec2(40, 0));
    press(Key::g, {.shift = true});
    press(Key::z, {.control = true});
    steps(3);
    EXPECT_EQ(model().view.gizmo.mode, GizmoMode::move);
    let_go();
    EXPECT_NE(transform(), Transform{});
}

TEST_F(Handles, AClickOnAHandleStillSelects) {
    vec2 at = place_of(GizmoHandle::x);
    click(at);
    steps(6);
    EXPECT_EQ(transform(), Transform{});
    EXPECT_FALSE(model().view.gizmo.drag);
    EXPECT_FALSE(model().document.selection.empty());
}

TEST_F(Handles, KeysChooseAndHideThem) {
    EXPECT_EQ(model().view.gizmo.mode, GizmoMode::move);
    tap(Key::r, {.shift = true});
    EXPECT_EQ(model().view.gizmo.mode, GizmoMode::rotate);
    EXPECT_EQ(session_->scene().name, model().session.scene().name);
    tap(Key::t, {.shift = true});
    EXPECT_EQ(model().view.gizmo.mode, GizmoMode::scale);
    tap(Key::t, {.shift = true});
    EXPECT_EQ(model().view.gizmo.mode, GizmoMode::none);
    EXPECT_FALSE(model().view.gizmo.shown);
    tap(Key::g, {.shift = true});
    EXPECT_TRUE(model().view.gizmo.shown);
    tap(Key::l, {.shift = true});
    EXPECT_TRUE(model().view.gizmo.local);
}

TEST_F(Handles, LocalAxesFollowTheObject) {
    edit_object(model(), kSphere, "rotate", [](Transform& t) { t.rotate = {0, 0, 90}; });
    model().view.gizmo.local = true;
    settle();
    steps(3);
    auto& axes = model().view.gizmo.shown->gizmo.axes;
    EXPECT_LT(glm::length(axes[0] - vec3(0, 1, 0)), 1e-5f);
    drag_handle(GizmoHandle::x, pixels_of(vec3(0, 0.1f, 0)));
    EXPECT_NEAR(transform().translate.y, 0.1, 0.002);
    EXPECT_NEAR(transform().translate.x, 0, 1e-6);
}

TEST_F(Handles, TheyHaveOneSizeAtAnyDistance) {
    auto length = [&] {
        return glm::length(place_of(GizmoHandle::x) - place_of(GizmoHandle::middle));
    };
    float before = length();
    model().view.camera.zoom(-6);
    steps(4);
    EXPECT_NEAR(length(), before, 0.15f * before);
    EXPECT_NE(window().rgba, [&] {
        toggle_gizmo(model(), GizmoMode::move);
        return window().rgba;
    }());
}

TEST_F(Handles, LightsMoveAndAreSavedWithTheScene) {
    selects({.light = 0});
    auto before = session_->scene().lights[0];
    ASSERT_EQ(before.kind, LightKind::rectangle);
    drag_handle(GizmoHandle::x, pixels_of(vec3(0.1f, 0, 0)), {.control = true});
    auto after = session_->scene().lights[0];
    EXPECT_GT(after.position.x, before.position.x);
    EXPECT_EQ(after.edge_u, before.edge_u);
    EXPECT_EQ(*model().document.history.undo_name(), "move of light 0");
    undo(model());
    settle();
    EXPECT_EQ(session_->scene().lights[0], before);
}

TEST_F(Handles, ALostSelectionEndsTheDrag) {
    hold(GizmoHandle::x, vec2(40, 0));
    select(model(), {});
    steps(3);
    EXPECT_FALSE(model().view.gizmo.drag);
    let_go();
    EXPECT_FALSE(model().view.gizmo.shown);
}

/// Frames and changes of geometry run in a thread of their own, as in a window.
class HandlesBesideFrames : public Handles {
  protected:
    [[nodiscard]] bool apart() const override { return true; }
};

TEST_F(HandlesBesideFrames, ThePictureFollowsWhileTheMouseMoves) {
    vec2 from = place_of(GizmoHandle::x), step = pixels_of(vec3(0.02f, 0, 0));
    context_->push(CursorEvent{from});
    context_->push(ButtonEvent{MouseButton::left, true, {}});
    steps(2);
    double last = 0;
    int n_followed = 0;
    for (int i = 1; i <= 12; ++i) {
        context_->push(CursorEvent{from + static_cast<float>(i) * step});
        // The button is still down: each position is shown before the next one.
        step_until([&] { return transform().translate.x > last; });
        auto frames = viewer_->frames();
        step_until([&] { return viewer_->frames() > frames; });
        last = transform().translate.x;
        ++n_followed;
    }
    EXPECT_EQ(n_followed, 12);
    let_go();
    step_until([&] { return !model().gate.busy(); });
    EXPECT_NEAR(transform().translate.x, 0.24, 0.01);
    EXPECT_EQ(*model().document.history.undo_name(), "move of sphere 0");
    undo(model());
    step_until([&] { return transform() == Transform{}; });
    EXPECT_EQ(model().document.history.undo_name(), nullptr) << "one step";
}

TEST_F(HandlesBesideFrames, ACancelledDragLeavesNoStep) {
    hold(GizmoHandle::y, vec2(0, -40));
    step_until([&] { return transform() != Transform{}; });
    press(Key::escape);
    step_until([&] { return transform() == Transform{} && !model().gate.busy(); });
    EXPECT_EQ(model().document.history.undo_name(), nullptr);
}

}  // namespace
}  // namespace tl::gizmo_tests
