// What several panels and dialogs draw in the same way.
#pragma once

#include <imgui/imgui.h>

#include <string>

#include "app/viewer/imgui/layout.h"
#include "app/viewer/messages.h"

namespace tl {

inline const ImVec4 kErrorColor{1.0f, 0.45f, 0.40f, 1}, kWarningColor{0.95f, 0.75f, 0.35f, 1};
inline const ImVec4 kInfoColor{0.60f, 0.86f, 0.72f, 1};

/// The colour of a message.
[[nodiscard]] ImVec4 color_of(Messages::Level level);
/// Shows a text at the cursor, in lines that are short enough to be read.
void show_tooltip(const std::string& text);
/// The same beside the menu that is drawn, at the height of its last item, since it would cover the
/// next ones.
void show_tooltip_beside_menu(const std::string& text);
/// Shows it while the cursor is over the widget drawn last.
void tooltip(const std::string& text);
/// Whether Tab or arrow keys have reached the widget drawn last.
[[nodiscard]] bool reached_by_keys();
/// Whether the widget drawn last is to get its default: after a right click, or Delete where the
/// keyboard has reached it.
[[nodiscard]] bool asks_to_reset();
/// Draws the names of a table's columns, which keys pass by.
void draw_column_names();
/// Draws a grey row for CUDA, with the reason, in a list of devices that lacks it.
void draw_missing_device();
/// Moves the window that is drawn, which has nothing to choose, by the keys that scroll.
void scroll_by_keys();
/// Sets the width of the next widget, at least `least` pixels where the panel has them; the rest of
/// the panel is its label.
void next_width(float least = 0);
/// The width of a list of choices that shows this one whole.
[[nodiscard]] float width_of_choice(const char* choice);
/// Draws text in a colour, in as many lines as it needs.
void wrapped_text(const ImVec4& color, const std::string& text);
/// Centres the next window in the display, with this size or as much of it as there is room for; a
/// height of 0 fits the contents.
void center_next_window(float width, float height);
/// Puts the next window in this place.
void place_next_window(const Rect& place);

}  // namespace tl
