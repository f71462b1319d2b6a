// Routes each input event to the camera or to commands, or drops it if the interface has taken it.
#pragma once

#include <array>
#include <chrono>

#include "app/viewer/window/input.h"
#include "renderer/scene/scene.h"

namespace tl {

struct ViewerModel;
struct ViewerView;

/// Input that the interface captures.
struct InputCapture {
    bool mouse = false;    ///< the cursor is over the interface
    bool text = false;     ///< a text field has the keyboard
    bool modal = false;    ///< a dialog is open
    bool popup = false;    ///< a menu or a list of choices is open
    bool keys = false;     ///< arrows, Tab, Enter, Space and the like work in the interface
    bool held = false;     ///< a widget is being changed
    bool scrolls = false;  ///< arrows up and down, PgUp and the like scroll an open text
};

/// Whether the cursor is where the split between two pictures can be dragged.
[[nodiscard]] bool on_split(const ViewerModel& model);

class InputRouter {
  public:
    /// Returns whether the event was a key of a command; then no one else may use it.
    bool handle(const InputEvent& event, const InputCapture& capture, ViewerModel& model);
    /// Moves the camera by held fly keys over the time since the last frame.
    void advance(float seconds, const InputCapture& capture, ViewerView& view);
    /// Whether a fly key is held, so that frames must continue.
    [[nodiscard]] bool flying() const;

  private:
    bool on_key(const KeyEvent& event, const InputCapture& capture, ViewerModel& model);
    void on_button(const ButtonEvent& event, const InputCapture& capture, ViewerModel& model);
    void on_cursor(const CursorEvent& event, ViewerModel& model);
    void press(const ButtonEvent& event, ViewerModel& model);
    void release(const ButtonEvent& event, ViewerModel& model);
    /// Zooms towards the surface under the cursor, if that is known.
    void zoom(float notches, ViewerModel& model);

    enum class Drag { none, orbit, pan, split, gizmo };
    Drag drag_ = Drag::none;
    MouseButton drag_button_ = MouseButton::left;
    vec2 cursor_{0};
    static constexpr std::array kFlyKeys = {Key::w, Key::a, Key::s, Key::d, Key::q, Key::e};
    std::array<bool, kFlyKeys.size()> held_{};
    Modifiers modifiers_;   // of the last key or button
    bool dragged_ = false;  // the mouse has moved since the button was pressed
    std::chrono::steady_clock::time_point pressed_at_{};  // last press of the left button
    vec2 pressed_{-1};
    Camera pressed_camera_;  // camera of the picture shown at that time
};

}  // namespace tl
