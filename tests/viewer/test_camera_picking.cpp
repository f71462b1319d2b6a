// Eye, target and focus of the camera: typed, or picked by a click in the picture.
#include <imgui/imgui.h>

#include "app/viewer/actions/camera_actions.h"
#include "tests/viewer/wide_viewer.h"

namespace tl::camera_picking_tests {
namespace {

class CameraPicking : public WideViewer {
  protected:
    static constexpr Modifiers kControl{.control = true},
        kControlShift{.shift = true, .control = true};

    ViewerModel& model() { return viewer_->model(); }
    /// A pixel of the picture, by fractions of its size.
    vec2 place(float x, float y) {
        auto& picture = model().view.layout.picture;
        return vec2(static_cast<float>(picture.x) + x * static_cast<float>(picture.width),
                    static_cast<float>(picture.y) + y * static_cast<float>(picture.height));
    }
    vec3 direction() {
        auto& camera = model().view.camera.camera();
        return glm::normalize(camera.target - camera.eye);
    }
};

TEST_F(CameraPicking, APickedTargetIsOrbitedWithoutTurningTheView) {
    start_wide();
    auto before = model().view.camera.camera();
    vec3 way = direction();
    tap(Key::t, kControl);
    ASSERT_EQ(model().view.pixel.picks, PickPurpose::target);
    click(place(0.2f, 0.6f));
    steps(6);
    EXPECT_EQ(model().view.pixel.picks, PickPurpose::none);
    ASSERT_TRUE(model().view.camera.has_pivot());
    EXPECT_EQ(model().view.camera.camera().eye, before.eye);
    EXPECT_LT(glm::length(direction() - way), 1e-6f);
    EXPECT_TRUE(model().document.selection.empty()) << "the click does not select";
    vec3 pivot = model().view.camera.pivot();
    float depth = glm::dot(pivot - before.eye, way);
    EXPECT_NEAR(glm::length(model().view.camera.camera().target - before.eye), depth, 1e-5f);
    // An orbit keeps the distance of the picked point, and where it is in the picture.
    PictureProjection first(model().view.camera.camera(), model().view.layout.picture);
    vec2 pixel = *first.pixel_of(pivot);
    float distance = glm::length(pivot - before.eye);
    drag(place(0.5f, 0.3f), place(0.6f, 0.35f));
    auto& turned = model().view.camera.camera();
    EXPECT_NE(turned.eye, before.eye);
    EXPECT_NEAR(glm::length(pivot - turned.eye), distance, 1e-4f);
    PictureProjection second(turned, model().view.layout.picture);
    EXPECT_LT(glm::length(*second.pixel_of(pivot) - pixel), 0.1f);
    tap(Key::home);
    EXPECT_FALSE(model().view.camera.has_pivot());
}

TEST_F(CameraPicking, APickedFocusIsTheDepthOfTheSurface) {
    start_wide();
    auto before = model().view.camera.camera();
    tap(Key::t, kControlShift);
    click(place(0.3f, 0.8f));
    steps(6);
    auto& after = model().view.camera.camera();
    EXPECT_GT(after.focus_distance, 0);
    EXPECT_NE(after.focus_distance, before.focus_distance);
    EXPECT_EQ(after.eye, before.eye);
    EXPECT_EQ(after.target, before.target);
    EXPECT_NE(model().status.messages.current().find("focus distance"), std::string::npos);
}

TEST_F(CameraPicking, AMissSaysSoAndChangesNothing) {
    start_wide();
    model().view.camera.zoom(-12);
    steps(4);
    auto before = model().view.camera.camera();
    tap(Key::t, kControl);
    click(place(0.02f, 0.02f));
    steps(6);
    EXPECT_EQ(model().status.messages.current(), "nothing was hit there: the target stays");
    EXPECT_FALSE(model().view.camera.has_pivot());
    EXPECT_EQ(model().view.camera.camera(), before);
    EXPECT_EQ(model().view.pixel.picks, PickPurpose::none);
}

TEST_F(CameraPicking, EscAndTheKeyEndPicking) {
    start_wide();
    tap(Key::t, kControl);
    tap(Key::escape);
    EXPECT_EQ(model().view.pixel.picks, PickPurpose::none);
    tap(Key::t, kControl);
    tap(Key::t, kControlShift);
    EXPECT_EQ(model().view.pixel.picks, PickPurpose::focus);
    tap(Key::t, kControlShift);
    EXPECT_EQ(model().view.pixel.picks, PickPurpose::none);
    click(place(0.5f, 0.8f));
    steps(6);
    EXPECT_FALSE(model().view.camera.has_pivot());
    EXPECT_FALSE(model().document.selection.empty()) << "clicks select again";
}

TEST_F(CameraPicking, AnImpossibleCameraIsRefusedInWords) {
    start_wide();
    auto before = model().view.camera.camera();
    auto camera = before;
    camera.target = camera.eye;
    change_camera(model(), camera);
    EXPECT_EQ(model().view.camera.camera(), before);
    EXPECT_NE(model().status.messages.current().find("same point"), std::string::npos);
}

TEST_F(CameraPicking, AnEyeIsTyped) {
    start_wide();
    model().view.panel.tab = PanelTab::scene;
    model().view.panel.search = "Eye, target";
    steps(4);
    auto before = model().view.camera.camera();
    auto& panel = model().view.layout.panel;
    auto control = Key::left_control;
    context_->push(KeyEvent{control, control, true, false, kControl});
    auto typing = [] { return ImGui::GetIO().WantTextInput; };
    ASSERT_TRUE(click_down(static_cast<float>(panel.x + 25), panel.y + 50, panel.y + 120, typing));
    context_->push(KeyEvent{control, control, false, false, {}});
    type("0.25");
    tap(Key::enter);
    EXPECT_EQ(model().view.camera.camera().eye.x, 0.25f);
    EXPECT_EQ(model().view.camera.camera().target, before.target);
}

}  // namespace
}  // namespace tl::camera_picking_tests
