// Sends each input event where it belongs: camera, commands, or nowhere because the interface has
// it.
#pragma once

#include <array>

#include "app/viewer/viewer_model.h"

namespace tl {

/// What the interface keeps for itself.
struct InputCapture {
    bool mouse = false;  ///< the cursor is over it
    bool text = false;   ///< something is being typed
    bool modal = false;  ///< a dialog is open
};

/// The cursor is where the split between two pictures can be dragged.
[[nodiscard]] bool on_split(const ViewerModel& model);

class InputRouter {
  public:
    void handle(const InputEvent& event, const InputCapture& capture, ViewerModel& model);
    /// Flies for the time since the last frame.
    void advance(float seconds, const InputCapture& capture, ViewerModel& model);
    /// A fly key is held, so frames must go on.
    [[nodiscard]] bool flying() const;

  private:
    void on_key(const KeyEvent& event, const InputCapture& capture, ViewerModel& model);
    void on_button(const ButtonEvent& event, const InputCapture& capture, ViewerModel& model);
    void on_cursor(const CursorEvent& event, ViewerModel& model);

    enum class Drag { none, orbit, pan, split };
    Drag drag_ = Drag::none;
    MouseButton drag_button_ = MouseButton::left;
    vec2 cursor_{0};
    static constexpr std::array kFlyKeys = {Key::w, Key::a, Key::s, Key::d, Key::q, Key::e};
    std::array<bool, kFlyKeys.size()> held_{};
    bool fast_ = false;
};

}  // namespace tl
