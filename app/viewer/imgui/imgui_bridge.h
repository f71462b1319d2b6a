// Dear ImGui's lifetime, input and drawing on a GlContext. The differences between the versions of
// the library (1.86 on Debian 12, 1.90 on Ubuntu 24.04) stay in imgui_bridge.cpp.
#pragma once

#include <bitset>

#include "app/viewer/imgui/theme.h"
#include "app/viewer/window/gl_context.h"

namespace tl {

class ImguiBridge {
  public:
    /// The context must be current during the whole lifetime.
    explicit ImguiBridge(GlContext& context);
    ~ImguiBridge();
    ImguiBridge(const ImguiBridge&) = delete;
    ImguiBridge& operator=(const ImguiBridge&) = delete;

    void feed(const InputEvent& event);
    /// Panels draw between begin_frame() and end_frame(). `look` sets fonts, sizes and colours.
    /// `navigate`: arrow keys, Tab, Enter and Space work in the focused window.
    void begin_frame(Extent window, float seconds, const Look& look, bool navigate);
    void end_frame();
    /// Ends a frame that is not to be drawn.
    void skip_frame();

    [[nodiscard]] bool wants_mouse() const;
    [[nodiscard]] bool wants_text() const;
    /// Whether a widget is held by a mouse button or a key, or typed into.
    [[nodiscard]] bool widget_held() const;
    /// Whether a menu or a list of choices is open (not a dialog).
    [[nodiscard]] bool popup_open() const;
    /// Whether a dialog is open.
    [[nodiscard]] bool dialog_open() const;

  private:
    void feed_key(const KeyEvent& event);
    void set_look(const Look& look);

    GlContext& context_;
    Look look_{.scale = 0};
    std::bitset<512> down_, pressed_;  // keys held now; keys pressed since the last frame
    // modifiers held now; those held with the key that was pressed last
    Modifiers held_, chord_;
};

}  // namespace tl
