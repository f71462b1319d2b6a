// Mouse and keys reach the camera, the commands, or the interface.
#include "tests/viewer/offscreen_viewer.h"

namespace tl::input_router_tests {
namespace {

using InputRouting = OffscreenViewer;

const vec2 kInPicture(20, 41), kInPanel(200, 51);

TEST_F(InputRouting, LeftDragOrbits) {
    auto& camera = start().model().view.camera;
    steps(2);
    auto before = camera.camera();
    drag(kInPicture, kInPicture + vec2(10, 5));
    EXPECT_NE(camera.camera().eye, before.eye);
    EXPECT_EQ(camera.camera().target, before.target);
    auto after = camera.camera();
    context_->push(CursorEvent{kInPicture + vec2(20, 20)});  // the button is up again
    steps(2);
    EXPECT_EQ(camera.camera().eye, after.eye);
}

TEST_F(InputRouting, RightMiddleAndShiftLeftDragPan) {
    auto& camera = start().model().view.camera;
    steps(2);
    for (auto [button, shift] :
         {std::pair{MouseButton::right, false}, std::pair{MouseButton::middle, false},
          std::pair{MouseButton::left, true}}) {
        auto before = camera.camera();
        drag(kInPicture, kInPicture + vec2(10, 5), button, {.shift = shift});
        EXPECT_NE(camera.camera().target, before.target);
        EXPECT_LT(glm::length((camera.camera().eye - camera.camera().target) -
                              (before.eye - before.target)),
                  1e-5f);
    }
}

TEST_F(InputRouting, TheWheelZoomsOverThePictureOnly) {
    auto& camera = start().model().view.camera;
    context_->push(CursorEvent{kInPicture});
    steps(2);
    auto before = camera.camera();
    context_->push(ScrollEvent{vec2(0, 2)});
    steps(2);
    EXPECT_LT(glm::length(camera.camera().eye - before.target),
              glm::length(before.eye - before.target));
    auto zoomed = camera.camera();
    context_->push(CursorEvent{kInPanel});
    context_->push(ScrollEvent{vec2(0, 2)});
    steps(3);
    EXPECT_EQ(camera.camera().eye, zoomed.eye);
}

TEST_F(InputRouting, ADragThatStartsInThePanelLeavesTheCamera) {
    auto& camera = start().model().view.camera;
    steps(2);
    auto before = camera.camera();
    drag(kInPanel, kInPicture);
    EXPECT_EQ(camera.camera().eye, before.eye);
}

TEST_F(InputRouting, HeldKeysFlyUntilReleasedOrUnfocused) {
    auto& camera = start().model().view.camera;
    steps(2);
    auto before = camera.camera();
    context_->push(KeyEvent{Key::w, Key::w, true, false, {}});
    steps(3);
    auto flown = camera.camera();
    EXPECT_NE(flown.eye, before.eye);
    EXPECT_NE(flown.target, before.target);
    context_->push(FocusEvent{false});
    steps(1);
    auto stopped = camera.camera();
    steps(3);
    EXPECT_EQ(camera.camera().eye, stopped.eye);
    context_->push(KeyEvent{Key::d, Key::d, true, false, {.control = true}});  // a command
    steps(3);
    EXPECT_EQ(camera.camera().eye, stopped.eye);
}

TEST_F(InputRouting, ADragWhileFlyingLooksAround) {
    auto& camera = start().model().view.camera;
    steps(2);
    auto before = camera.camera();
    // Opposite keys: flying without movement.
    context_->push(KeyEvent{Key::a, Key::a, true, false, {}});
    context_->push(KeyEvent{Key::d, Key::d, true, false, {}});
    drag(kInPicture, kInPicture + vec2(10, 0));
    EXPECT_LT(glm::length(camera.camera().eye - before.eye), 1e-5f);
    EXPECT_NE(camera.camera().target, before.target);
}

TEST_F(InputRouting, CommandsWaitWhileADialogIsOpen) {
    auto& model = start().model();
    steps(2);
    model.status.messages.error("Test", "text");
    press(Key::space);
    context_->push(TextEvent{U'?'});
    steps(2);
    EXPECT_FALSE(model.view.paused);
    EXPECT_FALSE(model.view.help_open);
    press(Key::escape);
    steps(2);
    EXPECT_EQ(model.status.messages.dialog_title(), "");
    press(Key::space);
    steps(2);
    EXPECT_TRUE(model.view.paused);
}

TEST_F(InputRouting, TypingInTheFileBrowserIsNoCommand) {
    auto& model = start().model();
    steps(2);
    auto before = model.view.camera.camera();
    press(Key::o, {.control = true});
    steps(3);
    ASSERT_TRUE(model.view.browser.open);
    for (char c : std::string("wf?")) context_->push(TextEvent{static_cast<char32_t>(c)});
    press(Key::f);
    press(Key::w);
    steps(12);  // newer ImGui spreads simultaneous events over frames
    EXPECT_EQ(model.view.browser.typed, "wf?");
    EXPECT_FALSE(model.view.help_open);
    EXPECT_EQ(model.view.camera.camera().eye, before.eye);
    press(Key::escape);
    steps(3);
    EXPECT_FALSE(model.view.browser.open);
}

}  // namespace
}  // namespace tl::input_router_tests
