// Widgets that several panels and dialogs share.
#pragma once

#include <imgui/imgui.h>

#include <string>

#include "app/viewer/imgui/layout.h"
#include "app/viewer/messages.h"

namespace tl {

struct ViewerModel;

/// Colours of text that is readable on the theme's background.
[[nodiscard]] ImVec4 error_color();
[[nodiscard]] ImVec4 warning_color();
[[nodiscard]] ImVec4 info_color();
/// The colour of a message.
[[nodiscard]] ImVec4 color_of(Messages::Level level);
/// Puts the path of a file on the clipboard, and says so.
void copy_path(Messages& messages, const std::string& path);
/// The text with a capital letter, unless it begins with the name of a file or an identifier.
[[nodiscard]] std::string capitalised(std::string text);
/// Shows a text at the cursor, which begins with a capital letter, in lines that are short enough
/// to be read.
void show_tooltip(const std::string& text);
/// Shows the same tooltip beside the current menu, at the height of its last item. At the cursor it
/// would cover the next items.
void show_tooltip_beside_menu(const std::string& text);
/// Shows the tooltip while the cursor is over the widget drawn last.
void tooltip(const std::string& text);
/// Draws a box that is ticked while something is on, which a click toggles.
void state_box(ViewerModel& model, const char* label, bool is_on, const char* help,
               void (*toggle)(ViewerModel&));
/// Whether keyboard navigation has reached the widget drawn last.
[[nodiscard]] bool reached_by_keys();
/// Whether the widget drawn last is to be reset: after a right click, or Delete with keyboard
/// focus.
[[nodiscard]] bool asks_to_reset();
/// Draws the names of a table's columns, which keyboard navigation skips.
void draw_column_names();
/// Draws a grey row for CUDA, with the reason, in a list of devices that lacks it.
void draw_missing_device();
/// Scrolls the current window, which has no selectable items, by the scrolling keys.
void scroll_by_keys();
/// Sets the width of the next widget, at least `least` pixels where the panel has them; its label
/// takes the rest of the panel.
void next_width(float least = 0);
/// Width of a list of choices that shows this one in full.
[[nodiscard]] float width_of_choice(const char* choice);
/// Places a button or box with this label in the line of the last widget, or below it where the
/// panel has no room for it there.
void next_in_line(const char* label);
/// Draws text in a colour, wrapped to the panel's width.
void wrapped_text(const ImVec4& color, const std::string& text);
/// Draws the horizontal axis of the plot drawn last, as wide as the panel: its ends, and its name
/// with the unit in the middle.
void draw_axis(const std::string& first, const std::string& name, const std::string& last);
/// Writes a text into the upper left corner of the plot drawn last, such as the top of its scale.
void draw_scale_top(const std::string& text);
/// Centres the next window in the display, with this size or the largest that fits; a height of 0
/// fits the contents.
void center_next_window(float width, float height);
/// Sets position and size of the next window.
void place_next_window(const Rect& place);

}  // namespace tl
