// Pseudo-random input for the viewer: keys, typed text, clicks, drags, wheel, resizes of the window
// and drops of files, as a person without a plan would give them. The same seed gives the same
// input for windows of the same sizes.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "app/viewer/imgui/layout.h"
#include "app/viewer/viewer_interface.h"

namespace tl {

class RandomInput {
  public:
    /// `commands`: commands whose keys are pressed; `files`: paths that are dropped and typed,
    /// whether or not they exist.
    RandomInput(std::uint64_t seed, const std::vector<ViewerCommand>& commands,
                std::vector<std::string> files);

    /// Input before one frame of the interface.
    struct Turn {
        std::string what{};  ///< description: "click at 310,24"
        std::vector<InputEvent> events{};
        std::optional<Extent> resize{};  ///< of the window, in pixels
        double rest = 0;                 ///< seconds without further input
    };
    /// Returns the next turn for a window of this size, whose interface has this scale.
    [[nodiscard]] Turn next(Extent window, float scale);

  private:
    using Action = void (RandomInput::*)();

    [[nodiscard]] int below(int count);  ///< 0 to count - 1; 0 for none
    [[nodiscard]] bool chance(int percent) { return below(100) < percent; }
    [[nodiscard]] vec2 within(const Rect& place);
    [[nodiscard]] Modifiers random_modifiers();
    [[nodiscard]] std::string random_text();

    void add(std::string what, std::vector<InputEvent> events);
    void press(Key key, Modifiers modifiers);
    void type(const std::string& text);
    void click(vec2 at, Modifiers modifiers = {});
    void drag(const Rect& place, MouseButton button, Modifiers modifiers);

    void use_command();
    void press_any_key();
    void fly();
    void click_picture();
    void click_twice();
    void drag_picture();
    void turn_wheel();
    void click_panel();
    void drag_panel();
    void wheel_panel();
    void enter_value();
    void use_menu();
    void click_anywhere();
    void type_text();
    void open_path();
    void drop_files();
    void close_dialogs();
    void resize_window();
    void lose_focus();
    void rest();

    std::mt19937_64 random_;
    std::vector<KeyBinding> bindings_;
    std::vector<std::string> files_;
    std::deque<Turn> planned_;
    Extent window_;
    Layout layout_;
    float scale_ = 1;
};

}  // namespace tl
