// The viewer's input events, independent of the window system (or test) that produces them.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "core/base/math.h"

namespace tl {

/// The keys that the viewer knows, by position on a US keyboard. Values are GLFW's; printable keys
/// are ASCII capitals.
enum class Key : int {
    unknown = -1,
    space = 32,
    a = 'A',
    b = 'B',
    c = 'C',
    d = 'D',
    e = 'E',
    f = 'F',
    g = 'G',
    h = 'H',
    i = 'I',
    j = 'J',
    k = 'K',
    l = 'L',
    m = 'M',
    n = 'N',
    o = 'O',
    p = 'P',
    q = 'Q',
    r = 'R',
    s = 'S',
    t = 'T',
    u = 'U',
    v = 'V',
    w = 'W',
    x = 'X',
    y = 'Y',
    z = 'Z',
    escape = 256,
    enter,
    tab,
    backspace,
    insert,
    del,
    right,
    left,
    down,
    up,
    page_up,
    page_down,
    home,
    end,
    f1 = 290,
    f2 = 291,
    f5 = 294,
    f6 = 295,
    f10 = 299,
    f11 = 300,
    f12 = 301,
    keypad_enter = 335,
    left_control = 341,
};

enum class MouseButton : int { left = 0, right = 1, middle = 2 };

struct Modifiers {
    bool shift = false, control = false, alt = false;
    bool operator==(const Modifiers&) const = default;
};

struct KeyEvent {
    /// by position: fly keys are at the position of WASD on any keyboard
    Key key = Key::unknown;
    Key symbol = Key::unknown;  ///< by the printed symbol: commands are bound to letters
    bool down = false;
    bool repeat = false;
    Modifiers modifiers;
};
struct TextEvent {
    char32_t character = 0;
};
/// Framebuffer pixels from the upper left corner.
struct CursorEvent {
    vec2 position{0};
};
struct ButtonEvent {
    MouseButton button = MouseButton::left;
    bool down = false;
    Modifiers modifiers;
};
struct ScrollEvent {
    vec2 notches{0};
};
struct DropEvent {
    std::vector<std::string> paths;
};
struct FocusEvent {
    bool focused = false;
};

using InputEvent =
    std::variant<KeyEvent, TextEvent, CursorEvent, ButtonEvent, ScrollEvent, DropEvent, FocusEvent>;

}  // namespace tl
